/**
 * The checkpoint as the import needs it.
 *
 * A promise resolves when the change is on the disk; changes of one turn of the event loop share a commit. A failed write rejects with
 * AppError `disk-write`, and so does every later call. Changes of one ticket become durable in order. Reads see every change at once.
 * Only one process writes.
 */
import type { Fingerprints } from './ticket.ts';
import type { TicketState } from './ticket-state.ts';

/** What to look for if the outcome of a create is unknown. Removed once it is settled. */
export interface CreateIntent {
  readonly subject: string;
  readonly createdAt: string;
  readonly email?: string;
  readonly contactId?: string;
  /** The ticket's own tag; absent if identity is off. */
  readonly tag?: string | undefined;
  /** Before the create was sent, milliseconds since the epoch. */
  readonly at: number;
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
  /** How much the target has: what a failed ticket still needs follows from it. */
  readonly reached: 'nothing' | 'created' | 'messaged' | 'done';
  readonly fingerprints?: Fingerprints | undefined;
  readonly problem?: TicketProblem | undefined;
  readonly intent?: CreateIntent | undefined;
  /** Digest of what never changes in the source (origin.ts). */
  readonly origin?: string | undefined;
  /** Digests of the messages that were sent. */
  readonly thread?: string | undefined;
  /** A delta is replacing its messages: messages that only the target has must be kept. */
  readonly reopened?: true | undefined;
}

export interface Ledger {
  get(externalId: string): TicketRecord | undefined;
  /** Before a create is sent: the request may be written once this resolves. */
  intend(
    externalId: string,
    intent: CreateIntent,
    fingerprints: Fingerprints,
    origin?: string | undefined,
  ): Promise<void>;
  /**
   * Resolves once it survives the end of the process. `fields` replaces those of the intent (`Fingerprints.fields`) if the target
   * changed them.
   */
  created(externalId: string, ticketId: string, fields?: string | undefined): Promise<void>;
  /** `sent`: digests of the messages that the target has now, if not those of the create. */
  messagesSent(
    externalId: string,
    sent?: Fingerprints | undefined,
    thread?: string | undefined,
  ): Promise<void>;
  /** The ticket is complete. `sent`: the digest of its events, if not that of the create. */
  eventsSent(externalId: string, sent?: Fingerprints | undefined, thread?: string | undefined): Promise<void>;
  refused(externalId: string, problem: TicketProblem): Promise<void>;
  notCreated(externalId: string): Promise<void>;
  doubt(externalId: string, problem: TicketProblem): Promise<void>;
  adopted(externalId: string, ticketId: string): Promise<void>;
  rejected(externalId: string, problem: TicketProblem, origin?: string | undefined): Promise<void>;
  /** A delta is about to replace messages. The digests stay those of what the target has; `fingerprints` are used if none are known. */
  reopened(externalId: string, fingerprints: Fingerprints): Promise<void>;
  /** The ticket's fields as the target has, or may have, them; `ticket`: the digest of the whole ticket once all fields arrived. */
  fieldsSent(externalId: string, fields: string, ticket?: string | undefined): Promise<void>;
  resumed(externalId: string): Promise<void>;
  left(externalId: string): Promise<void>;
  /** The ticket in the target is not this one: it is in doubt again. */
  released(externalId: string): Promise<void>;
  /** Its ticket in the target was emptied: forget it. */
  undone(externalId: string): Promise<void>;
  /** The external ID that this ticket of the target belongs to. */
  ownerOf(ticketId: string): string | undefined;
  /**
   * The latest moment at which an earlier process can have sent anything, milliseconds since the epoch.
   */
  diedBefore(): number;
  /** Every ticket of this batch has an outcome. */
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

/** Tickets with rewritten links. Durability and order as of `Ledger`. */
export interface LinkLedger {
  get(externalId: string): LinkRecord | undefined;
  /** Without a record the ticket is as the export has it. */
  set(externalId: string, record: LinkRecord | undefined): Promise<void>;
  isEmpty(): boolean;
}

/** Each ticket's last change in its source, from the imported export; milliseconds since the epoch. */
export interface ExportTimes {
  get(externalId: string): number | undefined;
  /** Durability as of `Ledger`. */
  set(externalId: string, at: number): Promise<void>;
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

/** Durability and order as of `Ledger`. */
export interface UndoLedger {
  get(ticketId: string): UndoRecord | undefined;
  set(record: UndoRecord): Promise<void>;
  /** The ticket is not changed. */
  remove(ticketId: string): Promise<void>;
  /** Unfinished undos. */
  begun(): UndoRecord[];
}
