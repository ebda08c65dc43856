/**
 * Notes of an import for the pages: tickets and records that were not imported, with reason and rows. The import writes
 * them at its end.
 */
import { Table } from './database.ts';

export const LEFT_OUT = ['rejected', 'failed', 'in-doubt'] as const;
export type LeftOutcome = (typeof LEFT_OUT)[number];

/** A row of the source: its place, and its fields in column order. */
export interface SourceRow {
  readonly place: string;
  readonly fields: readonly (readonly [name: string, value: string])[];
}

interface LeftOut {
  /** External ID; null for a record without one. */
  readonly external_id: string | null;
  readonly outcome: LeftOutcome;
  readonly subject: string | null;
  readonly reason: string;
  /** File and line. */
  readonly place: string;
  /** Its ID here, if a part of it was imported. */
  readonly ticket_id: string | null;
  readonly rows: readonly SourceRow[];
}

export class Review extends Table {
  /** Records without an ID are identified by their place, which a corrected export may change: they are removed. */
  begin(): void {
    this.sql.write(() => this.sql.run('DELETE FROM left_out WHERE external_id IS NULL'));
  }

  leave({ rows, ...left }: LeftOut): void {
    this.sql.write(() => {
      if (left.external_id !== null) this.arrived(left.external_id);
      this.sql.insert('left_out', { ...left, rows: JSON.stringify(rows) });
    });
  }

  arrived(externalId: string): void {
    this.sql.write(() => this.sql.run('DELETE FROM left_out WHERE external_id = ?', externalId));
  }

  counts(): Readonly<Partial<Record<LeftOutcome, number>>> {
    const rows = this.sql.all<{ outcome: LeftOutcome; number: number }>(
      'SELECT outcome, count(*) AS number FROM left_out GROUP BY outcome',
    );
    return Object.fromEntries(rows.map(({ outcome, number }) => [outcome, number]));
  }

  page(outcome: LeftOutcome | undefined, take: number, offset: number): LeftOut[] {
    const within = outcome === undefined ? LEFT_OUT : [outcome];
    return this.sql
      .all<Omit<LeftOut, 'rows'> & { rows: string }>(
        `SELECT * FROM left_out WHERE outcome IN (${within.map(() => '?').join(', ')}) ORDER BY seq LIMIT ? OFFSET ?`,
        ...within,
        take,
        offset,
      )
      .map((row) => ({ ...row, rows: JSON.parse(row.rows) as SourceRow[] }));
  }
}
