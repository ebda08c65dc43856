/** Tickets as they are kept and as they are answered (specification, 2.1). */
import type { TicketPayload } from '../../domain/payload.ts';
import type { SqliteDatabase, Statement } from './database.ts';
import { keptIso, keptTimeOr, publicId } from './kept-values.ts';
import type { ContactRow } from './people.ts';
import { searchableMarks, searchableWords } from './search.ts';

export interface TicketRow {
  seq: number;
  subject: string;
  contact_seq: number | null;
  contact_email: string | null;
  contact_name: string | null;
  status: string;
  priority: string;
  /** JSON array, or null for none. */
  tags: string | null;
  customer_id: string | null;
  app_id: string | null;
  assigned_to_id: string | null;
  created_at: string;
  created_ms: number;
  resolved_at: string | null;
  closed_at: string | null;
  read_only: number;
  managed_by: string | null;
  received_ms: number;
  updated_ms: number;
  message_count: number;
  event_count: number;
  /** How the thread begins (excerpt.ts); null without a public message. */
  excerpt: string | null;
}

/** A ticket as the Core API answers it: the fields of 2.1, and what a service knows besides. */
export interface TicketView {
  id: string;
  subject: string;
  status: string;
  priority: string;
  tags: string[];
  contactId: string | null;
  contact: { id: string; email: string; name: string | null } | null;
  customerId: string | null;
  appId: string | null;
  assignedToId: string | null;
  createdAt: string;
  updatedAt: string;
  resolvedAt: string | null;
  closedAt: string | null;
  readOnly: boolean;
  managedBy: string | null;
  messageCount: number;
  eventCount: number;
}

/** The create body, where the time may be left to the service. */
export type NewTicket = Omit<TicketPayload, 'createdAt' | 'contact' | 'contactId'> & { createdAt?: string };

/** Selects what TicketRow holds; conditions and order follow. */
export const TICKET_ROWS = `
  SELECT tickets.*, contacts.email AS contact_email, contacts.name AS contact_name
  FROM tickets LEFT JOIN contacts ON contacts.seq = tickets.contact_seq`;

export function parsedTags(tags: string | null): string[] {
  return tags === null ? [] : (JSON.parse(tags) as string[]);
}

export function ticketView(row: TicketRow): TicketView {
  const contactId = row.contact_seq === null ? null : publicId('contact', row.contact_seq);
  return {
    id: publicId('ticket', row.seq),
    subject: row.subject,
    status: row.status,
    priority: row.priority,
    tags: parsedTags(row.tags),
    contactId,
    contact:
      contactId === null ? null : { id: contactId, email: row.contact_email ?? '', name: row.contact_name },
    customerId: row.customer_id,
    appId: row.app_id,
    assignedToId: row.assigned_to_id,
    createdAt: row.created_at,
    updatedAt: new Date(row.updated_ms).toISOString(),
    resolvedAt: row.resolved_at,
    closedAt: row.closed_at,
    readOnly: row.read_only === 1,
    managedBy: row.managed_by,
    messageCount: row.message_count,
    eventCount: row.event_count,
  };
}

export class Tickets {
  readonly #insert: Statement;
  readonly #insertTag: Statement;
  readonly #index: Statement;
  readonly #bySeq: Statement;
  readonly #exists: Statement;
  readonly #touchMessages: Statement;
  readonly #touchEvents: Statement;

  constructor(database: SqliteDatabase) {
    this.#insert = database.prepare(`
      INSERT INTO tickets (subject, contact_seq, status, priority, tags, customer_id, app_id, assigned_to_id,
        created_at, created_ms, resolved_at, closed_at, read_only, managed_by, received_ms, updated_ms)
      VALUES (@subject, @contact_seq, @status, @priority, @tags, @customer_id, @app_id, @assigned_to_id,
        @created_at, @created_ms, @resolved_at, @closed_at, @read_only, @managed_by, @received_ms, @updated_ms)`);
    this.#insertTag = database.prepare('INSERT OR IGNORE INTO ticket_tags (tag, ticket_seq) VALUES (?, ?)');
    this.#index = database.prepare('INSERT INTO tickets_fts (rowid, words, marks) VALUES (?, ?, ?)');
    this.#bySeq = database.prepare(`${TICKET_ROWS} WHERE tickets.seq = ?`);
    this.#exists = database.prepare('SELECT 1 FROM tickets WHERE seq = ?').pluck();
    this.#touchMessages = database.prepare(
      'UPDATE tickets SET message_count = ?, excerpt = ?, updated_ms = ? WHERE seq = ?',
    );
    this.#touchEvents = database.prepare('UPDATE tickets SET event_count = ?, updated_ms = ? WHERE seq = ?');
  }

  /** The row as it was inserted. The original times are kept. To be called inside a write. */
  insert(ticket: NewTicket, contact: ContactRow | null, now: number): TicketRow {
    const created = keptTimeOr(ticket.createdAt, now);
    const tags = [...new Set(ticket.tags ?? [])];
    const row = {
      subject: ticket.subject,
      contact_seq: contact?.seq ?? null,
      status: ticket.status ?? 'open',
      priority: ticket.priority ?? 'normal',
      tags: tags.length === 0 ? null : JSON.stringify(tags),
      customer_id: ticket.customerId ?? null,
      app_id: ticket.appId ?? null,
      assigned_to_id: ticket.assignedToId ?? null,
      created_at: created.iso,
      created_ms: created.ms,
      resolved_at: keptIso(ticket.resolvedAt),
      closed_at: keptIso(ticket.closedAt),
      read_only: ticket.readOnly === true ? 1 : 0,
      managed_by: ticket.managedBy ?? null,
      received_ms: now,
      updated_ms: now,
    };
    const seq = Number(this.#insert.run(row).lastInsertRowid);
    for (const tag of tags) this.#insertTag.run(tag, seq);
    this.#index.run(seq, searchableWords(ticket.subject), searchableMarks(ticket.subject));
    return {
      ...row,
      seq,
      contact_email: contact?.email ?? null,
      contact_name: contact?.name ?? null,
      message_count: 0,
      event_count: 0,
      excerpt: null,
    };
  }

  get(seq: number): TicketRow | undefined {
    return this.#bySeq.get(seq) as TicketRow | undefined;
  }

  exists(seq: number): boolean {
    return this.#exists.get(seq) !== undefined;
  }

  /** `excerpt`: how the thread begins, for lists. */
  messagesReplaced(seq: number, count: number, excerpt: string | null, now: number): void {
    this.#touchMessages.run(count, excerpt, now, seq);
  }

  eventsReplaced(seq: number, count: number, now: number): void {
    this.#touchEvents.run(count, now, seq);
  }
}
