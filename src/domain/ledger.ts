/**
 * The checkpoint as the import needs it. A promise resolves when the change is on disk. After a failed write every call rejects
 * with AppError `disk-write`. Changes become durable in the order of the calls; reads see them at once.
 */
import type { Fingerprints } from './ticket.ts';
import type { TicketState } from './ticket-state.ts';

/** Removed once it is settled. */
export interface SentCreate {
  readonly at: number;
  /** Unique to the ticket; absent in checkpoints of earlier versions. */
  readonly tag?: string | undefined;
}

export interface TicketProblem {
  /** A problem code (domain/problem.ts) or an ApiFailureCode. */
  readonly code: string;
  readonly status?: number;
  /** At most 300 characters, without message bodies or secrets. */
  readonly message: string;
}

export interface TicketRecord {
  readonly externalId: string;
  readonly state: TicketState;
  readonly ticketId?: string | undefined;
  readonly fingerprints?: Fingerprints | undefined;
  readonly problem?: TicketProblem | undefined;
  readonly sent?: SentCreate | undefined;
  /** A digest of what never changes in its source, in hexadecimal. */
  readonly origin?: string | undefined;
  /** Absent until the messages have arrived. */
  readonly thread?: string | undefined;
  /** Digests of fields that no delta changes (ticket-fields.ts). Absent: not recorded. */
  readonly shown?: string | undefined;
  /** A delta is replacing its messages: keep those that only the helpdesk has. */
  readonly reopened?: true | undefined;
}

export function recordOf(ledger: Pick<Ledger, 'get'>, externalId: string): TicketRecord {
  return ledger.get(externalId) ?? { externalId, state: 'pending' };
}

/** At most its history is missing. A begun delta starts anew. */
export function hasMessages({ state, thread, reopened }: TicketRecord): boolean {
  return state === 'done' || (thread !== undefined && reopened === undefined);
}

/** Bytes of a thread's record for each message, behind one byte; earlier versions had 12 each and no byte before. */
export const THREAD_ENTRY = 24;
export const OLD_ENTRY = 12;
/** The last entry may be of the note of the import, which does not count. */
export const NOTE_KEY = 'ffffffff';

export function messagesSent(thread: string | undefined = ''): number {
  const bytes = thread.length / 2;
  const entry = bytes % 2 === 0 ? OLD_ENTRY : THREAD_ENTRY;
  const entries = Math.floor(bytes / entry);
  return entries > 0 && thread.slice(-2 * entry).startsWith(NOTE_KEY) ? entries - 1 : entries;
}

/** The record without its old problem and doubt. */
export function settledRecord(ledger: Pick<Ledger, 'get'>, externalId: string): TicketRecord {
  const { problem: _, sent: __, ...record } = recordOf(ledger, externalId);
  return record;
}

/** The code of a ticket that people deleted in the helpdesk: no run creates it again on its own. */
export const MISSING = 'missing-in-target';

export function isMissing({ state, problem }: TicketRecord): boolean {
  return state === 'incomplete' && problem?.code === MISSING;
}

export function failedRecord(
  ledger: Pick<Ledger, 'get'>,
  externalId: string,
  problem: TicketProblem,
): TicketRecord {
  const record = settledRecord(ledger, externalId);
  return { ...record, state: record.ticketId === undefined ? 'refused' : 'incomplete', problem };
}

export function adoptedRecord(
  ledger: Pick<Ledger, 'get'>,
  externalId: string,
  ticketId: string,
): TicketRecord {
  return { ...settledRecord(ledger, externalId), state: 'created', ticketId };
}

/** Without its ticket of the helpdesk, which people deleted. */
export function givenUpRecord(
  ledger: Pick<Ledger, 'get'>,
  externalId: string,
  state: 'pending' | 'skipped',
): TicketRecord {
  const { fingerprints, origin } = recordOf(ledger, externalId);
  return { externalId, state, fingerprints, origin };
}

/** A person undoes a wrong --adopt: it is in doubt again. */
export function releasedRecord(ledger: Pick<Ledger, 'get'>, externalId: string): TicketRecord {
  const { ticketId, fingerprints, origin } = recordOf(ledger, externalId);
  const message = `It was ticket ${ticketId} of the helpdesk until the link was undone.`;
  return {
    externalId,
    state: 'inDoubt',
    fingerprints,
    origin,
    problem: { code: 'released', message },
  };
}

export interface Ledger {
  get(externalId: string): TicketRecord | undefined;
  /** Rejects with AppError `internal` for an impossible step. */
  put(record: TicketRecord): Promise<void>;
  ownerOf(ticketId: string): string | undefined;
  /** By external ID, in pages. */
  inStates(states: readonly TicketState[]): IterableIterator<TicketRecord>;
  counts(): Record<TicketState, number>;
  flush(): Promise<void>;
}

export type MissingReason =
  | 'forbidden'
  | 'gone'
  | 'login-page'
  | 'expired'
  | 'too-large'
  | 'wrong-type'
  | 'blocked'
  | 'unreachable';

export interface FileRecord {
  /** The address without its signature, in hexadecimal. */
  readonly key: string;
  /** Host and path, without query and credentials. */
  readonly label: string;
  readonly hash?: string | undefined;
  readonly name?: string | undefined;
  readonly reason?: MissingReason | undefined;
  readonly detail?: string | undefined;
  readonly at: number;
}

export interface StoredContent {
  readonly hash: string;
  readonly size: number;
  readonly type: string;
  readonly address: string;
}

/** A change survives the end of the process; `begin` and everything before it is durable. */
export interface FileLedger {
  get(key: string): FileRecord | undefined;
  /** `begun`: sending began, and its end is unknown. */
  content(store: string, hash: string): (StoredContent & { readonly begun: boolean }) | undefined;
  anywhere(hash: string): StoredContent | undefined;
  begin(store: string, content: StoredContent): Promise<void>;
  stored(store: string, content: StoredContent): Promise<void>;
  record(file: FileRecord): Promise<void>;
  isEmpty(): boolean;
}

/** Durability and order as of `Ledger`. */
export interface Notebook<T> {
  get(key: string): T | undefined;
  set(key: string, value: T | undefined): Promise<void>;
  values(): Iterable<T>;
  isEmpty(): boolean;
}

export interface UndoRecord {
  readonly ticketId: string;
  readonly externalId: string;
  readonly run: string;
  /** To restore if people write meanwhile; undefined once undone. */
  readonly begun?: { readonly status: string | undefined; readonly tags: readonly string[] } | undefined;
}
