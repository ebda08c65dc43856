import type { EventBody, MessageBody } from '../core/bodies.ts';
import { openDatabase, Sql, Table } from './database.ts';
import { Agents, Contacts } from './people.ts';
import { Review } from './review.ts';
import { Entries, type EventView, type MessageView } from './thread.ts';
import { Tickets } from './tickets.ts';

export type SandboxStore = ReturnType<typeof openStore>;

/** In memory without `dir`. Throws AppError `usage`. */
export function openStore(dir: string | undefined) {
  const database = openDatabase(dir);
  const sql = new Sql(database);
  return {
    database: database as Sql['database'],
    sql,
    settings: new SandboxSettings(sql),
    contacts: new Contacts(sql),
    agents: new Agents(sql),
    tickets: new Tickets(sql),
    messages: new Entries<MessageView, MessageBody>(sql, 'messages'),
    events: new Entries<EventView, EventBody>(sql, 'events'),
    review: new Review(sql),
    write: <T>(work: () => T): T => sql.write(work),
    // So that a folder at rest holds one file.
    close: () => void database.close(),
  };
}

export class SandboxSettings extends Table {
  get(name: string): string | undefined {
    return this.sql.value('SELECT value FROM settings WHERE name = ?', name);
  }

  set(name: string, value: string): void {
    this.sql.insert('settings', { name, value }, 'OR REPLACE');
  }

  getOrMake(name: string, make: () => string): string {
    const kept = this.get(name);
    if (kept !== undefined) return kept;
    const made = make();
    this.set(name, made);
    return made;
  }
}
