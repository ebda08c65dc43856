/** Small values that a sandbox keeps between starts: its token, its OAuth client's secret. */
import type { SqliteDatabase, Statement } from './database.ts';
import type { WriteGroup } from './write-group.ts';

export class SandboxSettings {
  readonly #group: WriteGroup;
  readonly #get: Statement;
  readonly #put: Statement;

  constructor(database: SqliteDatabase, group: WriteGroup) {
    this.#group = group;
    this.#get = database.prepare('SELECT value FROM settings WHERE name = ?').pluck();
    this.#put = database.prepare('INSERT OR REPLACE INTO settings (name, value) VALUES (?, ?)');
  }

  get(name: string): string | undefined {
    const value = this.#get.get(name);
    return typeof value === 'string' ? value : undefined;
  }

  set(name: string, value: string): void {
    this.#group.write(() => this.#put.run(name, value));
  }

  /** The kept value, or the one that `make` gives, kept from now on. */
  getOrMake(name: string, make: () => string): string {
    const kept = this.get(name);
    if (kept !== undefined) return kept;
    const made = make();
    this.set(name, made);
    return made;
  }
}
