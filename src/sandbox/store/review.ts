/**
 * Notes of an import for the pages: tickets and records that were not imported, with reason and rows, and the tickets of a trial with
 * their source, for a person to accept. The import writes them at its end.
 */
import type { Sql } from './database.ts';

export const LEFT_OUT = ['rejected', 'failed', 'in-doubt'] as const;
export type LeftOutcome = (typeof LEFT_OUT)[number];

/** A row of the source: its place, and its fields in order. */
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

interface TrialTicket {
  readonly ticket_id: string;
  readonly external_id: string;
  readonly subject: string;
  /** Why the trial has it. */
  readonly why: readonly string[];
  readonly checks: readonly { readonly name: string; readonly ok: boolean; readonly detail: string }[];
  /** What a person should check. */
  readonly look: readonly string[];
  readonly rows: readonly SourceRow[];
}

export type KeptTrialTicket = TrialTicket & { readonly accepted_ms: number | null };

export class Review {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /** Records without an ID are identified by their place, which a corrected export may change: they are removed. */
  begin(): void {
    this.#sql.write(() => this.#sql.run('DELETE FROM left_out WHERE external_id IS NULL'));
  }

  leave({ rows, ...left }: LeftOut): void {
    this.#sql.write(() => {
      if (left.external_id !== null) this.arrived(left.external_id);
      this.#sql.run(
        `INSERT INTO left_out (external_id, outcome, subject, reason, place, ticket_id, rows)
         VALUES (@external_id, @outcome, @subject, @reason, @place, @ticket_id, @rows)`,
        { ...left, rows: JSON.stringify(rows) },
      );
    });
  }

  arrived(externalId: string): void {
    this.#sql.write(() => this.#sql.run('DELETE FROM left_out WHERE external_id = ?', externalId));
  }

  counts(): Readonly<Partial<Record<LeftOutcome, number>>> {
    const rows = this.#sql.all<{ outcome: LeftOutcome; number: number }>(
      'SELECT outcome, count(*) AS number FROM left_out GROUP BY outcome',
    );
    return Object.fromEntries(rows.map(({ outcome, number }) => [outcome, number]));
  }

  page(outcome: LeftOutcome | undefined, take: number, offset: number): LeftOut[] {
    const within = outcome === undefined ? LEFT_OUT : [outcome];
    return this.#sql
      .all<Omit<LeftOut, 'rows'> & { rows: string }>(
        `SELECT * FROM left_out WHERE outcome IN (${within.map(() => '?').join(', ')}) ORDER BY seq LIMIT ? OFFSET ?`,
        ...within,
        take,
        offset,
      )
      .map((row) => ({ ...row, rows: JSON.parse(row.rows) as SourceRow[] }));
  }

  /** An accepted ticket stays accepted unless its source or its checks change. */
  keepTrial({ ticket_id, ...ticket }: TrialTicket): void {
    this.#sql.write(() =>
      this.#sql.run(
        `INSERT INTO trial_tickets (ticket_id, body) VALUES (?, ?)
         ON CONFLICT DO UPDATE SET body = excluded.body,
           accepted_ms = CASE WHEN body = excluded.body THEN accepted_ms END`,
        ticket_id,
        JSON.stringify(ticket),
      ),
    );
  }

  trial(): KeptTrialTicket[] {
    const rows = this.#sql.all<{ ticket_id: string; body: string; accepted_ms: number | null }>(
      'SELECT ticket_id, body, accepted_ms FROM trial_tickets ORDER BY seq',
    );
    return rows.map(({ body, ...row }) => ({
      ...(JSON.parse(body) as Omit<TrialTicket, 'ticket_id'>),
      ...row,
    }));
  }

  /** Null takes it back. Returns false for a ticket of no trial. */
  accept(ticketId: string, at: number | null): boolean {
    return this.#sql.write(
      () =>
        this.#sql.run('UPDATE trial_tickets SET accepted_ms = ? WHERE ticket_id = ?', at, ticketId).changes >
        0,
    );
  }
}
