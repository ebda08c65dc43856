/** Files in the checkpoint (domain/ledger.ts): addresses by their digests, content by its hash and the store that has it. */
import type { FileLedger, FileRecord, StoredContent } from '../domain/ledger.ts';
import type { Database } from '../sqlite/database.ts';
import type { Write } from './turn-commit.ts';

type Content = StoredContent & { readonly begun: boolean };
type ContentRow = StoredContent & { readonly store: string; readonly begun: number };
type FileRow = { readonly [key in keyof FileRecord]: FileRecord[key] | null };

export class FileTable implements FileLedger {
  readonly #db: Database;
  readonly #write: Write;

  constructor(db: Database, write: Write) {
    this.#db = db;
    this.#write = write;
  }

  get(key: string): FileRecord | undefined {
    const row = this.#db.prepare<[string], FileRow>('SELECT * FROM file WHERE key = ?').get(key);
    return row && recordOf(row);
  }

  content(store: string, hash: string): Content | undefined {
    const row = this.#db
      .prepare<[string, string], ContentRow>('SELECT * FROM content WHERE store = ? AND hash = ?')
      .get(store, hash);
    return row && contentOf(row);
  }

  anywhere(hash: string): StoredContent | undefined {
    const row = this.#db
      .prepare<[string], ContentRow>(
        'SELECT * FROM content WHERE hash = ? AND begun = 0 ORDER BY at DESC LIMIT 1',
      )
      .get(hash);
    return row && contentOf(row);
  }

  begin(store: string, content: StoredContent): Promise<void> {
    return this.#put(store, content, 1);
  }

  stored(store: string, content: StoredContent): Promise<void> {
    return this.#put(store, content, 0);
  }

  record({ key, label, hash, name, reason, detail, at }: FileRecord): Promise<void> {
    return this.#write(() => {
      this.#db
        .prepare('INSERT OR REPLACE INTO file VALUES (?, ?, ?, ?, ?, ?, ?)')
        .run(key, label, hash ?? null, name ?? null, reason ?? null, detail ?? null, at);
    }, 'written');
  }

  isEmpty(): boolean {
    return this.#db.prepare('SELECT 1 FROM file LIMIT 1').get() === undefined;
  }

  /** All addresses, in the order of their labels. */
  *all(): IterableIterator<FileRecord> {
    for (const row of this.#db.prepare<[], FileRow>('SELECT * FROM file ORDER BY label').iterate())
      yield recordOf(row);
  }

  /** All that is kept, each content once. */
  *contents(): IterableIterator<Content & { readonly store: string }> {
    const rows = this.#db.prepare<[], ContentRow>('SELECT * FROM content ORDER BY hash').iterate();
    for (const row of rows) yield { ...contentOf(row), store: row.store };
  }

  #put(store: string, { hash, size, type, address }: StoredContent, begun: number): Promise<void> {
    return this.#write(
      () => {
        this.#db
          .prepare('INSERT OR REPLACE INTO content VALUES (?, ?, ?, ?, ?, ?, unixepoch())')
          .run(hash, store, size, type, address, begun);
      },
      begun === 1 ? 'durable' : 'written',
    );
  }
}

function recordOf(row: FileRow): FileRecord {
  const set = Object.entries(row).filter(([, value]) => value !== null);
  return Object.fromEntries(set) as unknown as FileRecord;
}

function contentOf({ hash, size, type, address, begun }: ContentRow): Content {
  return { hash, size, type, address, begun: begun === 1 };
}
