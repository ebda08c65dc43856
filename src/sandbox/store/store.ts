/** All data of the sandbox, opened and closed together. */
import { hash, randomBytes } from 'node:crypto';
import { UsageEvents } from '../app-api/usage-events.ts';
import type { EventBody, MessageBody } from '../core/bodies.ts';
import { openDatabase, Sql, type SqliteDatabase, Table } from './database.ts';
import { TicketSearch } from './inbox-search.ts';
import { Agents, Contacts } from './people.ts';
import { RequestLog } from './request-log.ts';
import { Review } from './review.ts';
import { TextIndex } from './search.ts';
import { Entries, type EventView, type MessageView } from './thread.ts';
import { Tickets } from './tickets.ts';

export interface SandboxStore {
  readonly database: SqliteDatabase;
  readonly sql: Sql;
  readonly settings: SandboxSettings;
  readonly contacts: Contacts;
  readonly agents: Agents;
  readonly tickets: Tickets;
  /** Ticket search of the pages. */
  readonly search: TicketSearch;
  readonly messages: Entries<MessageView, MessageBody>;
  readonly events: Entries<EventView, EventBody>;
  readonly attachments: Attachments;
  readonly tokens: Tokens;
  readonly usage: UsageEvents;
  /** Notes of imports: missing tickets, and trials. */
  readonly review: Review;
  /** The ledger of requests, which tests assert on. */
  readonly log: RequestLog;
  write<T>(work: () => T): T;
  close(): void;
}

/** Opens `<dir>/service.sqlite`, or a store in memory. Throws AppError `usage` if that is impossible. */
export function openStore(dir: string | undefined, logLimit: number): SandboxStore {
  const database = openDatabase(dir);
  const sql = new Sql(database);
  const texts = new TextIndex(sql);
  return {
    database,
    sql,
    settings: new SandboxSettings(sql),
    contacts: new Contacts(sql),
    agents: new Agents(sql),
    tickets: new Tickets(sql, texts),
    search: new TicketSearch(sql, texts),
    messages: new Entries(sql, 'messages'),
    events: new Entries(sql, 'events'),
    attachments: new Attachments(sql),
    tokens: new Tokens(sql),
    usage: new UsageEvents(sql),
    review: new Review(sql),
    log: new RequestLog(sql, logLimit),
    write: (work) => sql.write(work),
    // Folds the write-ahead log into the file, so that a folder at rest holds one file.
    close: () => database.close(),
  };
}

/** Small values that survive a restart. */
export class SandboxSettings extends Table {
  get(name: string): string | undefined {
    return this.sql.value('SELECT value FROM settings WHERE name = ?', name);
  }

  set(name: string, value: string): void {
    this.sql.insert('settings', { name, value }, 'OR REPLACE');
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

// Tokens are kept as digests, so that the file holds no usable one.

interface TokenRow {
  kind: 'access' | 'refresh';
  clientId: string;
  scopes: readonly string[];
  /** Milliseconds since the epoch; undefined for one that does not expire. */
  expiresMs?: number | undefined;
}

export class Tokens extends Table {
  find(token: string): TokenRow | undefined {
    const row = this.sql.get<{
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
    this.sql.insert(
      'tokens',
      { digest: digest(token), kind, client_id: clientId, scopes: scopes.join(' '), expires_ms: expiresMs },
      'OR REPLACE',
    );
  }

  /** Ends a token now, unless it never expires. */
  expire(token: string, now: number): void {
    this.sql.run(
      'UPDATE tokens SET expires_ms = ? WHERE digest = ? AND expires_ms IS NOT NULL',
      now,
      digest(token),
    );
  }

  /** Forgets tokens that expired before this time. */
  sweep(before: number): void {
    this.sql.run('DELETE FROM tokens WHERE expires_ms < ?', before);
  }
}

function digest(token: string): string {
  return hash('sha256', token);
}

/** Uploaded files (public facts: `POST /attachments`, then PUT of the bytes to a signed URL). */
export interface AttachmentRow {
  readonly seq: number;
  readonly secret: string;
  readonly filename: string;
  readonly content_type: string;
  readonly expires_ms: number;
  readonly bytes: Buffer | null;
}

class Attachments extends Table {
  announce(file: Omit<AttachmentRow, 'seq' | 'bytes'>): number {
    return this.sql.insert('attachments', file);
  }

  get(seq: number): AttachmentRow | undefined {
    return this.sql.get('SELECT * FROM attachments WHERE seq = ?', seq);
  }

  fill(seq: number, bytes: Uint8Array): void {
    this.sql.run('UPDATE attachments SET bytes = ? WHERE seq = ?', bytes, seq);
  }
}
