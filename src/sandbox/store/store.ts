/** Everything the sandbox keeps, opened together and closed together. */
import { Catalog } from '../app-api/catalog.ts';
import { UsageEvents } from '../app-api/usage-events.ts';
import { Agents } from './agents.ts';
import { Attachments } from './attachments.ts';
import { Contacts } from './contacts.ts';
import { openDatabase, type SqliteDatabase } from './database.ts';
import { Events } from './events.ts';
import { Messages } from './messages.ts';
import { RequestLog } from './request-log.ts';
import { SandboxSettings } from './sandbox-settings.ts';
import { Facets } from './ticket-facets.ts';
import { TicketList } from './ticket-list.ts';
import { Tickets } from './tickets.ts';
import { Tokens } from './tokens.ts';
import { WriteGroup } from './write-group.ts';

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
