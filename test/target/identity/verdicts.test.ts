import { describe, expect, it } from 'vitest';
import {
  type Reported,
  recognise,
  type Sample,
  type Verdict,
  verdictOf,
} from '../../../src/target/identity/verdicts.ts';

describe('a ticket that was read back', () => {
  const there = (tags: unknown): Reported => ({ is: 'there', tags });
  it.each<[what: string, reported: Reported, mayLackTag: boolean, Verdict]>([
    ['carries its tag', there(['imported', 'Zendesk-7']), false, 'ours'],
    ['carries its tag, told as an object', there([{ name: 'zendesk-7' }]), false, 'ours'],
    ['carries the tag of another ticket', there(['zendesk-8', 'from-zendesk']), true, 'foreign'],
    ['carries the tag of another source', there(['brand-b-7', 'from-brand-b']), true, 'foreign'],
    ['carries no mark, and all of ours do', there(['vip']), false, 'foreign'],
    ['carries no mark, and may be of before', there(['vip']), true, 'ours'],
    ['tells of no tags', there(undefined), false, 'foreign'],
    ['is missing', { is: 'missing' }, false, 'gone'],
    ['may not be read', { is: 'unknown' }, false, 'unreadable'],
  ])('%s', (_, reported, mayLackTag, expected) => {
    expect(verdictOf(reported, 'zendesk-7', mayLackTag)).toBe(expected);
  });
});

describe('the target', () => {
  const samples = (newest: string, others: string, by: 'isLastCreated' | 'isLastChanged'): Sample[] =>
    [...newest]
      .map((letter) => ({ ...sample(letter), [by]: true }))
      .concat([...others].map((letter) => sample(letter)));
  const LETTERS: Record<string, Verdict> = { o: 'ours', g: 'gone', f: 'foreign', u: 'unreadable' };
  const sample = (letter: string): Sample => ({
    verdict: LETTERS[letter] ?? 'ours',
    isLastCreated: false,
    isLastChanged: false,
  });
  it.each<[what: string, newest: string, others: string, listAnswers: boolean, expected: string]>([
    ['no ticket to ask for', '', '', true, 'same'],
    ['all there', 'ooooo', 'oo', true, 'same'],
    ['people deleted some', 'ggooo', 'go', true, 'same'],
    ['people deleted the oldest', 'ooooo', 'gg', true, 'same'],
    ['people took the tags of one away', 'foooo', 'oo', true, 'same'],
    ['other tickets under the same ids', 'fffff', 'ff', true, 'another'],
    ['other tickets under some of the ids', 'ggggf', 'gg', true, 'another'],
    ['none there, and the list answers', 'ggggg', 'gg', true, 'emptied'],
    ['a single one, gone', 'g', '', true, 'emptied'],
    ['none there, and the list does not answer either', 'ggggg', 'gg', false, 'unreadable'],
    ['none may be read', 'uuuuu', 'uu', true, 'unreadable'],
    ['the newest gone, older ones there', 'ggggg', 'oo', true, 'restored'],
    ['the newest gone, one older one there', 'ggggg', 'og', true, 'restored'],
    ['one newest still there', 'ggggo', 'oo', true, 'same'],
  ])('%s', (_, newest, others, listAnswers, expected) => {
    for (const by of ['isLastCreated', 'isLastChanged'] as const)
      expect(recognise(samples(newest, others, by), listAnswers)).toBe(expected);
  });

  it('was restored where those created last are gone, although older ones were changed later', () => {
    const lost = { verdict: 'gone', isLastCreated: true, isLastChanged: false } as const;
    const older = { verdict: 'ours', isLastCreated: false, isLastChanged: true } as const;
    expect(recognise([lost, lost, lost, older, older], true)).toBe('restored');
    expect(recognise([lost, lost, { ...lost, verdict: 'ours' }, older], true)).toBe('same');
  });
});
