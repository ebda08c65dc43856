import { describe, expect, it } from 'vitest';
import type { Snapshot } from '../../src/domain/ticket-api.ts';
import { TextsSeen } from '../../src/push/whole-text.ts';

const reported = (content: string, more: Record<string, unknown> = {}): Snapshot => ({
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
    ['a short one', reported('Thanks!'), false],
    ['an unsuspicious length, of which none was seen whole', reported(letters(123)), true],
    ['a hundred characters', reported(letters(100)), true],
    ['255 characters', reported(letters(255)), true],
    ['256 characters', reported(letters(256)), true],
    ['an ellipsis', reported('We looked into it and\u2026'), true],
    ['three dots', reported('We looked into it and...'), true],
    ['three dots in brackets', reported('We looked into it [...]'), true],
    ['three dots, and the whole is told', reported('Well...', { fullContent: 'Well...' }), false],
    ['the target says so', reported('Hi', { isTruncated: true }), true],
  ])('%s', (_, message, doubtful) => {
    expect(new TextsSeen().isDoubtful(message)).toBe(doubtful);
  });

  it('one of ours that came back whole vouches for those that are not longer', () => {
    const seen = new TextsSeen();
    seen.learn(letters(400), reported(letters(400)));
    expect(seen.isDoubtful(reported(letters(100)))).toBe(false);
    expect(seen.isDoubtful(reported('Well...'))).toBe(false);
    expect(seen.isDoubtful(reported(letters(500)))).toBe(true);
  });

  it.each([
    ['at a usual length', letters(300).slice(0, 80)],
    ['with an ellipsis', `${letters(300).slice(0, 77)}\u2026`],
  ])('one of ours that came back cut %s makes all of that length doubtful', (_, cut) => {
    const seen = new TextsSeen();
    seen.learn(letters(300), reported(cut));
    expect(seen.isDoubtful(reported(letters(cut.length)))).toBe(true);
    expect(seen.isDoubtful(reported(letters(93)))).toBe(true);
    expect(seen.isDoubtful(reported(letters(33)))).toBe(false);
  });

  it('one of ours from which a person took the end says nothing of the others', () => {
    const seen = new TextsSeen();
    seen.learn('Hello, I am Ann, call me at 555-1234.', reported('Hello, I am Ann'));
    expect(seen.isDoubtful(reported(letters(39)))).toBe(false);
    expect(seen.wholeOf(reported(letters(123)), undefined)?.['content']).toBe(letters(123));
  });

  it('nor does a long one, where longer ones are told whole', () => {
    const seen = new TextsSeen();
    seen.learn(letters(300), reported(letters(300).slice(0, 97)));
    expect(seen.wholeOf(reported(letters(123)), undefined)).toBeUndefined();
    seen.learn(letters(300), reported(letters(300)));
    expect(seen.isDoubtful(reported(letters(123)))).toBe(false);
  });

  it('a text that is longer by itself shows where the others are cut', () => {
    const seen = new TextsSeen();
    expect(seen.wholeOf(reported(letters(137)), reported(letters(900).slice(0, 871)))).toBeDefined();
    expect(seen.wholeOf(reported(letters(137)), undefined)).toBeUndefined();
  });

  it('where others have a whole text besides, one without is doubtful', () => {
    const seen = new TextsSeen();
    seen.learnAll([reported('Hi', { fullContent: 'Hi there' })]);
    expect(seen.isDoubtful(reported('Short'))).toBe(true);
  });

  it.each<[what: string, list: Snapshot, alone: Snapshot | undefined, whole: string | undefined]>([
    ['is not shown', reported(letters(100)), undefined, undefined],
    ['is not shown, of no usual length', reported(letters(123)), undefined, letters(123)],
    ['says the same', reported(letters(120)), reported(letters(120)), letters(120)],
    [
      'says the same, of a length at which many cut',
      reported(letters(100)),
      reported(letters(100)),
      undefined,
    ],
    ['says more', reported('abc...'), reported('abcdefghijklmn'), 'abcdefghijklmn'],
    ['ends in dots as well', reported('abc...'), reported('abc...'), undefined],
    [
      'says that this is the whole',
      reported('abc...'),
      reported('abc...', { fullContent: 'abc...' }),
      'abc...',
    ],
    [
      'says that it is shortened',
      reported(letters(100)),
      reported(letters(100), { truncated: true }),
      undefined,
    ],
    ['says something else', reported(letters(100)), reported(letters(90)), undefined],
  ])('a message by itself that %s', (_, list, alone, whole) => {
    expect(new TextsSeen().wholeOf(list, alone)?.['content']).toBe(whole);
  });
});
