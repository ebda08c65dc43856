/**
 * The checkpoint as the import needs it.
 *
 * Durability: a promise that resolves means that the change was flushed to the disk; calls made in the same turn of the
 * event loop share one commit. A write that fails rejects with AppError `disk-write`, and every later
 * call does too. Order: changes of one ticket become durable in the order in which they were asked for.
 * Reads see every change that was asked for, durable or not. Only one process has the ledger open for writing.
 */
import type { Fingerprints } from './ticket.ts';
import type { TicketState } from './ticket-state.ts';

/** What to look for in the target when the outcome of a create is unknown. Removed once it is settled. */
export interface CreateIntent {
  readonly subject: string;
  readonly createdAt: string;
  readonly email?: string;
  readonly contactId?: string;
  /** The tag that it was sent with and no other ticket has; absent where identity is off. */
  readonly tag?: string | undefined;
  /** When the create was about to be sent, milliseconds since the epoch. */
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
  /** What the target has: nothing, the ticket, its messages too. Says what a failed ticket still needs. */
  readonly reached: 'nothing' | 'created' | 'messaged' | 'done';
  readonly fingerprints?: Fingerprints | undefined;
  readonly problem?: TicketProblem | undefined;
  readonly intent?: CreateIntent | undefined;
  /** A digest of what of this ticket does not change in its source, in hexadecimal; absent where it was recorded without. */
  readonly origin?: string | undefined;
  /** What was sent of its messages, a digest each, in hexadecimal; the ledger keeps it as it is. */
  readonly thread?: string | undefined;
  /** A delta is replacing its messages: whoever finishes it keeps the messages that only the target has. */
  readonly reopened?: true | undefined;
}

export interface Ledger {
  get(externalId: string): TicketRecord | undefined;
  /** Before a create is sent. Resolves once durable: only then may the request be written. */
  intend(
    externalId: string,
    intent: CreateIntent,
    fingerprints: Fingerprints,
    origin?: string | undefined,
  ): Promise<void>;
  /**
   * Resolves once it survives the end of the process; durable with whatever is recorded next. `fields` stands in for those of the
   * intent (`Fingerprints.fields`) where the target made something else of them.
   */
  created(externalId: string, ticketId: string, fields?: string | undefined): Promise<void>;
  /** With `sent`, the digest of the messages that the target has now, where it is not the one of the create; `thread` is kept. */
  messagesSent(
    externalId: string,
    sent?: Fingerprints | undefined,
    thread?: string | undefined,
  ): Promise<void>;
  /** The ticket is complete. With `sent`, the digest of its events replaces that of the create. */
  eventsSent(externalId: string, sent?: Fingerprints | undefined, thread?: string | undefined): Promise<void>;
  refused(externalId: string, problem: TicketProblem): Promise<void>;
  notCreated(externalId: string): Promise<void>;
  doubt(externalId: string, problem: TicketProblem): Promise<void>;
  adopted(externalId: string, ticketId: string): Promise<void>;
  rejected(externalId: string, problem: TicketProblem, origin?: string | undefined): Promise<void>;
  /** A delta is about to replace messages. The digests stay those of what the target had until then; `fingerprints` stand in where none are known. */
  reopened(externalId: string, fingerprints: Fingerprints): Promise<void>;
  /** What the target has, or may have from now on, of the ticket's own fields; `ticket`: the digest of all of it, once it has them all. */
  fieldsSent(externalId: string, fields: string, ticket?: string | undefined): Promise<void>;
  resumed(externalId: string): Promise<void>;
  left(externalId: string): Promise<void>;
  /** What stands in the target under its id is not this ticket after all: it is in doubt again. */
  released(externalId: string): Promise<void>;
  /** Its ticket in the target was emptied, and is not this one any more: nothing is known of it. */
  undone(externalId: string): Promise<void>;
  /** The external id whose ticket in the target this is, if any: no ticket of the target is two of the export. */
  ownerOf(ticketId: string): string | undefined;
  /**
   * The latest moment at which an earlier process can have sent anything, milliseconds since the epoch: its creates of unknown
   * outcome were sent before it.
   */
  diedBefore(): number;
  /** Every ticket of this batch of the plan has an outcome: the unit of progress. */
  batchSettled(batch: number, tickets: number): Promise<void>;
  /** All tickets in one of these states, by external id; reads in pages, constant memory. */
  inStates(states: readonly TicketState[]): IterableIterator<TicketRecord>;
  counts(): Record<TicketState, number>;
  /** Waits until all that was asked for is durable. */
  flush(): Promise<void>;
}

