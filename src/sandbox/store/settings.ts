/** Small values that survive a restart, and tokens as digests, so that the file holds no usable token. */
import { hash, randomBytes } from 'node:crypto';
import type { Sql } from './database.ts';

export class SandboxSettings {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  get(name: string): string | undefined {
    return this.#sql.value('SELECT value FROM settings WHERE name = ?', name);
  }

  set(name: string, value: string): void {
    this.#sql.run('INSERT OR REPLACE INTO settings (name, value) VALUES (?, ?)', name, value);
  }

  /** The kept value, or the result of `make`, which is kept. */
  getOrMake(name: string, make: () => string): string {
    const kept = this.get(name);
    if (kept !== undefined) return kept;
    const made = make();
    this.set(name, made);
    return made;
  }
}

export function organizationOf(settings: SandboxSettings): { id: string; name: string } {
  const id = settings.getOrMake('organization', () => `org_${randomBytes(9).toString('base64url')}`);
  return { id, name: `Sandbox ${id.slice(-4)}` };
}

interface TokenRow {
  kind: 'access' | 'refresh';
  clientId: string;
  scopes: readonly string[];
  /** Milliseconds since the epoch; undefined for one that does not expire. */
  expiresMs?: number | undefined;
}

export class Tokens {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  find(token: string): TokenRow | undefined {
    const row = this.#sql.get<{
      kind: TokenRow['kind'];
      client_id: string;
      scopes: string;
      expires_ms: number | null;
    }>('SELECT * FROM tokens WHERE digest = ?', digest(token));
    if (row === undefined) return undefined;
    const { kind, client_id: clientId, scopes, expires_ms: expiresMs } = row;
    return { kind, clientId, scopes: scopes.split(' ').filter(Boolean), expiresMs: expiresMs ?? undefined };
  }

  keep(token: string, { kind, clientId, scopes, expiresMs }: TokenRow): void {
    this.#sql.run(
      'INSERT OR REPLACE INTO tokens (digest, kind, client_id, scopes, expires_ms) VALUES (?, ?, ?, ?, ?)',
      digest(token),
      kind,
      clientId,
      scopes.join(' '),
      expiresMs ?? null,
    );
  }

  /** Ends a token now, unless it never expires. */
  expire(token: string, now: number): void {
    this.#sql.run(
      'UPDATE tokens SET expires_ms = ? WHERE digest = ? AND expires_ms IS NOT NULL',
      now,
      digest(token),
    );
  }

  /** Forgets tokens that expired before this time. */
  sweep(before: number): void {
    this.#sql.run('DELETE FROM tokens WHERE expires_ms < ?', before);
  }
}

function digest(token: string): string {
  return hash('sha256', token);
}
