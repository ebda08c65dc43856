/** Access and refresh tokens, kept as digests: the file holds none that could be used. And small values kept between starts. */
import { hash } from 'node:crypto';
import type { SqliteDatabase, Statement, WriteGroup } from './database.ts';

type TokenKind = 'access' | 'refresh';

interface TokenRow {
  kind: TokenKind;
  clientId: string;
  scopes: readonly string[];
  /** Milliseconds since the epoch; undefined for one that does not expire. */
  expiresMs?: number;
}

/** Every request carries one of a few tokens; looking them up each time would be a tenth of its cost. */
const MOST_REMEMBERED = 1_000;

export class Tokens {
  readonly #remembered = new Map<string, TokenRow>();
  readonly #group: WriteGroup;
  readonly #get: Statement;
  readonly #put: Statement;
  readonly #expire: Statement;
  readonly #delete: Statement;
  readonly #sweep: Statement;

  constructor(database: SqliteDatabase, group: WriteGroup) {
    this.#group = group;
    this.#get = database.prepare('SELECT kind, client_id, scopes, expires_ms FROM tokens WHERE digest = ?');
    this.#put = database.prepare(
      'INSERT OR REPLACE INTO tokens (digest, kind, client_id, scopes, expires_ms) VALUES (?, ?, ?, ?, ?)',
    );
    this.#expire = database.prepare(
      'UPDATE tokens SET expires_ms = ? WHERE digest = ? AND expires_ms IS NOT NULL',
    );
    this.#delete = database.prepare('DELETE FROM tokens WHERE digest = ?');
    this.#sweep = database.prepare('DELETE FROM tokens WHERE expires_ms < ?');
  }

  find(token: string): TokenRow | undefined {
    const remembered = this.#remembered.get(token);
    if (remembered !== undefined) return remembered;
    const found = this.#read(token);
    if (found !== undefined && this.#remembered.size < MOST_REMEMBERED) this.#remembered.set(token, found);
    return found;
  }

  #read(token: string): TokenRow | undefined {
    const row = this.#get.get(digest(token)) as
      | { kind: TokenKind; client_id: string; scopes: string; expires_ms: number | null }
      | undefined;
    if (row === undefined) return undefined;
    return {
      kind: row.kind,
      clientId: row.client_id,
      scopes: row.scopes === '' ? [] : row.scopes.split(' '),
      ...(row.expires_ms === null ? {} : { expiresMs: row.expires_ms }),
    };
  }

  keep(token: string, row: TokenRow): void {
    this.#remembered.delete(token);
    this.#group.write(() =>
      this.#put.run(digest(token), row.kind, row.clientId, row.scopes.join(' '), row.expiresMs ?? null),
    );
  }

  /** Ends a token now. One that never expires stays: it is the sandbox's own. */
  expire(token: string, now: number): void {
    this.#remembered.delete(token);
    this.#group.write(() => this.#expire.run(now, digest(token)));
  }

  forget(token: string): void {
    this.#remembered.delete(token);
    this.#group.write(() => this.#delete.run(digest(token)));
  }

  /** Forgets tokens that expired before this time. */
  sweep(before: number): void {
    this.#remembered.clear();
    this.#group.write(() => this.#sweep.run(before));
  }
}

function digest(token: string): string {
  return hash('sha256', token);
}

/** Small values that a sandbox keeps between starts: its token, its OAuth client's secret. */
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