// Files of the export that are kept: what the checkpoint knows of each address, and where its content is now.

/** Why a file is not there. */
export type MissingReason =
  /** 401, 403 and their like: a credential is needed. */
  | 'forbidden'
  /** 404 or 410. */
  | 'gone'
  /** A page came instead, most often one that asks for a login. */
  | 'login-page'
  /** The address was signed for a time that is over. */
  | 'expired'
  | 'too-large'
  /** What came is of another kind than what the address stands for. */
  | 'wrong-type'
  /** It leads to a private network, or is no address of the web. */
  | 'blocked'
  /** No connection, broken transfers, a server's errors, to the last attempt. */
  | 'unreachable';

/** What was found out about one address. */
export interface FileRecord {
  /** Digest of the address without what signs it (hexadecimal). */
  readonly key: string;
  /** Host and path, for people: no query, no credentials. */
  readonly label: string;
  /** SHA-256 of its content, where it was fetched. */
  readonly hash?: string | undefined;
  /** What its own server calls it. */
  readonly name?: string | undefined;
  readonly reason?: MissingReason | undefined;
  /** One sentence: why it could not be fetched. */
  readonly detail?: string | undefined;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** Content that is kept in a store. */
export interface StoredContent {
  readonly hash: string;
  readonly size: number;
  readonly type: string;
  /** Where it is now; a path alone counts from the local service. */
  readonly address: string;
}

/**
 * The part of the checkpoint that is about files. What resolves survives the end of the process; `begin` is durable, and so is
 * all before it. Intents of tickets are durable, so no link goes out before its file is recorded for good.
 */
export interface FileLedger {
  get(key: string): FileRecord | undefined;
  /** Content that this store has; `begun`: sending it was begun, and how it ended is not known. */
  content(store: string, hash: string): (StoredContent & { readonly begun: boolean }) | undefined;
  /** Where content is, whichever store has it. */
  anywhere(hash: string): StoredContent | undefined;
  /** Before the content is sent to the store; only then may it be sent. */
  begin(store: string, content: StoredContent): Promise<void>;
  stored(store: string, content: StoredContent): Promise<void>;
  /** With a hash it was fetched and is stored; with a reason it is missing. */
  record(file: FileRecord): Promise<void>;
  /** Whether anything of files was ever recorded. */
  isEmpty(): boolean;
}

/** `begun`: about to be rewritten. `undoing`: about to be as it was. */
export type LinkState = 'begun' | 'on' | 'undoing';

export interface LinkRecord {
  readonly state: LinkState;
  /** Of the links that were rewritten. */
  readonly digest: string;
}

/** Tickets in whose messages links were rewritten. Durability and order as of `Ledger`. */
export interface LinkLedger {
  get(externalId: string): LinkRecord | undefined;
  /** Without a record the ticket is as the export has it. */
  set(externalId: string, record: LinkRecord | undefined): Promise<void>;
  isEmpty(): boolean;
}

/** When each ticket was last changed in its source, as the export said that was imported; milliseconds since the epoch. */
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
  /** What it showed before it was begun, to be put back where somebody wrote to it meanwhile; undefined once it is undone. */
  readonly begun?: { readonly status: string | undefined; readonly tags: readonly string[] } | undefined;
}

/** Durability and order as of `Ledger`. */
export interface UndoLedger {
  get(ticketId: string): UndoRecord | undefined;
  set(record: UndoRecord): Promise<void>;
  /** It stays as it is. */
  remove(ticketId: string): Promise<void>;
  /** Those that were begun and whose end is not recorded. */
  begun(): UndoRecord[];
}
