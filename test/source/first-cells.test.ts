import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cellsOf, firstCells } from '../../src/source/csv/csv-scanner.ts';

describe('the first cells of a record alone', () => {
  it('are those that reading the whole record gives, wherever they are given', () => {
    const cell = fc.oneof(
      fc.constantFrom('', 'T-1', ' x ', 'a"b', 'é', '東京'),
      fc.string({ maxLength: 12 }).map((text) => text.replace(/[\r\n,"]/g, '')),
      fc.constantFrom('"quoted"', '"with , inside"', '"doubled "" quote"'),
    );
    fc.assert(
      fc.property(
        fc.array(cell, { minLength: 1, maxLength: 6 }),
        fc.integer({ min: 0, max: 7 }),
        (cells, wanted) => {
          const text = cells.join(',');
          const bytes = Buffer.from(`before\n${text}\nbehind,it`);
          const start = 7;
          const found = firstCells(bytes, start, start + Buffer.byteLength(text), ',', wanted);
          if (found === undefined) return;
          expect(found).toEqual(cellsOf(text, ',', text.includes('"')).slice(0, wanted));
        },
      ),
      { numRuns: 2000 },
    );
  });

  it('are given whenever none of them is quoted, and not where one is', () => {
    const bytes = Buffer.from('T-1,b,"c, d"');
    expect(firstCells(bytes, 0, bytes.length, ',', 2)).toEqual(['T-1', 'b']);
    expect(firstCells(bytes, 0, bytes.length, ',', 3)).toBeUndefined();
    expect(firstCells(bytes, 0, 3, ',', 2)).toEqual(['T-1']);
  });
});
