import type { Database, Statement } from '../domain/database.ts';
import type * as ledgers from '../domain/ledger.ts';
import { stop } from '../domain/text/stops.ts';
import type { Fingerprints } from '../domain/ticket.ts';
import { mayBecome, type TicketState } from '../domain/ticket-state.ts';
import type { Write } from '../domain/turn-commit.ts';

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
  shown: Buffer | null,
];

export const TICKET_COLUMNS =
  'external_id, state, ticket_id, fingerprints, origin, thread, problem, sent, reopened, shown';

export function rowOf(record: ledgers.TicketRecord): TicketRow {
  const { externalId, state, ticketId, fingerprints, origin, thread, problem, sent, reopened, shown } =
    record;
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
    shown === undefined ? null : Buffer.from(shown, 'hex'),
  ];
}

export function recordOfRow(row: TicketRow): ledgers.TicketRecord {
  const [key, state, ticketId, fingerprints, origin, thread, problem, sent, reopened, shown] = row;
  return {
    externalId: idOfKey(key),
    state,
    ticketId: ticketId ?? undefined,
    fingerprints: fingerprints === null ? undefined : fingerprintsOf(fingerprints),
    origin: origin?.toString('hex'),
    thread: thread?.toString('hex'),
    problem: problem === null ? undefined : (JSON.parse(problem) as ledgers.TicketProblem),
    sent: sent === null ? undefined : (JSON.parse(sent) as ledgers.SentCreate),
    reopened: reopened === 1 ? true : undefined,
    shown: shown?.toString('hex'),
  };
}

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

const IN_TARGET: ReadonlySet<TicketState> = new Set(['created', 'done', 'incomplete']);
const WITHOUT_ID: ReadonlySet<TicketState> = new Set([
  'pending',
  'creating',
  'rejected',
  'refused',
  'inDoubt',
]);

/** A ticket with an ID never becomes `creating`, nor another ticket. Throws AppError `internal`: a defect of the caller. */
export function requirePossible(before: ledgers.TicketRecord, after: ledgers.TicketRecord): void {
  const from = before.state;
  const hasId = after.ticketId !== undefined;
  const isOwn = before.ticketId === undefined || before.ticketId === after.ticketId;
  const isGivenUp = !hasId && ['inDoubt', 'pending', 'skipped'].includes(after.state);
  if (
    mayBecome(from, after.state) &&
    !(IN_TARGET.has(after.state) && !hasId) &&
    !(WITHOUT_ID.has(after.state) && hasId) &&
    !(from === 'done' && after.state === 'created' && after.reopened === undefined) &&
    (isOwn || isGivenUp)
  )
    return;
  throw stop('impossible-record', { ticket: after.externalId, from, to: after.state });
}

const ESCAPED = '\u0000json:';

/** SQLite's UTF-8 has no lone surrogates: IDs that differ only in one would share a key, so these are stored as JSON. */
export function keyOfId(externalId: string): string {
  return externalId.isWellFormed() && !externalId.startsWith(ESCAPED)
    ? externalId
    : ESCAPED + JSON.stringify(externalId);
}

export function idOfKey(key: string): string {
  return key.startsWith(ESCAPED) ? (JSON.parse(key.slice(ESCAPED.length)) as string) : key;
}

export class Notes<T> implements ledgers.Notebook<T> {
  readonly #write: Write;
  readonly #kind: string;
  readonly #get: Statement<[string, string], string>;
  readonly #set: Statement<[string, string, string]>;
  readonly #remove: Statement<[string, string]>;
  readonly #all: Statement<[string, string], string>;

  constructor(db: Database, kind: string, write: Write) {
    this.#write = write;
    this.#kind = kind;
    this.#get = db
      .prepare<[string, string], string>('SELECT value FROM note WHERE kind = ? AND key = ?')
      .pluck();
    this.#set = db.prepare('INSERT OR REPLACE INTO note (kind, key, value) VALUES (?, ?, ?)');
    this.#remove = db.prepare('DELETE FROM note WHERE kind = ? AND key = ?');
    this.#all = db
      .prepare<[string, string], string>('SELECT value FROM note WHERE kind = ? AND key >= ? ORDER BY key')
      .pluck();
  }

  get(key: string): T | undefined {
    const value = this.#get.get(this.#kind, keyOfId(key));
    return value === undefined ? undefined : (JSON.parse(value) as T);
  }

  set(key: string, value: T | undefined): Promise<void> {
    return this.#write(() => {
      if (value === undefined) this.#remove.run(this.#kind, keyOfId(key));
      else this.#set.run(this.#kind, keyOfId(key), JSON.stringify(value));
    });
  }

  *values(from = ''): IterableIterator<T> {
    for (const value of this.#all.iterate(this.#kind, from)) yield JSON.parse(value) as T;
  }

  isEmpty(): boolean {
    return this.#all.get(this.#kind, '') === undefined;
  }
}

type Content = ledgers.StoredContent & { readonly store: string; readonly begun: boolean };

export class FileTable implements ledgers.FileLedger {
  readonly #files: Notes<ledgers.FileRecord>;
  readonly #contents: Notes<Content>;

  constructor(db: Database, write: Write) {
    this.#files = new Notes(db, 'file', write);
    this.#contents = new Notes(db, 'content', write);
  }

  get(key: string): ledgers.FileRecord | undefined {
    return this.#files.get(key);
  }

  record(file: ledgers.FileRecord): Promise<void> {
    return this.#files.set(file.key, file);
  }

  isEmpty(): boolean {
    return this.#files.isEmpty();
  }

  all(): ledgers.FileRecord[] {
    return [...this.#files.values()].sort((a, b) => (a.label < b.label ? -1 : 1));
  }

  content(store: string, hash: string): Content | undefined {
    return this.#contents.get(`${hash} ${store}`);
  }

  anywhere(hash: string): ledgers.StoredContent | undefined {
    for (const content of this.#contents.values(hash)) {
      if (content.hash !== hash) return undefined;
      if (!content.begun) return content;
    }
    return undefined;
  }

  begin(store: string, content: ledgers.StoredContent): Promise<void> {
    return this.#contents.set(`${content.hash} ${store}`, { ...content, store, begun: true });
  }

  stored(store: string, content: ledgers.StoredContent): Promise<void> {
    return this.#contents.set(`${content.hash} ${store}`, { ...content, store, begun: false });
  }

  contents(): IterableIterator<Content> {
    return this.#contents.values();
  }
}
