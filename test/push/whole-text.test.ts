import { describe, expect, it } from 'vitest';
import type { Snapshot } from '../../src/domain/ticket-api.ts';
import { TextsSeen } from '../../src/push/whole-text.ts';

const told = (content: string, more: Record<string, unknown> = {}): Snapshot => ({
  id: 'm1',
  content,
  ...more,
});
const letters = (n: number) =>
  'abcdefghij '
    .repeat(100)
    .slice(0, n - 1)
    .concat('.');

describe('whether a text may have been shortened', () => {
  it.each<[what: string, message: Snapshot, doubtful: boolean]>([
    ['a short one', told('Thanks!'), false],
    ['an unsuspicious length, of which none was seen whole', told(letters(123)), true],
    ['a hundred characters', told(letters(100)), true],
    ['255 characters', told(letters(255)), true],
    ['256 characters', told(letters(256)), true],
    ['an ellipsis', told('We looked into it and\u2026'), true],
    ['three dots', told('We looked into it and...'), true],
    ['three dots in brackets', told('We looked into it [...]'), true],
    ['three dots, and the whole is told', told('Well...', { fullContent: 'Well...' }), false],
    ['the target says so', told('Hi', { isTruncated: true }), true],
  ])('%s', (_, message, doubtful) => {
    expect(new TextsSeen().isDoubtful(message)).toBe(doubtful);
  });

  it('one of ours that came back whole vouches for those that are not longer', () => {
    const seen = new TextsSeen();
    seen.learn(letters(400), told(letters(400)));
    expect(seen.isDoubtful(told(letters(100)))).toBe(false);
    expect(seen.isDoubtful(told('Well...'))).toBe(false);
    expect(seen.isDoubtful(told(letters(500)))).toBe(true);
  });

  it.each([
    ['at a usual length', letters(300).slice(0, 80)],
    ['with an ellipsis', `${letters(300).slice(0, 77)}\u2026`],
  ])('one of ours that came back cut %s makes all of that length doubtful', (_, cut) => {
    const seen = new TextsSeen();
    seen.learn(letters(300), told(cut));
    expect(seen.isDoubtful(told(letters(cut.length)))).toBe(true);
    expect(seen.isDoubtful(told(letters(93)))).toBe(true);
    expect(seen.isDoubtful(told(letters(33)))).toBe(false);
  });

  it('one of ours from which a person took the end says nothing of the others', () => {
    const seen = new TextsSeen();
    seen.learn('Hello, I am Ann, call me at 555-1234.', told('Hello, I am Ann'));
    expect(seen.isDoubtful(told(letters(39)))).toBe(false);
    expect(seen.wholeOf(told(letters(123)), undefined)?.['content']).toBe(letters(123));
  });

  it('nor does a long one, where longer ones are told whole', () => {
    const seen = new TextsSeen();
    seen.learn(letters(300), told(letters(300).slice(0, 97)));
    expect(seen.wholeOf(told(letters(123)), undefined)).toBeUndefined();
    seen.learn(letters(300), told(letters(300)));
    expect(seen.isDoubtful(told(letters(123)))).toBe(false);
  });

  it('a text that is longer by itself shows where the others are cut', () => {
    const seen = new TextsSeen();
    expect(seen.wholeOf(told(letters(137)), told(letters(900).slice(0, 871)))).toBeDefined();
    expect(seen.wholeOf(told(letters(137)), undefined)).toBeUndefined();
  });

  it('where others have a whole text besides, one without is doubtful', () => {
    const seen = new TextsSeen();
    seen.learnAll([told('Hi', { fullContent: 'Hi there' })]);
    expect(seen.isDoubtful(told('Short'))).toBe(true);
  });

  it.each<[what: string, list: Snapshot, alone: Snapshot | undefined, whole: string | undefined]>([
    ['is not shown', told(letters(100)), undefined, undefined],
    ['is not shown, of no usual length', told(letters(123)), undefined, letters(123)],
    ['says the same', told(letters(120)), told(letters(120)), letters(120)],
    ['says the same, of a length at which many cut', told(letters(100)), told(letters(100)), undefined],
    ['says more', told('abc...'), told('abcdefghijklmn'), 'abcdefghijklmn'],
    ['ends in dots as well', told('abc...'), told('abc...'), undefined],
    ['says that this is the whole', told('abc...'), told('abc...', { fullContent: 'abc...' }), 'abc...'],
    ['says that it is shortened', told(letters(100)), told(letters(100), { truncated: true }), undefined],
    ['says something else', told(letters(100)), told(letters(90)), undefined],
  ])('a message by itself that %s', (_, list, alone, whole) => {
    expect(new TextsSeen().wholeOf(list, alone)?.['content']).toBe(whole);
  });
});
