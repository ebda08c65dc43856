import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { shardShare } from '../../src/settings/resolve-settings.ts';

describe("a shard's share of the request budget", () => {
  it.each([
    [{ index: 1, count: 1 }, '1000/60 5000/300'],
    [{ index: 1, count: 3 }, '334/60 1667/300'],
    [{ index: 3, count: 3 }, '333/60 1666/300'],
    [{ index: 5, count: 4000 }, '1/240 2/300'],
  ])('of %o is %s', (shard, expected) => {
    const share = shardShare(
      [
        { requests: 1000, seconds: 60 },
        { requests: 5000, seconds: 300 },
      ],
      shard,
    );
    expect(share.map(({ requests, seconds }) => `${requests}/${seconds}`).join(' ')).toBe(expected);
  });

  it('all shares together never exceed the budget, and use it up where there are fewer shards than requests', () => {
    const budget = fc.record({
      requests: fc.integer({ min: 1, max: 10_000 }),
      seconds: fc.integer({ min: 1, max: 3600 }),
    });
    fc.assert(
      fc.property(budget, fc.integer({ min: 1, max: 300 }), (rate, count) => {
        const shares = Array.from(
          { length: count },
          (_, at) => shardShare([rate], { index: at + 1, count })[0],
        );
        const perSecond = shares.reduce((sum, share) => sum + share!.requests / share!.seconds, 0);
        expect(perSecond).toBeLessThanOrEqual(rate.requests / rate.seconds + 1e-9);
        if (rate.requests >= count)
          expect(shares.reduce((sum, share) => sum + share!.requests, 0)).toBe(rate.requests);
      }),
    );
  });
});
