import fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { openTempDatabase, TempDatabase } from '../../../src/source/join/temp-database.ts';
import { type Claim, TicketIds } from '../../../src/source/join/ticket-ids.ts';

const claim = (id: string, line: number): Claim => ({
  id,
  ref: { file: 0, offset: line * 10, length: 9, line },
});
const claims = (count: number) => Array.from({ length: count }, (_, at) => claim(`T-${at}`, at));

function open() {
  const database = openTempDatabase();
  onTestFinished(() => void database.close());
  return vi.fn(() => database);
}

describe('ids of tickets', () => {
  it('a small export opens no database for them', () => {
    const opened = open();
    const ids = new TicketIds(opened, false);
    expect(ids.claimAll(claims(999))).toBe(true);
    expect(ids.claimAll([claim('T-1', 5000)])).toBe(false);
    expect(ids.otherHolder('T-1', claim('T-1', 5000).ref)).toMatchObject({ line: 1 });
    expect(opened).toHaveBeenCalledTimes(0);
  });

  it.each([
    ['in memory first', false],
    ['in the table', true],
  ])('the first row of an id holds it, however many there are: %s', (_, inTable) => {
    fc.assert(
      fc.property(
        fc.array(fc.array(fc.integer({ min: 0, max: 1500 }), { maxLength: 600, size: 'max' }), {
          maxLength: 6,
          size: 'max',
        }),
        (chunks) => {
          using database = new TempDatabase();
          const ids = new TicketIds(() => database.connection, inTable);
          const first = new Map<string, Claim>();
          let line = 0;
          for (const chunk of chunks) {
            const given = chunk.map((id) => claim(`T-${id}`, ++line));
            const isNew = given.map(({ id }) => !first.has(id));
            const areFirst = new Set(chunk).size === chunk.length && isNew.every(Boolean);
            for (const one of given) if (!first.has(one.id)) first.set(one.id, one);
            expect(ids.claimAll(given)).toBe(areFirst);
            for (const { id, ref } of given) {
              const holder = first.get(id)?.ref;
              const { file, offset, line: at } = holder ?? ref;
              expect(ids.otherHolder(id, ref)).toEqual(
                holder === ref ? undefined : expect.objectContaining({ file, offset, line: at }),
              );
            }
          }
          expect(ids.contested).toBe(first.size < line);
        },
      ),
      { numRuns: 20 },
    );
  });

  it('versions are compared in the table, with ids that were claimed before', () => {
    const ids = new TicketIds(open(), false);
    ids.claimAll(claims(3));
    ids.claimVersion('T-9', claim('T-9', 20).ref, 1);
    ids.claimVersion('T-9', claim('T-9', 21).ref, 2);
    expect(ids.contested).toBe(true);
    expect(ids.otherHolder('T-9', claim('T-9', 20).ref)).toMatchObject({ line: 21 });
    expect(ids.otherHolder('T-2', claim('T-2', 30).ref)).toMatchObject({ line: 2 });
  });
});
