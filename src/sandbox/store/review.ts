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
  readonly advice: string;
  readonly place: string;
  readonly ticket_id: string | null;
  readonly rows: readonly SourceRow[];
}

export interface LeftKind {
  readonly count: number;
  readonly tickets: readonly LeftOut[];
}

export class Review extends Table {
  /** A corrected export may change the place of records without an ID, so they are removed. True if others are noted; those may have arrived since. */
  begin(): boolean {
    this.sql.write(() => this.sql.run('DELETE FROM left_out WHERE external_id IS NULL'));
    return Object.keys(this.counts()).length > 0;
  }

  /** Tickets that were left out, and external IDs of tickets that arrived. */
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

  /** Reasons that differ only in quoted words and numbers are one kind; the largest first. */
  kinds(outcome: LeftOutcome | undefined): LeftKind[] {
    const all = this.sql
      .all<Omit<LeftOut, 'rows'> & { rows: string }>('SELECT * FROM left_out ORDER BY outcome, seq')
      .filter((left) => outcome === undefined || left.outcome === outcome)
      .map((row) => ({ ...row, rows: JSON.parse(row.rows) as SourceRow[] }));
    const kindOf = ({ outcome: end, reason }: LeftOut) => `${end} ${reason.replaceAll(/"[^"\n]*"|\d+/g, '')}`;
    return [...Map.groupBy(all, kindOf).values()]
      .map((tickets) => ({ count: tickets.length, tickets }))
      .sort((one, other) => other.count - one.count);
  }
}
