/**
 * A ticket's record as a row of the table `ticket`, and back. Small: most of a checkpoint is these rows, so states are
 * numbers and digests are bytes. The numbers are part of the file format and never change their meaning.
 */

import { AppError } from '../domain/errors.ts';
import type { CreateIntent, TicketProblem, TicketRecord } from '../domain/ledger.ts';
import type { Fingerprints } from '../domain/ticket.ts';
import { TICKET_STATES, type TicketState } from '../domain/ticket-state.ts';
import { BatchInsert } from '../sqlite/batch-insert.ts';
import type { Database, Statement } from '../sqlite/database.ts';

const STATE_CODES: Record<TicketState, number> = {
  pending: 0,
  creating: 1,
  created: 2,
  messaged: 3,
  done: 4,
  rejected: 5,
  failed: 6,
  inDoubt: 7,
  skipped: 8,
};
const REACHED: readonly TicketRecord['reached'][] = ['nothing', 'created', 'messaged', 'done'];
/** Added to the number of `reached` while a delta replaces the ticket's messages. */
const REOPENED = 8;

/** The columns of a row in the order of every statement. */
export const COLUMNS = 'external_id, state, reached, ticket_id, thread, fingerprints, problem, origin';

type TicketRow = [
  key: string,
  state: number,
  reached: number,
  ticketId: string | null,
  thread: Buffer | null,
  fingerprints: Buffer | null,
  problem: string | null,
  origin: Buffer | null,
];

/** A row as it is read: with the intent of a create whose outcome is unknown. */
export type ReadRow = [...TicketRow, intent: string | null];

export function stateCode(state: TicketState): number {
  return STATE_CODES[state];
}

export function stateOfCode(code: number): TicketState {
  const state = TICKET_STATES.find((name) => STATE_CODES[name] === code);
  if (state === undefined)
    throw new AppError('checkpoint', `The checkpoint holds an unknown state: ${code}.`);
  return state;
}

/** The first columns of a row, which say how far the ticket has come. */
export function stepOf(record: TicketRecord): [string, number, number, string | null, Buffer | null] {
  return [
    keyOfId(record.externalId),
    STATE_CODES[record.state],
    REACHED.indexOf(record.reached) + (record.reopened === true ? REOPENED : 0),
    record.ticketId ?? null,
    bytesOrNull(record.thread),
  ];
}

export function rowOf(record: TicketRecord): TicketRow {
  return [
    ...stepOf(record),
    record.fingerprints === undefined ? null : bytesOf(record.fingerprints),
    record.problem === undefined ? null : JSON.stringify(record.problem),
    bytesOrNull(record.origin),
  ];
}

export function recordOf(row: ReadRow): TicketRecord {
  const [key, state, reached, ticketId, thread, fingerprints, problem, origin, intent] = row;
  return {
    externalId: idOfKey(key),
    state: stateOfCode(state),
    reached: REACHED[reached % REOPENED] ?? 'nothing',
    ticketId: ticketId ?? undefined,
    fingerprints: fingerprints === null ? undefined : fingerprintsOf(fingerprints),
    problem: problem === null ? undefined : (JSON.parse(problem) as TicketProblem),
    intent: intent === null ? undefined : (JSON.parse(intent) as CreateIntent),
    origin: origin?.toString('hex'),
    thread: thread?.toString('hex'),
    ...(reached >= REOPENED ? { reopened: true as const } : {}),
  };
}

/** Marks a key that is the JSON of the id and not the id itself. */
const ESCAPED = '\u0000json:';

/**
 * The key under which an external id stands. SQLite stores UTF-8, which has no lone surrogates: two ids that differ only
 * in one would become the same key, and the second ticket would be taken for the first. Such ids are stored as JSON.
 */
export function keyOfId(externalId: string): string {
  return externalId.isWellFormed() && !externalId.startsWith(ESCAPED)
    ? externalId
    : ESCAPED + JSON.stringify(externalId);
}

export function idOfKey(key: string): string {
  return key.startsWith(ESCAPED) ? (JSON.parse(key.slice(ESCAPED.length)) as string) : key;
}

function bytesOrNull(hex: string | undefined): Buffer | null {
  return hex === undefined ? null : Buffer.from(hex, 'hex');
}

function bytesOf(fingerprints: Fingerprints): Buffer {
  const { ticket, messages, events, fields = '' } = fingerprints;
  return Buffer.from(ticket + messages + events + fields, 'hex');
}

function fingerprintsOf(bytes: Buffer): Fingerprints {
  const hex = bytes.toString('hex');
  return {
    ticket: hex.slice(0, 16),
    messages: hex.slice(16, 32),
    events: hex.slice(32, 48),
    ...(hex.length > 48 ? { fields: hex.slice(48) } : {}),
  };
}

// The table `intent`: what would tell a ticket whose create has an unknown outcome. The only texts of the export that the
// checkpoint ever holds stand here, and only while they are needed.
//
// It is a table of its own so that they can truly go. SQLite moves cells from page to page as a table grows, and leaves
// copies of them in the unused part of a page; `secure_delete` overwrites what is deleted, not what was moved. A table that is
// emptied whole has all its pages overwritten. So a settled intent is taken out with others, when a statement for many is full,
// and when the checkpoint is closed the table is emptied and those that are still open are put back.

/** Settled intents that are taken out by one statement. */
const AT_ONCE = 64;

export class IntentWriter {
  readonly #put: BatchInsert;
  readonly #remove: Statement<string[]>;
  /** Of tickets whose intent stands in the table. */
  readonly #open = new Set<string>();
  /** Of those that are settled. */
  readonly #settled = new Set<string>();

  constructor(db: Database) {
    this.#put = new BatchInsert(
      db,
      'INSERT INTO intent (external_id, intent)',
      2,
      'ON CONFLICT (external_id) DO UPDATE SET intent = excluded.intent',
    );
    const keys = Array.from({ length: AT_ONCE }, () => '?').join(', ');
    this.#remove = db.prepare(`DELETE FROM intent WHERE external_id IN (${keys})`);
  }

  /** Within the caller's transaction; written with `flush` at the latest. */
  put({ externalId, intent }: TicketRecord): void {
    const key = keyOfId(externalId);
    if (intent === undefined) {
      if (this.#open.delete(key)) this.#settled.add(key);
      return;
    }
    this.#put.add(key, JSON.stringify(intent));
    this.#open.add(key);
    this.#settled.delete(key);
  }

  flush(): void {
    this.#put.flush();
    if (this.#settled.size < AT_ONCE) return;
    const settled = [...this.#settled];
    for (let at = 0; at + AT_ONCE <= settled.length; at += AT_ONCE) {
      const some = settled.slice(at, at + AT_ONCE);
      this.#remove.run(...some);
      for (const key of some) this.#settled.delete(key);
    }
  }
}

/** Overwrites the text of every intent that is settled. */
export function clearSettledIntents(db: Database): void {
  db.transaction(() => {
    const open = db
      .prepare<[], [string, string]>(
        `SELECT intent.external_id, intent.intent FROM intent JOIN ticket USING (external_id)
         WHERE state IN (${stateCode('creating')}, ${stateCode('inDoubt')})`,
      )
      .raw()
      .all();
    db.exec('DELETE FROM intent');
    const put = new BatchInsert(db, 'INSERT INTO intent (external_id, intent)', 2);
    for (const row of open) put.add(...row);
    put.flush();
  }).immediate();
}
