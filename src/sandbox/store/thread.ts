/** Messages and events of tickets, as they are kept and as they are answered (specification, 2.2 to 2.4); a list replaces all (public facts). */
import type { AttachmentPayload, EventPayload, MailIds, MessagePayload } from '../../domain/payload.ts';
import type { SqliteDatabase, Statement } from './database.ts';
import { keptTimeOr, publicId } from './kept-values.ts';

export interface MessageRow {
  seq: number;
  ticket_seq: number;
  position: number;
  actor_type: string;
  content: string;
  content_type: string;
  occurred_at: string;
  occurred_ms: number;
  contact_seq: number | null;
  contact_email: string | null;
  contact_name: string | null;
  agent_id: string | null;
  is_internal: number;
  attachments: string | null;
  /** `messageId`, `inReplyToId` and `referencesIds`, where it has any of them. */
  mail_ids: string | null;
}

export interface EventRow {
  seq: number;
  ticket_seq: number;
  position: number;
  type: string;
  old_value: string | null;
  new_value: string | null;
  actor_type: string;
  agent_id: string | null;
  contact_seq: number | null;
  contact_email: string | null;
  contact_name: string | null;
  occurred_at: string;
  occurred_ms: number;
}

interface ThreadContact {
  id: string;
  email: string;
  name: string | null;
}

export interface MessageView {
  id: string;
  ticketId: string;
  actorType: string;
  content: string;
  contentType: string;
  occurredAt: string;
  contactId: string | null;
  contact: ThreadContact | null;
  agentId: string | null;
  isInternal: boolean;
  attachments: AttachmentPayload[];
  messageId: string | null;
  inReplyToId: string | null;
  referencesIds: readonly string[];
}

export interface EventView {
  id: string;
  ticketId: string;
  type: string;
  oldValue: Record<string, unknown> | null;
  newValue: Record<string, unknown> | null;
  actorType: string;
  agentId: string | null;
  contactId: string | null;
  contact: ThreadContact | null;
  occurredAt: string;
}

export function messageView(row: MessageRow): MessageView {
  const contact = threadContact(row);
  const mail = row.mail_ids === null ? {} : (JSON.parse(row.mail_ids) as MailIds);
  return {
    id: publicId('message', row.seq),
    ticketId: publicId('ticket', row.ticket_seq),
    actorType: row.actor_type,
    content: row.content,
    contentType: row.content_type,
    occurredAt: row.occurred_at,
    contactId: contact?.id ?? null,
    contact,
    agentId: row.agent_id,
    isInternal: row.is_internal === 1,
    attachments: row.attachments === null ? [] : (JSON.parse(row.attachments) as AttachmentPayload[]),
    messageId: mail.messageId ?? null,
    inReplyToId: mail.inReplyToId ?? null,
    referencesIds: mail.referencesIds ?? [],
  };
}

export function eventView(row: EventRow): EventView {
  const contact = threadContact(row);
  return {
    id: publicId('event', row.seq),
    ticketId: publicId('ticket', row.ticket_seq),
    type: row.type,
    oldValue: parsedValue(row.old_value),
    newValue: parsedValue(row.new_value),
    actorType: row.actor_type,
    agentId: row.agent_id,
    contactId: contact?.id ?? null,
    contact,
    occurredAt: row.occurred_at,
  };
}

function parsedValue(text: string | null): Record<string, unknown> | null {
  return text === null ? null : (JSON.parse(text) as Record<string, unknown>);
}

function threadContact(row: {
  contact_seq: number | null;
  contact_email: string | null;
  contact_name: string | null;
}): ThreadContact | null {
  if (row.contact_seq === null) return null;
  return {
    id: publicId('contact', row.contact_seq),
    email: row.contact_email ?? '',
    name: row.contact_name,
  };
}

/** A message to keep: `seq` where it is one that the ticket already has. */
export interface MessageToKeep {
  seq?: number;
  contactSeq: number | null;
  payload: Omit<MessagePayload, 'occurredAt'> & { occurredAt?: string };
}

export class Messages {
  readonly #delete: Statement;
  readonly #insert: Statement;
  readonly #ofTicket: Statement;
  readonly #one: Statement;
  readonly #times: Statement;

