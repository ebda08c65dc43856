/**
 * The checkpoint as the import needs it.
 *
 * A promise resolves when the change is on the disk; changes of one turn of the event loop share a commit. A failed write rejects with
 * AppError `disk-write`, and so does every later call. Changes of one ticket become durable in the order of the calls. Reads see every change at once.
 * Only one process writes.
 */
import type { Fingerprints } from './ticket.ts';
import type { TicketState } from './ticket-state.ts';

/** A create whose outcome is unknown. Removed once it is settled. */
export interface SentCreate {
  /** When it was about to be sent, milliseconds since the epoch. */
  readonly at: number;
  /** The tag that it was sent with and no other ticket has; absent where identity is off. */
  readonly tag?: string | undefined;
}

export interface TicketProblem {
  /** A problem code (domain/problem.ts) or an ApiFailureCode. */
  readonly code: string;
  readonly status?: number;
  /** One sentence, at most 300 characters, without message bodies or secrets. */
  readonly message: string;
}

export interface TicketRecord {
  readonly externalId: string;
  readonly state: TicketState;
  readonly ticketId?: string | undefined;
  readonly fingerprints?: Fingerprints | undefined;
  readonly problem?: TicketProblem | undefined;
  readonly sent?: SentCreate | undefined;
  /** A digest of what of this ticket does not change in its source, in hexadecimal; absent where it was recorded without. */
  readonly origin?: string | undefined;
  /** Digests of the messages that were sent; absent until they have arrived. */
  readonly thread?: string | undefined;
  /** A delta is replacing its messages: messages that only the target has must be kept. */
  readonly reopened?: true | undefined;
}

/** The record of a ticket, and one of a ticket of which nothing is known. */
export function recordOf(ledger: Pick<Ledger, 'get'>, externalId: string): TicketRecord {
  return ledger.get(externalId) ?? { externalId, state: 'pending' };
}

/** Its messages have arrived, so at most its history is missing. A delta that was begun starts anew. */
export function hasMessages({ state, thread, reopened }: TicketRecord): boolean {
  return state === 'done' || (thread !== undefined && reopened === undefined);
}

/** The record of a ticket without what is over once it changes: what was wrong with it, and the create that was looked for. */
export function settledRecord(ledger: Pick<Ledger, 'get'>, externalId: string): TicketRecord {
  const { problem: _, sent: __, ...record } = recordOf(ledger, externalId);
  return record;
}

/** How it is left when a create, or what follows one, was refused. */
export function failedRecord(
  ledger: Pick<Ledger, 'get'>,
  externalId: string,
  problem: TicketProblem,
): TicketRecord {
  return { ...settledRecord(ledger, externalId), state: 'failed', problem };
}

/** The target has it as this ticket. */
export function adoptedRecord(
  ledger: Pick<Ledger, 'get'>,
  externalId: string,
  ticketId: string,
): TicketRecord {
  return { ...settledRecord(ledger, externalId), state: 'created', ticketId };
}

/** A person says that the ticket of the target is another one: it is in doubt again, whatever it had reached. */
export function releasedRecord(ledger: Pick<Ledger, 'get'>, externalId: string): TicketRecord {
  const { ticketId, fingerprints, origin } = recordOf(ledger, externalId);
  const message = `It was ticket ${ticketId} of the target until that was taken back.`;
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
  /**
   * Records a ticket as it is from now on. Resolves once that is on the disk. Rejects with AppError `internal` where it cannot follow
   * what it was.
   */
  put(record: TicketRecord): Promise<void>;
  /** The ticket of the source that this ticket of the target is. */
  ownerOf(ticketId: string): string | undefined;
  batchSettled(batch: number, tickets: number): Promise<void>;
  /** All tickets in one of these states, by external ID; reads in pages. */
  inStates(states: readonly TicketState[]): IterableIterator<TicketRecord>;
  counts(): Record<TicketState, number>;
  /** Waits until every change is durable. */
  flush(): Promise<void>;
}

// Fetched files: each address, and where its content is now.

/** Why a file is not there. */
export type MissingReason =
  /** 401, 403 and their like: a credential is needed. */
  | 'forbidden'
  /** 404 or 410. */
  | 'gone'
  /** A page came instead, usually a login. */
  | 'login-page'
  /** The signature of the address has expired. */
  | 'expired'
  | 'too-large'
  /** The content has another type than the address promises. */
  | 'wrong-type'
  /** The address is private, or not of the web. */
  | 'blocked'
  /** Every attempt failed. */
  | 'unreachable';

/** The result for one address. */
export interface FileRecord {
  /** Digest of the address without its signature (hexadecimal). */
  readonly key: string;
  /** Host and path, for people: no query, no credentials. */
  readonly label: string;
  /** SHA-256 of its content, if fetched. */
  readonly hash?: string | undefined;
  /** Its name on its server. */
  readonly name?: string | undefined;
  readonly reason?: MissingReason | undefined;
  /** One sentence: why it could not be fetched. */
  readonly detail?: string | undefined;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** Content in a store. */
export interface StoredContent {
  readonly hash: string;
  readonly size: number;
  readonly type: string;
  /** Where it is now; a path is relative to the local service. */
  readonly address: string;
}

/**
 * Files in the checkpoint. A change survives the end of the process; `begin` and everything before it is durable.
 */
export interface FileLedger {
  get(key: string): FileRecord | undefined;
  /** Content that this store has; `begun`: sending began, and its end is unknown. */
  content(store: string, hash: string): (StoredContent & { readonly begun: boolean }) | undefined;
  /** Where content is, in any store. */
  anywhere(hash: string): StoredContent | undefined;
  /** Content may be sent to the store once this resolves. */
  begin(store: string, content: StoredContent): Promise<void>;
  stored(store: string, content: StoredContent): Promise<void>;
  /** With a hash: fetched and stored. With a reason: missing. */
  record(file: FileRecord): Promise<void>;
  /** No file was ever recorded. */
  isEmpty(): boolean;
}

/** `begun`: about to be rewritten. `undoing`: about to be restored. */
export type LinkState = 'begun' | 'on' | 'undoing';

export interface LinkRecord {
  readonly state: LinkState;
  /** Of the links that were rewritten. */
  readonly digest: string;
}

/** Values of one kind by key. Durability and order as of `Ledger`. */
export interface Notebook<T> {
  get(key: string): T | undefined;
  /** Without a value it is removed. */
  set(key: string, value: T | undefined): Promise<void>;
  /** By key. */
  values(): Iterable<T>;
  isEmpty(): boolean;
}

/** A ticket of the target that an undo is emptying (`begun`), or has emptied. */
export interface UndoRecord {
  readonly ticketId: string;
  readonly externalId: string;
  /** The tag of the run that is undone. */
  readonly run: string;
  /** Its status and tags before, to restore if people write meanwhile; undefined once it is undone. */
  readonly begun?: { readonly status: string | undefined; readonly tags: readonly string[] } | undefined;
}
