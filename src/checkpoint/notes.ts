/** Values of one kind by key: of files, links, undos and times of the export (domain/ledger.ts). Each is read and written whole. */
import type { FileLedger, FileRecord, Notebook, StoredContent } from '../domain/ledger.ts';
import type { Database, Statement } from '../sqlite/database.ts';
import { keyOfId } from './tickets.ts';
import type { Write } from './turn-commit.ts';

export class Notes<T> implements Notebook<T> {
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

  /** Without a value there is none from now on. */
  set(key: string, value: T | undefined): Promise<void> {
    return this.#write(() => {
      if (value === undefined) this.#remove.run(this.#kind, keyOfId(key));
      else this.#set.run(this.#kind, keyOfId(key), JSON.stringify(value));
    });
  }

  /** All values, by key, from this key on. */
  *values(from = ''): IterableIterator<T> {
    for (const value of this.#all.iterate(this.#kind, from)) yield JSON.parse(value) as T;
  }

  isEmpty(): boolean {
    return this.#all.get(this.#kind, '') === undefined;
  }
}

type Content = StoredContent & { readonly store: string; readonly begun: boolean };

/** Addresses by their digests, content by its hash and the store that has it. */
export class FileTable implements FileLedger {
  readonly #files: Notes<FileRecord>;
  readonly #contents: Notes<Content>;

  constructor(db: Database, write: Write) {
    this.#files = new Notes(db, 'file', write);
    this.#contents = new Notes(db, 'content', write);
  }

  get(key: string): FileRecord | undefined {
    return this.#files.get(key);
  }

  record(file: FileRecord): Promise<void> {
    return this.#files.set(file.key, file);
  }

  isEmpty(): boolean {
    return this.#files.isEmpty();
  }

  /** All addresses, in the order of their labels. */
  all(): FileRecord[] {
    return [...this.#files.values()].sort((a, b) => (a.label < b.label ? -1 : 1));
  }

  content(store: string, hash: string): Content | undefined {
    return this.#contents.get(`${hash} ${store}`);
  }

  anywhere(hash: string): StoredContent | undefined {
    for (const content of this.#contents.values(hash)) {
      if (content.hash !== hash) return undefined;
      if (!content.begun) return content;
    }
    return undefined;
  }

  begin(store: string, content: StoredContent): Promise<void> {
    return this.#contents.set(`${content.hash} ${store}`, { ...content, store, begun: true });
  }

  stored(store: string, content: StoredContent): Promise<void> {
    return this.#contents.set(`${content.hash} ${store}`, { ...content, store, begun: false });
  }

  /** All that is kept, each content once, by hash. */
  contents(): IterableIterator<Content> {
    return this.#contents.values();
  }
}
