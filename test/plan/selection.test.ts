import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  createSelection,
  type SelectableTicket,
  type SelectionRules,
  shardKey,
  shardOf,
} from '../../src/plan/selection.ts';

const day = (n: number) => Date.UTC(2024, 0, n);

function kept(rules: SelectionRules, tickets: readonly SelectableTicket[]): (string | undefined)[] {
  const selection = createSelection(rules);
  return tickets.filter((one) => selection.skip(one) === undefined).map((one) => one.externalId);
}

const export5: SelectableTicket[] = [1, 2, 3, 4, 5].map((n) => ({
  seq: n - 1,
  externalId: `${n}`,
  email: `user${n % 2}@example.com`,
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

  it('says why', () => {
    const why = (rules: SelectionRules, change: Partial<SelectableTicket> = {}) =>
      createSelection(rules).skip({ seq: 0, externalId: '1', createdAt: day(3), ...change });
    expect(why({}, { excluded: 'spam' })).toBe('spam');
    expect(why({ only: ['2'] })).toBe('not in --only');
    expect(why({ since: day(4) })).toBe('created before --since');
    expect(why({ until: day(3) })).toBe('created after --until');
    expect(why({ limit: 0 })).toBe('beyond --limit');
    expect([1, 2].map((index) => why({ shard: { index, count: 2 } }))).toContain('in another shard');
  });

  it('a ticket whose time is not known is left in, to be rejected in the open', () => {
    expect(kept({ since: day(3), until: day(4) }, [{ seq: 0, externalId: 'x' }])).toEqual(['x']);
  });

  it('a record without an id is in the part unless ids are asked for', () => {
    expect(kept({ limit: 1 }, [{ seq: 0 }, { seq: 1, externalId: 'x' }])).toEqual([undefined]);
    expect(kept({ only: ['x'] }, [{ seq: 0 }, { seq: 1, externalId: 'x' }])).toEqual(['x']);
  });

  it('requested ids that are missing are reported, excluded ones are not', () => {
    const selection = createSelection({ only: ['9', '1', '2', '8'] });
    for (const one of export5) selection.skip(one.externalId === '2' ? { ...one, excluded: 'spam' } : one);
    expect(selection.missing()).toEqual(['9', '8']);
  });
});

describe('shards', () => {
  it('are the same today and tomorrow', () => {
    expect(shardOf('e:ann@example.com', 7)).toMatchInlineSnapshot(`7`);
    expect(shardOf('i:4711', 1024)).toMatchInlineSnapshot(`429`);
  });

  it.each<[Parameters<typeof shardKey>[0], string]>([
    [{ seq: 1, externalId: 'x', email: 'a@b.example', contactId: 'c' }, 'e:a@b.example'],
    [{ seq: 1, externalId: 'x', contactId: 'c' }, 'c:c'],
    [{ seq: 1, externalId: 'x' }, 'i:x'],
    [{ seq: 1 }, 'n:1'],
  ])('are cut by the requester: %j', (one, key) => {
    expect(shardKey(one)).toBe(key);
  });

  it('every ticket is in exactly one, and those of a requester are in the same', () => {
    const tickets = fc.array(
      fc.record({
        externalId: fc.option(fc.string(), { nil: undefined }),
        email: fc.option(fc.constantFrom('a@x.example', 'b@x.example', 'c@x.example', 'd@x.example'), {
          nil: undefined,
        }),
      }),
    );
    fc.assert(
      fc.property(tickets, fc.integer({ min: 1, max: 9 }), (list, count) => {
        const home = new Map<string, number>();
        list.forEach((one, seq) => {
          const shards = Array.from({ length: count }, (_, i) => i + 1).filter(
            (index) => createSelection({ shard: { index, count } }).skip({ ...one, seq }) === undefined,
          );
          expect(shards.length).toBe(1);
          if (one.email === undefined) return;
          expect(home.get(one.email) ?? shards[0]).toBe(shards[0]);
          home.set(one.email, shards[0] ?? 0);
        });
      }),
      { numRuns: 50 },
    );
  });

  it('are even', () => {
    const sizes = [0, 0, 0, 0, 0];
    for (let n = 0; n < 10_000; n++) {
      const index = shardOf(`e:user${n}@example.com`, 5) - 1;
      sizes[index] = (sizes[index] ?? 0) + 1;
    }
    for (const size of sizes) expect(Math.abs(size - 2000)).toBeLessThan(200);
  });
});
