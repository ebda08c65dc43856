/** Stored messages and events of tickets (specification, 2.2 to 2.4; public facts). */
import type { EventBody, MessageBody } from '../core/bodies.ts';
import type { Sql } from './database.ts';
import { messageText, passageOf } from './excerpt.ts';
import { keptIso, keptMs } from './kept-values.ts';

/** The author or actor. */
interface ActorRow {
  actor_type: string;
  agent_id: string | null;
  agent_email: string | null;
  agent_name: string | null;
  contact_seq: number | null;
  contact_email: string | null;
  contact_name: string | null;
}

interface EntryRow extends ActorRow {
  seq: number;
  ticket_seq: number;
  position: number;
  occurred_at: string;
  occurred_ms: number;
  created_ms: number;
}

export interface MessageRow extends EntryRow {
  content: string;
  content_type: string;
  is_internal: number;
  attachments: string | null;
  /** `messageId`, `inReplyToId` and `referencesIds`, if any. */
  mail_ids: string | null;
}

export interface EventRow extends EntryRow {
  type: string;
  old_value: string | null;
  new_value: string | null;
}

/** A message to store; `seq` if the ticket has it already. */
export interface MessageToKeep {
  seq?: number | undefined;
  contactSeq: number | null;
  payload: MessageBody;
}

export interface EventToKeep {
  contactSeq: number | null;
  payload: EventBody;
}

/** `messages` or `events` of tickets, in conversation order. */
class Entries<Row extends EntryRow> {
  protected readonly sql: Sql;
  readonly #table: 'messages' | 'events';

  constructor(sql: Sql, table: 'messages' | 'events') {
    this.sql = sql;
    this.#table = table;
  }

  /** In conversation order, as they were sent. */
  ofTicket(ticketSeq: number, take = -1, offset = 0): Row[] {
    return this.sql.all(
      `${this.#rows()} WHERE ticket_seq = ? ORDER BY position LIMIT ? OFFSET ?`,
      ticketSeq,
      take,
      offset,
    );
  }

  one(ticketSeq: number, seq: number): Row | undefined {
    return this.sql.get(`${this.#rows()} WHERE ${this.#table}.seq = ? AND ticket_seq = ?`, seq, ticketSeq);
  }

  count(ticketSeq: number): number {
    return this.sql.value(`SELECT count(*) FROM ${this.#table} WHERE ticket_seq = ?`, ticketSeq) ?? 0;
  }

  #rows(): string {
    return `SELECT ${this.#table}.*, contacts.email AS contact_email, contacts.name AS contact_name,
        agents.email AS agent_email, agents.name AS agent_name
      FROM ${this.#table} LEFT JOIN contacts ON contacts.seq = ${this.#table}.contact_seq
        LEFT JOIN agents ON agents.id = ${this.#table}.agent_id`;
  }

  protected clear(ticketSeq: number): void {
    this.sql.run(`DELETE FROM ${this.#table} WHERE ticket_seq = ?`, ticketSeq);
  }

  protected insert(row: Record<string, string | number | null>): number {
    const names = Object.keys(row);
    const places = names.map((name) => `@${name}`).join(', ');
    return this.sql.insert(`INSERT INTO ${this.#table} (${names.join(', ')}) VALUES (${places})`, row);
  }
}

/** Messages of a ticket to search for the line in a list. */
const MOST_LOOKED_INTO = 20;

export class Messages extends Entries<MessageRow> {
  constructor(sql: Sql) {
    super(sql, 'messages');
  }

  /**
   * Replaces all messages of the ticket. A known message without a time keeps its time; a new one takes the time of the request (2.2).
   * Call inside a write.
   */
  replace(ticketSeq: number, messages: readonly MessageToKeep[], now: number): void {
    const before = new Map(
      messages.some(({ seq }) => seq !== undefined)
        ? this.ofTicket(ticketSeq).map((row) => [row.seq, row])
        : [],
    );
    this.clear(ticketSeq);
    for (const [position, message] of messages.entries())
      this.#insert(ticketSeq, position, message, before.get(message.seq ?? -1), now);
  }

  /** A line of the ticket's messages with one of the words. */
  passage(ticketSeq: number, words: readonly string[]): string | undefined {
    const rows = this.sql.all<Pick<MessageRow, 'content' | 'content_type'>>(
      'SELECT content, content_type FROM messages WHERE ticket_seq = ? ORDER BY position LIMIT ?',
      ticketSeq,
      MOST_LOOKED_INTO,
    );
    for (const { content, content_type } of rows) {
      const found = passageOf(messageText(content, content_type), words);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  #insert(
    ticketSeq: number,
    position: number,
    { seq, contactSeq, payload }: MessageToKeep,
    before: MessageRow | undefined,
    now: number,
  ): number {
    const { attachments = [], messageId, inReplyToId, referencesIds } = payload;
    const hasMailIds = messageId !== undefined || inReplyToId !== undefined || referencesIds !== undefined;
    return this.insert({
      seq: seq ?? null,
      ticket_seq: ticketSeq,
      position,
      actor_type: payload.actorType ?? 'system',
      content: payload.content,
      content_type: payload.contentType ?? 'text',
      ...timesOf(payload.occurredAt ?? before?.occurred_at, now),
      contact_seq: contactSeq,
      agent_id: payload.agentId ?? null,
      is_internal: Number(payload.isInternal ?? false),
      attachments: attachments.length === 0 ? null : JSON.stringify(attachments),
      mail_ids: hasMailIds ? JSON.stringify({ messageId, inReplyToId, referencesIds }) : null,
      created_ms: before?.created_ms ?? now,
    });
  }
}

export class Events extends Entries<EventRow> {
  constructor(sql: Sql) {
    super(sql, 'events');
  }

  /** Replaces all events of the ticket. Call inside a write. */
  replace(ticketSeq: number, events: readonly EventToKeep[], now: number): void {
    this.clear(ticketSeq);
    this.append(ticketSeq, events, now);
  }

  /** Appends events and returns their numbers. Call inside a write. */
  append(ticketSeq: number, events: readonly EventToKeep[], now: number): void {
    const first = this.count(ticketSeq);
    for (const [index, { contactSeq, payload }] of events.entries())
      this.insert({
        ticket_seq: ticketSeq,
        position: first + index,
        type: payload.type,
        old_value: storedValue(payload.oldValue),
        new_value: storedValue(payload.newValue),
        actor_type: payload.actorType,
        agent_id: payload.agentId ?? null,
        contact_seq: contactSeq,
        ...timesOf(payload.occurredAt, now),
        created_ms: now,
      });
  }
}

function timesOf(text: string | undefined, now: number): { occurred_at: string; occurred_ms: number } {
  const ms = text === undefined ? now : keptMs(text);
  return { occurred_at: text === undefined ? new Date(now).toISOString() : keptIso(text), occurred_ms: ms };
}

function storedValue(value: Record<string, unknown> | undefined): string | null {
  return value === undefined ? null : JSON.stringify(value);
}
