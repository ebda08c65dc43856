/** A ticket as a row of the checkpoint, and which row may follow which. */
import { AppError } from '../domain/errors.ts';
import type { SentCreate, TicketProblem, TicketRecord } from '../domain/ledger.ts';
import type { Fingerprints } from '../domain/ticket.ts';
import { mayBecome, type TicketState } from '../domain/ticket-state.ts';

export type TicketRow = [
  key: string,
  state: TicketState,
  ticketId: string | null,
  fingerprints: Buffer | null,
  origin: Buffer | null,
  thread: Buffer | null,
  problem: string | null,
  sent: string | null,
  reopened: number,
];

export const TICKET_COLUMNS =
  'external_id, state, ticket_id, fingerprints, origin, thread, problem, sent, reopened';

export function rowOf(record: TicketRecord): TicketRow {
  const { externalId, state, ticketId, fingerprints, origin, thread, problem, sent, reopened } = record;
  return [
    keyOfId(externalId),
    state,
    ticketId ?? null,
    fingerprints === undefined ? null : bytesOf(fingerprints),
    origin === undefined ? null : Buffer.from(origin, 'hex'),
    thread === undefined ? null : Buffer.from(thread, 'hex'),
    problem === undefined ? null : JSON.stringify(problem),
    sent === undefined ? null : JSON.stringify(sent),
    reopened === true ? 1 : 0,
  ];
}

export function recordOfRow(row: TicketRow): TicketRecord {
  const [key, state, ticketId, fingerprints, origin, thread, problem, sent, reopened] = row;
  return {
    externalId: idOfKey(key),
    state,
    ticketId: ticketId ?? undefined,
    fingerprints: fingerprints === null ? undefined : fingerprintsOf(fingerprints),
    origin: origin?.toString('hex'),
    thread: thread?.toString('hex'),
    problem: problem === null ? undefined : (JSON.parse(problem) as TicketProblem),
    sent: sent === null ? undefined : (JSON.parse(sent) as SentCreate),
    reopened: reopened === 1 ? true : undefined,
  };
}

/** Three digests of 8 bytes, and those of the ticket's own fields. */
function bytesOf({ ticket, messages, events, fields = '' }: Fingerprints): Buffer {
  return Buffer.from(ticket + messages + events + fields, 'hex');
}

function fingerprintsOf(bytes: Buffer): Fingerprints {
  const part = (at: number, end?: number) => bytes.toString('hex', at, end);
  const fields = part(24);
  return {
    ticket: part(0, 8),
    messages: part(8, 16),
    events: part(16, 24),
    ...(fields === '' ? {} : { fields }),
  };
}

/** States in which the target has the ticket. */
const IN_TARGET: ReadonlySet<TicketState> = new Set(['created', 'done']);
/** States in which it may have no ticket of its own there. */
const WITHOUT_ID: ReadonlySet<TicketState> = new Set(['pending', 'creating', 'inDoubt']);

/**
 * Throws AppError `internal` for a record that cannot follow the one before: a defect of the caller. A ticket that the target has
 * never becomes `creating`, nor another ticket of the target, which would create it twice.
 */
export function requirePossible(before: TicketRecord, after: TicketRecord): void {
  const from = before.state;
  const hasId = after.ticketId !== undefined;
  const isOwn = before.ticketId === undefined || before.ticketId === after.ticketId;
  const isGivenUp = !hasId && (after.state === 'inDoubt' || after.state === 'pending');
  if (
    mayBecome(from, after.state) &&
    !(IN_TARGET.has(after.state) && !hasId) &&
    !(WITHOUT_ID.has(after.state) && hasId) &&
    !(from === 'done' && after.state === 'created' && after.reopened === undefined) &&
    (isOwn || isGivenUp)
  )
    return;
  throw new AppError(
    'internal',
    `The checkpoint cannot record ticket ${after.externalId}, which is "${from}", as "${after.state}".`,
  );
}

/** Marks a key that is the JSON of the id and not the id itself. */
const ESCAPED = '\u0000json:';

/**
 * The key of an external id. SQLite stores UTF-8, which has no lone surrogates: two ids that differ only in one would become the
 * same key, and the second ticket would be taken for the first. Such ids are stored as JSON.
 */
export function keyOfId(externalId: string): string {
  return externalId.isWellFormed() && !externalId.startsWith(ESCAPED)
    ? externalId
    : ESCAPED + JSON.stringify(externalId);
}

export function idOfKey(key: string): string {
  return key.startsWith(ESCAPED) ? (JSON.parse(key.slice(ESCAPED.length)) as string) : key;
}
