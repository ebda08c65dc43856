/** Files in the checkpoint (domain/ledger.ts): addresses by their digests, content by its hash and the store that has it. */

import type { FileLedger, FileRecord, MissingReason, StoredContent } from '../domain/ledger.ts';
import type { Database, Statement } from '../sqlite/database.ts';

interface FileRow {
  key: Buffer;
  label: string;
  hash: Buffer | null;
  name: string | null;
  reason: MissingReason | null;
  detail: string | null;
  at: number;
}

interface ContentRow {
  hash: Buffer;
  size: number;
  type: string;
  address: string;
  begun: number;
}

/** In the next commit; resolves when that is durable, or when it is written, which survives the end of the process alone. */
type Write = (write: () => void, until?: 'durable' | 'written') => Promise<void>;
type Content = StoredContent & { readonly begun: boolean };

/** What was asked for and is not in the database yet is read from here. */
export class FileTable implements FileLedger {
  readonly #db: Database;
  readonly #alongside: Write;
  readonly #statements = new Map<string, Statement>();
  readonly #files = new Map<string, FileRecord>();
  readonly #content = new Map<string, Content>();

  /** `alongside` writes in the next commit of the checkpoint; a reader has none. */
  constructor(db: Database, alongside: Write) {
    this.#db = db;
    this.#alongside = alongside;
  }

  get(key: string): FileRecord | undefined {
    const pending = this.#files.get(key);
    if (pending !== undefined) return pending;
    const row = this.#prepared<[Buffer], FileRow>('SELECT * FROM file WHERE key = ?').get(hex(key));
    return row && recordOf(row);
  }

  content(store: string, hash: string): Content | undefined {
    const pending = this.#content.get(`${store} ${hash}`);
    if (pending !== undefined) return pending;
    const row = this.#prepared<[string, Buffer], ContentRow>(
      'SELECT * FROM content WHERE store = ? AND hash = ?',
    ).get(store, hex(hash));
    return row && contentOf(row);
  }

  anywhere(hash: string): StoredContent | undefined {
    for (const content of this.#content.values()) if (content.hash === hash && !content.begun) return content;
    const row = this.#prepared<[Buffer], ContentRow>(
      'SELECT * FROM content WHERE hash = ? AND begun = 0 ORDER BY at DESC',
    ).get(hex(hash));
    return row && contentOf(row);
  }

  begin(store: string, content: StoredContent): Promise<void> {
    return this.#put(store, { ...content, begun: true });
  }

  stored(store: string, content: StoredContent): Promise<void> {
    return this.#put(store, { ...content, begun: false });
  }

  async record(file: FileRecord): Promise<void> {
    this.#files.set(file.key, file);
    await this.#alongside(() => {
      const { key, label, hash, name, reason, detail, at } = file;
      this.#prepared<unknown[], unknown>(
        'INSERT OR REPLACE INTO file (key, label, hash, name, reason, detail, at) VALUES (?, ?, ?, ?, ?, ?, ?)',
      ).run(
        hex(key),
        label,
        hash === undefined ? null : hex(hash),
        name ?? null,
        reason ?? null,
        detail ?? null,
        at,
      );
    }, 'written');
    if (this.#files.get(file.key) === file) this.#files.delete(file.key);
  }

  isEmpty(): boolean {
    return this.#files.size === 0 && this.#db.prepare('SELECT 1 FROM file LIMIT 1').get() === undefined;
  }

  /** All addresses, in the order of their labels. */
  *all(): IterableIterator<FileRecord> {
    for (const row of this.#db.prepare<[], FileRow>('SELECT * FROM file ORDER BY label').iterate())
      yield recordOf(row);
  }

  /** All that is kept, each content once. */
  *contents(): IterableIterator<Content & { readonly store: string }> {
    const rows = this.#db.prepare<[], ContentRow & { store: string }>('SELECT * FROM content ORDER BY hash');
    for (const row of rows.iterate()) yield { ...contentOf(row), store: row.store };
  }

  #prepared<Given extends unknown[], Row>(sql: string): Statement<Given, Row> {
    const statement = this.#statements.get(sql) ?? this.#db.prepare(sql);
    this.#statements.set(sql, statement);
    return statement as Statement<Given, Row>;
  }

  async #put(store: string, content: Content): Promise<void> {
    const name = `${store} ${content.hash}`;
    this.#content.set(name, content);
    await this.#alongside(
      () => {
        const { hash, size, type, address, begun } = content;
        this.#prepared<unknown[], unknown>(
          'INSERT OR REPLACE INTO content (store, hash, size, type, address, begun, at) VALUES (?, ?, ?, ?, ?, ?, unixepoch())',
        ).run(store, hex(hash), size, type, address, begun ? 1 : 0);
      },
      content.begun ? 'durable' : 'written',
    );
    if (this.#content.get(name) === content) this.#content.delete(name);
  }
}

const hex = (text: string) => Buffer.from(text, 'hex');

function recordOf({ key, label, hash, name, reason, detail, at }: FileRow): FileRecord {
  return {
    key: key.toString('hex'),
    label,
    hash: hash?.toString('hex'),
    name: name ?? undefined,
    reason: reason ?? undefined,
    detail: detail ?? undefined,
    at,
  };
}

function contentOf({ hash, size, type, address, begun }: ContentRow): Content {
  return { hash: hash.toString('hex'), size, type, address, begun: begun === 1 };
}
