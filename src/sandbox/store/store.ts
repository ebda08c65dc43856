/** All data of the sandbox, opened and closed together. */
import { UsageEvents } from '../app-api/usage-events.ts';
import { openDatabase, Sql, type SqliteDatabase } from './database.ts';
import { TicketSearch } from './inbox-search.ts';
import { Agents, Contacts } from './people.ts';
import { RequestLog } from './request-log.ts';
import { Review } from './review.ts';
import { SandboxSettings, Tokens } from './settings.ts';
import { TextIndex } from './text-index.ts';
import { Events, Messages } from './thread.ts';
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
  readonly messages: Messages;
  readonly events: Events;
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
    messages: new Messages(sql),
    events: new Events(sql),
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

/** Uploaded files (public facts: `POST /attachments`, then PUT of the bytes to a signed URL). */
export interface AttachmentRow {
  seq: number;
  secret: string;
  filename: string;
  content_type: string;
  expires_ms: number;
  bytes: Buffer | null;
}

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
