import { PARAMETER } from '../../domain/database.ts';
import type { ActorType, AttachmentPayload, ContentType } from '../../domain/payload.ts';
import type { EventBody, MessageBody } from '../core/bodies.ts';
import { type Sql, Table } from './database.ts';
import { isoOf, keptIso, parsed, publicId, rowNumber } from './kept-values.ts';
import { type Contact, PEOPLE, type Person } from './people.ts';

interface EntryRow {
  readonly seq: number;
  readonly ticket_seq: number;
  readonly body: string;
  readonly content: string;
  readonly contact: string | null;
  readonly agent: string | null;
  readonly created_ms: number;
}

export interface EntryView {
  readonly id: string;
  readonly ticketId: string;
  readonly actorType: ActorType;
  readonly occurredAt: string;
  readonly createdAt: string;
  readonly contactId: string | null;
  readonly contact: Contact | null;
  readonly agentId: string | null;
  readonly agent: Person | null;
}

export interface MessageView extends EntryView {
  /** Lists cut it; `fullContent` is whole. */
  readonly content: string;
  readonly fullContent: string;
  readonly contentType: ContentType;
  readonly isInternal: boolean;
  readonly attachments: readonly AttachmentPayload[];
  readonly messageId: string | null;
  readonly inReplyToId: string | null;
  readonly referencesIds: readonly string[];
}

export interface EventView extends EntryView {
  readonly type: string;
  readonly oldValue: Readonly<Record<string, unknown>> | null;
  readonly newValue: Readonly<Record<string, unknown>> | null;
  readonly threadMessageId: null;
}

const KINDS = {
  messages: {
    id: 'message',
    kept: { actorType: 'system', contentType: 'text', isInternal: false },
    none: { attachments: [], messageId: null, inReplyToId: null, referencesIds: [] },
  },
  events: { id: 'event', kept: {}, none: { oldValue: null, newValue: null, threadMessageId: null } },
} as const;

/** `seq`: the ticket has it already. */
export interface EntryToKeep<Body> {
  readonly seq?: number | undefined;
  readonly contactSeq: number | null;
  readonly body: Body;
}

/** In conversation order. Call changes inside a write. */
export class Entries<View extends EntryView, Body extends MessageBody | EventBody> extends Table {
  readonly #table: keyof typeof KINDS;
  readonly #rows: string;

  constructor(sql: Sql, table: keyof typeof KINDS) {
    super(sql);
    this.#table = table;
    const content = table === 'messages' ? 'content' : 'NULL AS content';
    this.#rows = `SELECT ${table}.seq, ticket_seq, ${table}.body, ${content}, created_ms, ${PEOPLE} FROM ${table}
      LEFT JOIN contacts ON contacts.seq = ${table}.contact_seq LEFT JOIN agents ON agents.id = ${table}.agent_id`;
  }

  ofTicket(ticketSeq: number, take = -1, offset = 0): View[] {
    return this.sql
      .all<EntryRow>(
        `${this.#rows} WHERE ticket_seq = ${PARAMETER} ORDER BY position LIMIT ${PARAMETER} OFFSET ${PARAMETER}`,
        ticketSeq,
        take,
        offset,
      )
      .map((row) => this.#view(row));
  }

  one(ticketSeq: number, id: string): View | undefined {
    const row = this.sql.get<EntryRow>(
      `${this.#rows} WHERE ${this.#table}.seq = ${PARAMETER} AND ticket_seq = ${PARAMETER}`,
      rowNumber(KINDS[this.#table].id, id) ?? -1,
      ticketSeq,
    );
    return row === undefined ? undefined : this.#view(row);
  }

  #view(row: EntryRow): View {
    const { id, none } = KINDS[this.#table];
    const body = JSON.parse(row.body) as { readonly agentId?: string };
    const contact = parsed<Contact>(row.contact);
    const agentId = body.agentId ?? null;
    const agent =
      parsed<Person>(row.agent) ?? (agentId === null ? null : { id: agentId, email: null, name: null });
    return {
      ...none,
      ...body,
      ...(this.#table === 'messages' && { content: row.content, fullContent: row.content }),
      id: publicId(id, row.seq),
      ticketId: publicId('ticket', row.ticket_seq),
      createdAt: isoOf(row.created_ms),
      contactId: contact?.id ?? null,
      contact,
      agentId,
      agent,
    } as unknown as View;
  }

  /** A known message without a time keeps its time; a new one takes the request's (2.2). */
  replace(ticketSeq: number, entries: readonly EntryToKeep<Body>[], now: number): void {
    const before = new Map(
      entries.some(({ seq }) => seq !== undefined)
        ? this.sql
            .all<{ seq: number; at: string; ms: number }>(
              `SELECT seq, body ->> 'occurredAt' AS at, created_ms AS ms FROM ${this.#table} WHERE ticket_seq = ?`,
              ticketSeq,
            )
            .map((row) => [row.seq, row])
        : [],
    );
    this.sql.run(`DELETE FROM ${this.#table} WHERE ticket_seq = ?`, ticketSeq);
    for (const [index, { seq, contactSeq, body }] of entries.entries()) {
      const known = before.get(seq ?? -1);
      const occurredAt = keptIso(body.occurredAt ?? known?.at ?? isoOf(now));
      const { contact, contactId, id, content, attachments, ...fields } = body as MessageBody;
      const some = attachments?.length ? { attachments } : {};
      this.sql.insert(this.#table, {
        seq,
        ticket_seq: ticketSeq,
        position: index,
        body: JSON.stringify({ ...KINDS[this.#table].kept, ...fields, ...some, occurredAt }),
        content: this.#table === 'messages' ? content : undefined,
        contact_seq: contactSeq,
        created_ms: known?.ms ?? now,
      });
    }
  }
}
