/** Rejected tickets and records with their rows, for the pages. The import writes them at its end. */
import { Table } from './database.ts';

export const LEFT_OUT = ['rejected', 'failed', 'in-doubt'] as const;
export type LeftOutcome = (typeof LEFT_OUT)[number];

export interface SourceRow {
  readonly place: string;
  readonly fields: readonly (readonly [name: string, value: string])[];
}

export interface LeftOut {
  /** Null without an ID. */
  readonly external_id: string | null;
  readonly outcome: LeftOutcome;
  readonly subject: string | null;
  readonly reason: string;
  readonly place: string;
  readonly ticket_id: string | null;
  readonly rows: readonly SourceRow[];
}

export class Review extends Table {
  /** A corrected export may change the place of records without an ID, so they are removed. Whether others are noted, which may have arrived since. */
  begin(): boolean {
    this.sql.write(() => this.sql.run('DELETE FROM left_out WHERE external_id IS NULL'));
    return Object.keys(this.counts()).length > 0;
  }

  /** Those that were left out, and external IDs of those that arrived. */
  note(tickets: readonly (LeftOut | string)[]): void {
    this.sql.write(() => {
      for (const each of tickets) {
        const { rows, ...left } = typeof each === 'string' ? { external_id: each } : each;
        if (left.external_id !== null)
          this.sql.run('DELETE FROM left_out WHERE external_id = ?', left.external_id);
        if (rows !== undefined) this.sql.insert('left_out', { ...left, rows: JSON.stringify(rows) });
      }
    });
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
        `SELECT * FROM left_out WHERE outcome IN (${within.map(() => '?').join(', ')}) ORDER BY outcome, reason, seq LIMIT ? OFFSET ?`,
        ...within,
        take,
        offset,
      )
      .map((row) => ({ ...row, rows: JSON.parse(row.rows) as SourceRow[] }));
  }
}
