/** Stored tickets (specification, 2.1; public facts). */
import { isRunTag } from '../../domain/identity.ts';
import type { TicketBody, TicketChanges } from '../core/bodies.ts';
import type { Sql } from './database.ts';
import { excerptOf } from './excerpt.ts';
import { keptIso, keptMs, rowNumber } from './kept-values.ts';
import { allTags, bound, type Condition, searchConditions, where } from './search.ts';
import type { TextIndex } from './text-index.ts';

export interface TicketRow {
  seq: number;
  subject: string;
  contact_seq: number | null;
  contact_email: string | null;
  contact_name: string | null;
  /** IDs of further contacts, a JSON array or null. */
  contact_ids: string | null;
  status: string;
  priority: string;
  /** A JSON array or null. */
  tags: string | null;
  customer_id: string | null;
  app_id: string | null;
  channel_id: string;
  assigned_to_id: string | null;
  assignee_name: string | null;
  assignee_email: string | null;
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
  /** The beginning of the thread (excerpt.ts); null without a public message. */
  excerpt: string | null;
  last_message: string | null;
  last_message_ms: number;
  first_response_ms: number | null;
}

/** Selects the columns of TicketRow; conditions and order follow. */
export const TICKET_ROWS = `
  SELECT tickets.*, contacts.email AS contact_email, contacts.name AS contact_name,
    agents.name AS assignee_name, agents.email AS assignee_email
  FROM tickets LEFT JOIN contacts ON contacts.seq = tickets.contact_seq
    LEFT JOIN agents ON agents.id = tickets.assigned_to_id`;

/** The ticket's number in its source, from its tags. */
export function sourceNumber(tags: readonly string[]): string | undefined {
  for (const from of tags.filter((tag) => tag.startsWith('from-'))) {
    const own = `${from.slice('from-'.length)}-`;
    const tag = tags.find((each) => each.startsWith(own) && !each.startsWith(`${own}-`));
    if (tag !== undefined) return tag.slice(own.length);
  }
  return undefined;
}

/** An identity tag of an import: not a topic. */
export function isImportTag(tag: string, tags: readonly string[]): boolean {
  if (tag.startsWith('from-') || isRunTag(tag)) return true;
  const sources = tags.filter((each) => each.startsWith('from-')).map((from) => from.slice('from-'.length));
  return sources.some((source) => tag.startsWith(`${source}-`) || tag.startsWith(`${source}:`));
}

/** Each tag once; null without tags. */
export function keptTags(tags: readonly string[] | undefined): string | null {
  return tags === undefined || tags.length === 0 ? null : JSON.stringify([...new Set(tags)]);
}

export const API_CHANNEL = 'chn_api';

/** A field of a body, its column, and the conversion. */
const COLUMNS: readonly (readonly [keyof TicketBody, string, ((value: never) => string | number | null)?])[] =
  [
    ['subject', 'subject'],
    ['status', 'status'],
    ['priority', 'priority'],
    ['tags', 'tags', keptTags],
    ['customerId', 'customer_id'],
    ['appId', 'app_id'],
    ['channelId', 'channel_id'],
    ['assignedToId', 'assigned_to_id'],
    ['contactIds', 'contact_ids', (ids: string[]) => JSON.stringify(ids)],
    ['createdAt', 'created_at', keptIso],
    ['resolvedAt', 'resolved_at', keptIso],
    ['closedAt', 'closed_at', keptIso],
    ['readOnly', 'read_only', Number],
    ['managedBy', 'managed_by'],
    ['lastMessageAt', 'last_message_ms', keptMs],
    ['updatedAt', 'updated_ms', keptMs],
  ];

/** Filters of a list of the Core API; all must hold. */
export interface ListFilter {
  /** In the subject, the contact's name or address. */
  readonly search?: string | undefined;
  /** All of these. */
  readonly tags?: readonly string[] | undefined;
  /** Set by faults: conditions of hidden tickets. */
  readonly hidden?: readonly string[] | undefined;
}

export class Tickets {
  readonly #sql: Sql;
  readonly #texts: TextIndex;

  constructor(sql: Sql, texts: TextIndex) {
    this.#sql = sql;
    this.#texts = texts;
  }

