import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SeenIds } from '../../src/checkpoint/seen-ids.ts';

describe('ids that were never recorded', () => {
  it('an id that was added is never taken for a new one', () => {
    fc.assert(
      fc.property(fc.array(fc.string()), (ids) => {
        const seen = new SeenIds();
        for (const id of ids) seen.add(id);
        for (const id of ids) expect(seen.mayHave(id)).toBe(true);
      }),
    );
  });

  it.each([
    ['numbers in a row', (index: number) => String(index)],
    ['padded numbers', (index: number) => `T-${String(index).padStart(9, '0')}`],
    ['UUIDs', (index: number) => `0f8fad5b-d9cb-469f-a165-${(index * 7919).toString(16).padStart(12, '0')}`],
  ])('of %s nearly all are told apart: one in twenty at most needs a query', (_, idOf) => {
    const seen = new SeenIds();
    for (let index = 0; index < 200_000; index++) seen.add(idOf(index));
    let maybe = 0;
    for (let index = 200_000; index < 220_000; index++) if (seen.mayHave(idOf(index))) maybe++;
    expect(maybe).toBeLessThan(1000);
  });
});
