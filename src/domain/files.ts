/** Files of the export that are kept: what the checkpoint knows of each address, and where its content is now. */

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

/** An address whose file is kept. */
export interface KeptFile extends StoredContent {
  readonly name?: string | undefined;
}

/** The part of the checkpoint that is about files. What resolves is durable, in the sense of `Ledger`. */
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