  /** Returns the number of the new row. Keeps the original times. Call inside a write. */
  insert(ticket: TicketBody, contactSeq: number | null, now: number): number {
    const createdMs = ticket.createdAt === undefined ? now : keptMs(ticket.createdAt);
    const row = {
      status: 'open',
      priority: 'normal',
      created_at: new Date(now).toISOString(),
      created_ms: createdMs,
      contact_seq: contactSeq,
      read_only: 0,
      received_ms: now,
      updated_ms: now,
      last_message_ms: createdMs,
      ...columnsOf(ticket),
    };
    const names = Object.keys(row);
    const seq = this.#sql.insert(
      `INSERT INTO tickets (${names.join(', ')}) VALUES (${names.map((name) => `@${name}`).join(', ')})`,
      row,
    );
    this.#tag(seq, ticket.tags ?? []);
    this.#texts.changed(seq);
    return seq;
  }

  /** Replaces the given fields. Call inside a write. */
  update(seq: number, changes: TicketChanges, contactSeq: number | null | undefined, now: number): void {
    const row = {
      updated_ms: now,
      ...(contactSeq === undefined ? {} : { contact_seq: contactSeq }),
      ...columnsOf(changes),
    };
    const sets = Object.keys(row).map((name) => `${name} = @${name}`);
    this.#sql.run(`UPDATE tickets SET ${sets.join(', ')} WHERE seq = @seq`, { ...row, seq });
    if (changes.tags !== undefined) {
      this.#sql.run('DELETE FROM ticket_tags WHERE ticket_seq = ?', seq);
      this.#tag(seq, changes.tags);
    }
    this.#texts.changed(seq);
  }

  #tag(seq: number, tags: readonly string[]): void {
    for (const tag of tags)
      this.#sql.run(
        'INSERT OR IGNORE INTO ticket_tags (tag, ticket_seq, offered) VALUES (?, ?, ?)',
        tag,
        seq,
        Number(!isImportTag(tag, tags)),
      );
  }

  get(seq: number): TicketRow | undefined {
    return this.#sql.get(`${TICKET_ROWS} WHERE tickets.seq = ?`, seq);
  }

  /** For the Core API, newest first. `after`: the page begins behind this place. */
  list(
    filter: ListFilter,
    { take, after }: { take: number; after: { ms: number; seq: number } | undefined },
  ): TicketRow[] {
    const conditions = this.#conditions(filter);
    if (after !== undefined)
      conditions.push({
        sql: '(tickets.created_ms, tickets.seq) < (?, ?)',
        values: [after.ms, after.seq],
      });
    return this.#sql.all(
      `${TICKET_ROWS} ${where(conditions)} ORDER BY tickets.created_ms DESC, tickets.seq DESC LIMIT ?`,
      ...bound(conditions),
      take,
    );
  }

  count(filter: ListFilter): number {
    const conditions = this.#conditions(filter);
    const sql = `SELECT count(*) FROM tickets ${where(conditions)}`;
    return this.#sql.value<number>(sql, ...bound(conditions)) ?? 0;
  }

  #conditions({ search = '', tags = [], hidden = [] }: ListFilter): Condition[] {
    if (search !== '') this.#texts.bringUpToDate();
    return [
      ...searchConditions(search, 'subject'),
      ...hidden.map((sql): Condition => ({ sql: `NOT (${sql})`, values: [] })),
      ...(tags.length === 0 ? [] : [allTags(tags)]),
    ];
  }

  /**
   * The tickets with a number: their own (`17`, `tkt_000000000017`), or the source's, from the tags of an import (`zendesk-1041` with
   * `from-zendesk`).
   */
  numbered(text: string): number[] {
    const number = text.trim().replace(/^#/, '');
    if (number === '' || /\s/.test(number)) return [];
    const own = /^\d{1,12}$/.test(number) ? Number(number) : (rowNumber('ticket', number) ?? -1);
    return this.#sql
      .all<{ seq: number }>(
        `SELECT seq FROM tickets WHERE seq = @own
         UNION SELECT ticket_seq FROM ticket_tags WHERE tag IN (
           SELECT DISTINCT substr(tag, 6) || '-' || @number FROM ticket_tags WHERE tag >= 'from-' AND tag < 'from.')`,
        { own, number },
      )
      .map(({ seq }) => seq);
  }

  /** Updates the excerpt and counts of a ticket's thread. Call inside a write. */
  threadChanged(seq: number, now: number): void {
    const excerpt = (order: 'ASC' | 'DESC') => {
      const row = this.#sql.get<{ content: string; content_type: 'text' }>(
        `SELECT content, content_type FROM messages WHERE ticket_seq = ? AND is_internal = 0 AND content <> ''
         ORDER BY position ${order} LIMIT 1`,
        seq,
      );
      return row === undefined ? null : excerptOf(row.content, row.content_type);
    };
    this.#sql.run(
      `UPDATE tickets SET updated_ms = @now, excerpt = @first, last_message = @last,
         message_count = (SELECT count(*) FROM messages WHERE ticket_seq = @seq),
         event_count = (SELECT count(*) FROM events WHERE ticket_seq = @seq),
         last_message_ms = coalesce((SELECT max(occurred_ms) FROM messages WHERE ticket_seq = @seq), last_message_ms),
         first_response_ms = (SELECT min(occurred_ms) FROM messages
           WHERE ticket_seq = @seq AND actor_type = 'agent' AND is_internal = 0)
       WHERE seq = @seq`,
      { seq, now, first: excerpt('ASC'), last: excerpt('DESC') },
    );
    this.#texts.changed(seq);
  }
}

function columnsOf(body: TicketBody | TicketChanges): Record<string, string | number | null> {
  const given = body as Partial<TicketBody>;
  const kept: Record<string, string | number | null> = {};
  for (const [field, column, keep] of COLUMNS) {
    const value = given[field];
    if (value !== undefined) kept[column] = keep === undefined ? (value as string) : keep(value as never);
  }
  return kept;
}