  constructor(database: SqliteDatabase) {
    this.#delete = database.prepare('DELETE FROM messages WHERE ticket_seq = ?');
    this.#insert = database.prepare(`
      INSERT INTO messages (seq, ticket_seq, position, actor_type, content, content_type, occurred_at, occurred_ms,
        contact_seq, agent_id, is_internal, attachments, mail_ids)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`);
    this.#ofTicket = database.prepare(`
      SELECT messages.*, contacts.email AS contact_email, contacts.name AS contact_name
      FROM messages LEFT JOIN contacts ON contacts.seq = messages.contact_seq
      WHERE ticket_seq = ? ORDER BY position`);
    this.#one = database.prepare('SELECT seq, content FROM messages WHERE seq = ? AND ticket_seq = ?');
    this.#times = database.prepare('SELECT seq, occurred_at FROM messages WHERE ticket_seq = ?');
  }

  /** In conversation order, as they were sent. */
  ofTicket(ticketSeq: number): MessageRow[] {
    return this.#ofTicket.all(ticketSeq) as MessageRow[];
  }

  /** What a message of this ticket says, to the letter. */
  one(ticketSeq: number, seq: number): Pick<MessageRow, 'seq' | 'content'> | undefined {
    return this.#one.get(seq, ticketSeq) as Pick<MessageRow, 'seq' | 'content'> | undefined;
  }

  /** The messages a ticket has now, with their times: what an element may keep. */
  timesOf(ticketSeq: number): Map<number, string> {
    const rows = this.#times.all(ticketSeq) as { seq: number; occurred_at: string }[];
    return new Map(rows.map((row) => [row.seq, row.occurred_at]));
  }

  /**
   * Puts `messages` in the place of all that the ticket has, and answers their ids. A kept message without a time
   * keeps the one it had; any other takes the time of the request (2.2). To be called inside a write.
   */
  replace(ticketSeq: number, messages: readonly MessageToKeep[], now: number): string[] {
    const times = this.timesOf(ticketSeq);
    if (times.size > 0) this.#delete.run(ticketSeq);
    return messages.map(({ seq, contactSeq, payload }, position) => {
      const before = seq === undefined ? undefined : times.get(seq);
      const occurred = keptTimeOr(payload.occurredAt ?? before, now);
      const attachments = payload.attachments ?? [];
      const { lastInsertRowid } = this.#insert.run(
        seq ?? null,
        ticketSeq,
        position,
        payload.actorType,
        payload.content,
        payload.contentType ?? 'text',
        occurred.iso,
        occurred.ms,
        contactSeq,
        payload.agentId ?? null,
        payload.isInternal === true ? 1 : 0,
        attachments.length === 0 ? null : JSON.stringify(attachments),
        mailIdsOf(payload),
      );
      return publicId('message', Number(lastInsertRowid));
    });
  }
}

function mailIdsOf({ messageId, inReplyToId, referencesIds }: MessageToKeep['payload']): string | null {
  if (messageId === undefined && inReplyToId === undefined && referencesIds === undefined) return null;
  return JSON.stringify({ messageId, inReplyToId, referencesIds });
}

interface EventToKeep {
  contactSeq: number | null;
  payload: Omit<EventPayload, 'occurredAt' | 'contactId'> & { occurredAt?: string };
}

export class Events {
  readonly #delete: Statement;
  readonly #insert: Statement;
  readonly #ofTicket: Statement;

  constructor(database: SqliteDatabase) {
    this.#delete = database.prepare('DELETE FROM events WHERE ticket_seq = ?');
    this.#insert = database.prepare(`
      INSERT INTO events (ticket_seq, position, type, old_value, new_value, actor_type, agent_id, contact_seq,
        occurred_at, occurred_ms)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`);
    this.#ofTicket = database.prepare(`
      SELECT events.*, contacts.email AS contact_email, contacts.name AS contact_name
      FROM events LEFT JOIN contacts ON contacts.seq = events.contact_seq
      WHERE ticket_seq = ? ORDER BY position`);
  }

  ofTicket(ticketSeq: number): EventRow[] {
    return this.#ofTicket.all(ticketSeq) as EventRow[];
  }

  /** Puts `events` in the place of all that the ticket has, and answers their ids. To be called inside a write. */
  replace(ticketSeq: number, events: readonly EventToKeep[], now: number): string[] {
    this.#delete.run(ticketSeq);
    return this.append(ticketSeq, events, now);
  }

  count(ticketSeq: number): number {
    return this.ofTicket(ticketSeq).length;
  }

  /** Behind those that are there. To be called inside a write. */
  append(ticketSeq: number, events: readonly EventToKeep[], now: number): string[] {
    const first = this.count(ticketSeq);
    return events.map(({ contactSeq, payload }, index) => {
      const position = first + index;
      const occurred = keptTimeOr(payload.occurredAt, now);
      const { lastInsertRowid } = this.#insert.run(
        ticketSeq,
        position,
        payload.type,
        storedValue(payload.oldValue),
        storedValue(payload.newValue),
        payload.actorType,
        payload.agentId ?? null,
        contactSeq,
        occurred.iso,
        occurred.ms,
      );
      return publicId('event', Number(lastInsertRowid));
    });
  }
}

function storedValue(value: Record<string, unknown> | undefined): string | null {
  return value === undefined || value === null ? null : JSON.stringify(value);
}
