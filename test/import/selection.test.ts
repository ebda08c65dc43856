import { describe, expect, it } from 'vitest';
import { createSelection, type SelectableTicket, type SelectionRules } from '../../src/plan/selection.ts';

const day = (n: number) => Date.UTC(2024, 0, n);

function kept(rules: SelectionRules, tickets: readonly SelectableTicket[]): (string | undefined)[] {
  const selection = createSelection(rules);
  return tickets.filter((one) => selection.skip(one) === undefined).map((one) => one.externalId);
}

const export5: SelectableTicket[] = [1, 2, 3, 4, 5].map((n) => ({
  externalId: `${n}`,
  createdAt: day(n),
}));

describe('the part of an export that a run is about', () => {
  it.each<[SelectionRules, string[]]>([
    [{}, ['1', '2', '3', '4', '5']],
    [{ since: day(3) }, ['3', '4', '5']],
    [{ until: day(3) }, ['1', '2']],
    [{ since: day(2), until: day(4) }, ['2', '3']],
    [{ only: ['5', '1', 'none'] }, ['1', '5']],
    [{ only: [] }, []],
    [{ limit: 2 }, ['1', '2']],
    [{ limit: 0 }, []],
    [{ limit: 2, since: day(3) }, ['3', '4']],
    [{ only: ['2', '4', '5'], limit: 2 }, ['2', '4']],
  ])('%j', (rules, ids) => {
    expect(kept(rules, export5)).toEqual(ids);
  });

  it('a ticket that is left out has the rule that leaves it out as its reason', () => {
    const why = (rules: SelectionRules, change: Partial<SelectableTicket> = {}) =>
      createSelection(rules).skip({ externalId: '1', createdAt: day(3), ...change });
    expect(why({}, { excluded: 'spam' })).toBe('spam');
    expect(why({ only: ['2'] })).toBe('not in --only');
    expect(why({ since: day(4) })).toBe('created before --since');
    expect(why({ until: day(3) })).toBe('created after --until');
    expect(why({ limit: 0 })).toBe('beyond --limit');
  });

  it('a ticket without a time is selected, so that its rejection is seen', () => {
    expect(kept({ since: day(3), until: day(4) }, [{ externalId: 'x' }])).toEqual(['x']);
  });

  it('a record without an ID is in the part unless ids are asked for', () => {
    expect(kept({ limit: 1 }, [{}, { externalId: 'x' }])).toEqual([undefined]);
    expect(kept({ only: ['x'] }, [{}, { externalId: 'x' }])).toEqual(['x']);
  });

  it('requested ids that are missing are reported, excluded ones are not', () => {
    const selection = createSelection({ only: ['9', '1', '2', '8'] });
    for (const one of export5) selection.skip(one.externalId === '2' ? { ...one, excluded: 'spam' } : one);
    expect(selection.missing()).toEqual(['9', '8']);
  });
});
