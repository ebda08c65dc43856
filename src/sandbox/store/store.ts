/** Everything the sandbox keeps, opened together and closed together. */
import { Catalog } from '../app-api/catalog.ts';
import { UsageEvents } from '../app-api/usage-events.ts';
import { openDatabase, Sql, type SqliteDatabase, WriteGroup } from './database.ts';
import { Desk } from './desk.ts';
import { Agents, Contacts } from './people.ts';
import { RequestLog } from './request-log.ts';
import { Review } from './review.ts';
import { Events, Messages } from './thread.ts';
import { TicketList } from './ticket-list.ts';
import { Tickets } from './tickets.ts';
import { SandboxSettings, Tokens } from './tokens.ts';

export interface SandboxStore {
  readonly database: SqliteDatabase;
  readonly sql: Sql;
  readonly group: WriteGroup;
  readonly settings: SandboxSettings;
  readonly contacts: Contacts;
  readonly agents: Agents;
  readonly tickets: Tickets;
  readonly list: TicketList;
  /** All tickets, as the pages look for them. */
  readonly desk: Desk;
  readonly messages: Messages;
  readonly events: Events;
  readonly attachments: Attachments;
  readonly tokens: Tokens;
  /** What the app sells to whom (app API). */
  readonly catalog: Catalog;
  readonly usage: UsageEvents;
  /** What imports note here of what did not arrive, and of their trials. */
  readonly review: Review;
  /** The ledger of requests: the truth that tests ask. */
  readonly log: RequestLog;
  close(): void;
}

/** Opens `<dir>/service.sqlite`, or a store in memory. Throws AppError `usage` where that is impossible. */
export function openStore(dir: string | undefined, logLimit: number): SandboxStore {
  const database = openDatabase(dir);
  const sql = new Sql(database);
  const group = new WriteGroup(database);
  const tickets = new Tickets(sql);
  return {
    database,
    sql,
    group,
    settings: new SandboxSettings(sql, group),
    contacts: new Contacts(sql),
    agents: new Agents(sql, group),
    tickets,
    list: new TicketList(sql),
    desk: new Desk(sql, tickets.touched),
    messages: new Messages(sql),
    events: new Events(sql),
    attachments: new Attachments(sql),
    tokens: new Tokens(sql, group),
    catalog: new Catalog(sql),
    usage: new UsageEvents(sql),
    review: new Review(sql, group),
    log: new RequestLog(sql, logLimit),
    close() {
      group.flush();
      // Folds the write-ahead log into the file, so that a folder at rest holds one file.
      database.close();
    },
  };
}

/**
 * Uploaded files (public facts: `POST /attachments`, then PUT of the bytes to a signed URL). Who knows the secret in
 * the URL may write until it expires and read for ever, as with a real service's signed URLs.
 */
export interface AttachmentRow {
  seq: number;
  secret: string;
  filename: string;
  content_type: string;
  expires_ms: number;
  bytes: Buffer | null;
}

/** What changes them is to be called inside a write. */
class Attachments {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  announce(secret: string, filename: string, contentType: string, expiresMs: number): number {
    return this.#sql.insert(
      'INSERT INTO attachments (secret, filename, content_type, expires_ms) VALUES (?, ?, ?, ?)',
      secret,
      filename,
      contentType,
      expiresMs,
    );
  }

  get(seq: number): AttachmentRow | undefined {
    return this.#sql.get('SELECT * FROM attachments WHERE seq = ?', seq);
  }

  fill(seq: number, bytes: Uint8Array): void {
    this.#sql.run('UPDATE attachments SET bytes = ? WHERE seq = ?', bytes, seq);
  }
}
