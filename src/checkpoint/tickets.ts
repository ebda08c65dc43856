/** The tickets of the checkpoint. Every statement ends before its method returns: none keeps a cursor open over other code. */
import { AppError } from '../domain/errors.ts';
import type { SentCreate, TicketProblem, TicketRecord } from '../domain/ledger.ts';
import type { Fingerprints } from '../domain/ticket.ts';
import { mayBecome, TICKET_STATES, type TicketState } from '../domain/ticket-state.ts';
import type { Database, Statement } from '../sqlite/database.ts';

type Row = [
  key: string,
  state: TicketState,
  reached: TicketRecord['reached'],
  ticketId: string | null,
  fingerprints: Buffer | null,
  origin: Buffer | null,
  thread: Buffer | null,
  problem: string | null,
  sent: string | null,
  reopened: number,
];

const COLUMNS =
  'external_id, state, reached, ticket_id, fingerprints, origin, thread, problem, sent, reopened';
const READ = `SELECT ${COLUMNS} FROM ticket`;
/** Records read at a time when iterating. */
const PAGE = 500;
/** States in which the target has the ticket. */
const IN_TARGET: ReadonlySet<TicketState> = new Set(['created', 'messaged', 'done']);
/** States in which it may have no ticket of its own there. */
const WITHOUT_ID: ReadonlySet<TicketState> = new Set(['pending', 'creating', 'inDoubt']);

/** What is known of tickets; the base of all that reads a checkpoint. */
export class TicketTable {
  readonly db: Database;
  readonly #get: Statement<[string], Row>;
  readonly #has: Statement<[string], number>;
  readonly #owner: Statement<[string], string>;

  constructor(db: Database) {
    this.db = db;
    this.#get = db.prepare<[string], Row>(`${READ} WHERE external_id = ?`).raw();
    this.#has = db.prepare<[string], number>('SELECT 1 FROM ticket WHERE external_id = ?').pluck();
    this.#owner = db
      .prepare<[string], string>('SELECT external_id FROM ticket WHERE ticket_id = ? LIMIT 1')
      .pluck();
  }

  get(externalId: string): TicketRecord | undefined {
    const row = this.#get.get(keyOfId(externalId));
    return row && recordOf(row);
  }

  /** How many tickets it knows. */
  size(): number {
    return this.db.prepare<[], number>('SELECT count(*) FROM ticket').pluck().get() as number;
  }

  has(externalId: string): boolean {
    return this.#has.get(keyOfId(externalId)) !== undefined;
  }

  ownerOf(ticketId: string): string | undefined {
    const key = this.#owner.get(ticketId);
    return key === undefined ? undefined : idOfKey(key);
  }

  /** How many tickets have an id in the target; of those the ones that were changed last, and some others. */
  inTarget(newest: number): { count: number; newest: TicketRecord[]; others: TicketRecord[] } {
    const count = this.db.prepare<[], number>('SELECT count(ticket_id) FROM ticket').pluck().get() as number;
    const some = (order: string) =>
      this.db
        .prepare<[], Row>(`${READ} WHERE ticket_id IS NOT NULL ORDER BY ${order}`)
        .raw()
        .all()
        .map(recordOf);
    const latest = some(`updated_at DESC LIMIT ${newest}`);
    const known = new Set(latest.map(({ externalId }) => externalId));
    const others = [
      ...some('external_id LIMIT 1'),
      ...some(`external_id LIMIT 1 OFFSET ${Math.floor(count / 2)}`),
    ];
    return { count, newest: latest, others: others.filter(({ externalId }) => !known.has(externalId)) };
  }

  counts(): Record<TicketState, number> {
    const counts = Object.fromEntries(TICKET_STATES.map((state) => [state, 0])) as Record<
      TicketState,
      number
    >;
    const rows = this.db
      .prepare<[], [TicketState, number]>('SELECT state, count(*) FROM ticket GROUP BY state')
      .raw();
    for (const [state, count] of rows.all()) counts[state] = count;
    return counts;
  }

  /** Records in these states, by external id, `limit` at most, behind `after`. */
  page(states: readonly TicketState[], limit: number, after?: string): TicketRecord[] {
    const behind = after === undefined ? '' : 'AND external_id > ?';
    return this.db
      .prepare<string[], Row>(
        `${READ} WHERE state IN (${listOf(states)}) ${behind} ORDER BY external_id LIMIT ${limit}`,
      )
      .raw()
      .all(...(after === undefined ? [] : [keyOfId(after)]))
      .map(recordOf);
  }

  *inStates(states: readonly TicketState[]): IterableIterator<TicketRecord> {
    let page = this.page(states, PAGE);
    while (page.length > 0) {
      yield* page;
      page = page.length < PAGE ? [] : this.page(states, PAGE, page.at(-1)?.externalId);
    }
  }

  /** How many tickets in these states were last changed in each second since the epoch. */
  changesBySecond(states: readonly TicketState[]): { second: number; tickets: number }[] {
    return this.db
      .prepare<[], { second: number; tickets: number }>(
        `SELECT updated_at AS second, count(*) AS tickets FROM ticket WHERE state IN (${listOf(states)})
         GROUP BY updated_at ORDER BY updated_at`,
      )
      .all();
  }
}

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

/** Writes records whole. */
export class TicketWriter {
  readonly #put: Statement<[...Row, number]>;

  constructor(db: Database) {
    this.#put = db.prepare(
      `INSERT OR REPLACE INTO ticket (${COLUMNS}, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    );
  }

  /** `at` in seconds since the epoch. */
  put(record: TicketRecord, at: number): void {
    const { externalId, state, reached, ticketId, fingerprints, origin, thread, problem, sent, reopened } =
      record;
    this.#put.run(
      keyOfId(externalId),
      state,
      reached,
      ticketId ?? null,
      fingerprints === undefined ? null : bytesOf(fingerprints),
      origin === undefined ? null : Buffer.from(origin, 'hex'),
      thread === undefined ? null : Buffer.from(thread, 'hex'),
      problem === undefined ? null : JSON.stringify(problem),
      sent === undefined ? null : JSON.stringify(sent),
      reopened === true ? 1 : 0,
      at,
    );
  }
}

function recordOf(row: Row): TicketRecord {
  const [key, state, reached, ticketId, fingerprints, origin, thread, problem, sent, reopened] = row;
  return {
    externalId: idOfKey(key),
    state,
    reached,
    ticketId: ticketId ?? undefined,
    fingerprints: fingerprints === null ? undefined : fingerprintsOf(fingerprints),
    origin: origin?.toString('hex'),
    thread: thread?.toString('hex'),
    problem: problem === null ? undefined : (JSON.parse(problem) as TicketProblem),
    sent: sent === null ? undefined : (JSON.parse(sent) as SentCreate),
    ...(reopened === 1 ? { reopened: true as const } : {}),
  };
}

/** Three digests of 8 bytes, and those of the ticket's own fields. */
function bytesOf({ ticket, messages, events, fields = '' }: Fingerprints): Buffer {
  return Buffer.from(ticket + messages + events + fields, 'hex');
}

function fingerprintsOf(bytes: Buffer): Fingerprints {
  const [ticket, messages, events, fields] = [0, 8, 16, 24].map((at) =>
    bytes.toString('hex', at, at < 24 ? at + 8 : undefined),
  ) as [string, string, string, string];
  return { ticket, messages, events, ...(fields === '' ? {} : { fields }) };
}

function listOf(states: readonly TicketState[]): string {
  return states.map((state) => `'${state}'`).join(', ');
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
