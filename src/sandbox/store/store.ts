/** Everything the sandbox keeps, opened together and closed together. */
import { Catalog } from '../app-api/catalog.ts';
import { UsageEvents } from '../app-api/usage-events.ts';
import { openDatabase, type SqliteDatabase, type Statement, WriteGroup } from './database.ts';
import { Agents, Contacts } from './people.ts';
import { RequestLog } from './request-log.ts';
import { Events, Messages } from './thread.ts';
import { Facets, TicketList } from './ticket-list.ts';
import { Tickets } from './tickets.ts';
import { SandboxSettings, Tokens } from './tokens.ts';

export interface SandboxStore {
  readonly database: SqliteDatabase;
  readonly group: WriteGroup;
  readonly settings: SandboxSettings;
  readonly contacts: Contacts;
  readonly agents: Agents;
  readonly tickets: Tickets;
  readonly list: TicketList;
  readonly facets: Facets;
  readonly messages: Messages;
  readonly events: Events;
  readonly attachments: Attachments;
  readonly tokens: Tokens;
  /** What the app sells to whom (app API). */
  readonly catalog: Catalog;
  readonly usage: UsageEvents;
  /** The ledger of requests: the truth that tests ask. */
  readonly log: RequestLog;
  close(): void;
}

/** Opens `<dir>/service.sqlite`, or a store in memory. Throws AppError `usage` where that is impossible. */
export function openStore(dir: string | undefined, logLimit: number): SandboxStore {
  const database = openDatabase(dir);
  const group = new WriteGroup(database);
  return {
    database,
    group,
    settings: new SandboxSettings(database, group),
    contacts: new Contacts(database),
    agents: new Agents(database, group),
    tickets: new Tickets(database),
    list: new TicketList(database),
    facets: new Facets(database),
    messages: new Messages(database),
    events: new Events(database),
    attachments: new Attachments(database),
    tokens: new Tokens(database, group),
    catalog: new Catalog(database),
    usage: new UsageEvents(database),
    log: new RequestLog(database, logLimit),
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

export class Attachments {
  readonly #insert: Statement;
  readonly #get: Statement;
  readonly #fill: Statement;

  constructor(database: SqliteDatabase) {
    this.#insert = database.prepare(
      'INSERT INTO attachments (secret, filename, content_type, expires_ms) VALUES (?, ?, ?, ?)',
    );
    this.#get = database.prepare('SELECT * FROM attachments WHERE seq = ?');
    this.#fill = database.prepare('UPDATE attachments SET bytes = ? WHERE seq = ?');
  }

  /** To be called inside a write. */
  announce(secret: string, filename: string, contentType: string, expiresMs: number): number {
    return Number(this.#insert.run(secret, filename, contentType, expiresMs).lastInsertRowid);
  }

  get(seq: number): AttachmentRow | undefined {
    return this.#get.get(seq) as AttachmentRow | undefined;
  }

  /** To be called inside a write. */
  fill(seq: number, bytes: Uint8Array): void {
    this.#fill.run(bytes, seq);
  }
}
