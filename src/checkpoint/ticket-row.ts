/**
 * A ticket's record as a row of the table `ticket`, and back. Small: most of a checkpoint is these rows, so states are
 * numbers and digests are bytes. The numbers are part of the file format and never change their meaning.
 */

import { AppError } from '../domain/errors.ts';
import type { CreateIntent, TicketProblem, TicketRecord } from '../domain/ledger.ts';
import type { Fingerprints } from '../domain/ticket.ts';
import { TICKET_STATES, type TicketState } from '../domain/ticket-state.ts';

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

export type TicketRow = [
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
  return Buffer.from(fingerprints.ticket + fingerprints.messages + fingerprints.events, 'hex');
}

function fingerprintsOf(bytes: Buffer): Fingerprints {
  const hex = bytes.toString('hex');
  return { ticket: hex.slice(0, 16), messages: hex.slice(16, 32), events: hex.slice(32, 48) };
}
