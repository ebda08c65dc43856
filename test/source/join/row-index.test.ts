import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Claim, RowIndex } from '../../../src/source/join/row-index.ts';

const claim = (id: string, line: number): Claim => ({
  id,
  ref: { file: 0, offset: line * 10, length: 9, line },
});

describe('ids of tickets', () => {
  it('the first row of an id holds it, however many there are', () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(fc.integer({ min: 0, max: 1500 }), { maxLength: 600, size: 'max' }), {
          maxLength: 6,
          size: 'max',
        }),
        (chunks) => {
          using index = new RowIndex();
          const first = new Map<string, Claim>();
          let line = 0;
          for (const chunk of chunks) {
            const given = chunk.map((id) => claim(`T-${id}`, ++line));
            const isNew = given.map(({ id }) => !first.has(id));
            const areFirst = new Set(chunk).size === chunk.length && isNew.every(Boolean);
            for (const one of given) if (!first.has(one.id)) first.set(one.id, one);
            expect(index.claim(given, 0)).toBe(areFirst);
            for (const { id, ref } of given) {
              const holder = first.get(id)?.ref;
              const { file, offset, line: at } = holder ?? ref;
              expect(index.otherHolder(id, ref)).toEqual(
                holder === ref ? undefined : expect.objectContaining({ file, offset, line: at }),
              );
            }
          }
          expect(index.isContested).toBe(first.size < line);
        },
      ),
      { numRuns: 20 },
    );
  });

  it('the greatest version of an id holds it', () => {
    using index = new RowIndex();
    index.claim([claim('T-2', 2)], 0);
    index.claimVersion('T-9', claim('T-9', 20).ref, 1, 0);
    index.claimVersion('T-9', claim('T-9', 21).ref, 2, 0);
    expect(index.isContested).toBe(true);
    expect(index.otherHolder('T-9', claim('T-9', 20).ref)).toMatchObject({ line: 21 });
    expect(index.otherHolder('T-2', claim('T-2', 30).ref)).toMatchObject({ line: 2 });
  });
});
