import { PARAMETER } from '../../domain/database.ts';
import { isRunTag } from '../../domain/identity.ts';
import type { TicketPayload } from '../../domain/payload.ts';
import type { TicketBody, TicketChanges } from '../core/bodies.ts';
import { Table } from './database.ts';
import { isoOf, keptIso, keptMs, parsed, publicId, rowNumber } from './kept-values.ts';
import { type Contact, PEOPLE, type Person } from './people.ts';
import {
  allTags,
  assigneeConditions,
  bound,
  type Condition,
  excerptOf,
  searchConditions,
  where,
} from './search.ts';
import type { MessageView } from './thread.ts';

export interface TicketRow {
  readonly seq: number;
  readonly body: string;
  readonly contact: string | null;
  readonly agent: string | null;
  readonly updated_ms: number;
  readonly message_count: number;
  readonly event_count: number;
  readonly excerpt: string | null;
  readonly last_message: string | null;
  readonly last_message_ms: number;
  readonly first_response_ms: number | null;
}

export const TICKET_ROWS = `SELECT tickets.seq, tickets.body, updated_ms, message_count, event_count, excerpt, last_message,
    last_message_ms, first_response_ms, ${PEOPLE} FROM tickets
  LEFT JOIN contacts ON contacts.seq = tickets.contact_seq LEFT JOIN agents ON agents.id = tickets.assigned_to_id`;

/** A ticket without one is in the first. */
export const CHANNELS = [
  { id: 'chn_api', name: 'API', type: 'chat' },
  { id: 'chn_email', name: 'E-mail', type: 'email' },
] as const;

const DEFAULTS = {
  status: 'open',
  priority: 'normal',
  tags: [] as string[],
  readOnly: false,
  channelId: CHANNELS[0].id as string,
} as const;
const NONE: Record<
  'customerId' | 'appId' | 'assignedToId' | 'resolvedAt' | 'closedAt' | 'managedBy',
  string | null
> = {
  customerId: null,
  appId: null,
  assignedToId: null,
  resolvedAt: null,
  closedAt: null,
  managedBy: null,
};
type Kept = Omit<TicketPayload, 'contact' | 'contactId' | keyof typeof NONE | keyof typeof DEFAULTS> &
  typeof NONE &
  Required<Pick<TicketPayload, keyof typeof DEFAULTS>>;

export type TicketView = ReturnType<typeof ticketView>;

export function ticketView(row: TicketRow) {
  const body: Kept = { ...NONE, ...JSON.parse(row.body) };
  const contact = parsed<Contact>(row.contact);
  return {
    ...body,
    id: publicId('ticket', row.seq),
    ticketNumber: row.seq,
    contactId: contact?.id ?? null,
    contact,
    customer: body.customerId === null ? null : { id: body.customerId },
    app: body.appId === null ? null : { id: body.appId },
    assignedTo:
      body.assignedToId === null
        ? null
        : (parsed<Person>(row.agent) ?? { id: body.assignedToId, email: null, name: null }),
    channel: CHANNELS.find(({ id }) => id === body.channelId) ?? CHANNELS[0],
    sourceType: 'api_client',
    updatedAt: isoOf(row.updated_ms),
    firstResponseAt: row.first_response_ms === null ? null : isoOf(row.first_response_ms),
    lastMessageAt: isoOf(row.last_message_ms),
    lastMessage: row.last_message,
    messageCount: row.message_count,
    eventCount: row.event_count,
  };
}

function keptFields({ contact, contactId, ...given }: Partial<TicketBody>): string {
  const time = (text: string | undefined) => (text === undefined ? undefined : keptIso(text));
  const { tags, createdAt, resolvedAt, closedAt } = given;
  return JSON.stringify({
    ...given,
    tags: tags && [...new Set(tags)],
    createdAt: time(createdAt),
    resolvedAt: time(resolvedAt),
    closedAt: time(closedAt),
  });
}

export function sourceNumber(tags: readonly string[]): string | undefined {
  for (const source of sourcesIn(tags)) {
    const tag = tags.find((each) => each.startsWith(`${source}-`) && !each.startsWith(`${source}--`));
    if (tag !== undefined) return tag.slice(source.length + 1);
  }
  return undefined;
}

/** An identity tag is no topic. */
export function isImportTag(tag: string, tags: readonly string[]): boolean {
  if (tag === 'imported' || tag.startsWith('from-') || isRunTag(tag)) return true;
  return sourcesIn(tags).some((source) => tag.startsWith(`${source}-`) || tag.startsWith(`${source}:`));
}

function sourcesIn(tags: readonly string[]): string[] {
  return tags.filter((each) => each.startsWith('from-')).map((from) => from.slice('from-'.length));
}

export interface ListFilter {
  readonly search?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly minUpdatedAt?: string | undefined;
}

export interface InboxFilter {
  readonly search?: string;
  readonly status?: string;
  readonly tag?: string;
  readonly assignee?: string;
}

export type ListedTicket = TicketView & { readonly excerpt: string | null };

export class Tickets extends Table {
  insert(ticket: TicketBody, contactSeq: number | null, now: number): number {
    const createdAt = ticket.createdAt ?? isoOf(now);
    const createdMs = keptMs(createdAt);
    const seq = this.sql.insert('tickets', {
      body: keptFields({ ...DEFAULTS, ...ticket, createdAt }),
      contact_seq: contactSeq,
      created_ms: createdMs,
      received_ms: now,
      updated_ms: now,
      last_message_ms: createdMs,
    });
    this.#tag(seq, ticket.tags ?? []);
    return seq;
  }

  update(seq: number, changes: TicketChanges, contactSeq: number | null | undefined, now: number): void {
    this.sql.run(
      `UPDATE tickets SET body = json_patch(body, ?), updated_ms = ?, contact_seq = iif(?, ?, contact_seq) WHERE seq = ?`,
      keptFields(changes),
      now,
      Number(contactSeq !== undefined),
      contactSeq ?? null,
      seq,
    );
    if (changes.tags !== undefined) {
      this.sql.run('DELETE FROM ticket_tags WHERE ticket_seq = ?', seq);
      this.#tag(seq, changes.tags);
    }
  }

  #tag(seq: number, tags: readonly string[]): void {
    for (const tag of tags)
      this.sql.run(
        'INSERT OR IGNORE INTO ticket_tags (tag, ticket_seq, offered) VALUES (?, ?, ?)',
        tag,
        seq,
        Number(!isImportTag(tag, tags)),
      );
  }

  number(id: string): number | undefined {
    return this.sql.value('SELECT seq FROM tickets WHERE seq = ?', rowNumber('ticket', id) ?? -1);
  }

  get(id: string): TicketView | undefined {
    const row = this.sql.get<TicketRow>(
      `${TICKET_ROWS} WHERE tickets.seq = ${PARAMETER}`,
      rowNumber('ticket', id) ?? -1,
    );
    return row === undefined ? undefined : ticketView(row);
  }

  /** `after`: the page begins behind this place. */
  list(
    filter: ListFilter,
    { take, after }: { take: number; after: { ms: number; seq: number } | undefined },
  ): TicketView[] {
    const conditions = this.#conditions(filter);
    if (after !== undefined)
      conditions.push({ sql: '(created_ms, tickets.seq) < (?, ?)', values: [after.ms, after.seq] });
    return this.sql
      .all<TicketRow>(
        `${TICKET_ROWS} ${where(conditions)} ORDER BY created_ms DESC, tickets.seq DESC LIMIT ?`,
        ...bound(conditions),
        take,
      )
      .map(ticketView);
  }

  count(filter: ListFilter): number {
    const conditions = this.#conditions(filter);
    const sql = `SELECT count(*) FROM tickets ${where(conditions)}`;
    return this.sql.value<number>(sql, ...bound(conditions)) ?? 0;
  }

  #conditions({ search = '', tags = [], minUpdatedAt }: ListFilter): Condition[] {
    const since = minUpdatedAt === undefined ? Number.NaN : Date.parse(minUpdatedAt);
    return [
      ...searchConditions(search, 'subject'),
      ...(tags.length === 0 ? [] : [allTags(tags)]),
      ...(Number.isNaN(since) ? [] : [{ sql: 'updated_ms >= ?', values: [since] }]),
    ];
  }

  /** `assignee`: words of a name, address or ID; "unassigned" is one. */
  inbox({ search = '', status, tag, assignee }: InboxFilter) {
    const others = [...this.#found(search), ...assigneeConditions(assignee ?? '')];
    if (tag !== undefined) others.push(allTags([tag]));
    const matching = this.sql.all<{ status: string; tickets: number }>(
      `SELECT status, count(*) AS tickets FROM tickets ${where(others)} GROUP BY 1`,
      ...bound(others),
    );
    const statuses = Object.fromEntries(matching.map(({ status: name, tickets }) => [name, tickets]));
    const all = matching.reduce((sum, { tickets }) => sum + tickets, 0);
    const conditions =
      status === undefined ? others : [...others, { sql: 'tickets.status = ?', values: [status] }];
    return {
      statuses,
      total: status === undefined ? all : (statuses[status] ?? 0),
      rows: (order: 'newest' | 'oldest', take: number, offset: number): ListedTicket[] => {
        const direction = order === 'newest' ? 'DESC' : 'ASC';
        return this.sql
          .all<TicketRow>(
            `${TICKET_ROWS} ${where(conditions)}
             ORDER BY created_ms ${direction}, tickets.seq ${direction} LIMIT ? OFFSET ?`,
            ...bound(conditions),
            take,
            offset,
          )
          .map((row) => ({ ...ticketView(row), excerpt: row.excerpt }));
      },
    };
  }

  /** Searched once, as it looks at every text. */
  #found(search: string): Condition[] {
    const texts = searchConditions(search, 'everywhere');
    if (texts.length === 0) return [];
    const found = this.sql.column<number>(`SELECT seq FROM tickets ${where(texts)}`, ...bound(texts));
    const values = [JSON.stringify([...found, ...this.numbered(search)])];
    return [{ sql: 'tickets.seq IN (SELECT value FROM json_each(?))', values }];
  }

  /** Its own number (`17`, `tkt_000000000017`), or the source's, from the import's tags. */
  numbered(text: string): number[] {
    const number = text.trim().replace(/^#/, '');
    if (number === '' || /\s/.test(number)) return [];
    const own = /^\d{1,12}$/.test(number) ? Number(number) : (rowNumber('ticket', number) ?? -1);
    return this.sql.column(
      `SELECT seq FROM tickets WHERE seq = @own
       UNION SELECT ticket_seq FROM ticket_tags WHERE tag IN (
         SELECT DISTINCT substr(tag, 6) || '-' || @number FROM ticket_tags WHERE tag >= 'from-' AND tag < 'from.')`,
      { own, number },
    );
  }

  messagesChanged(seq: number, now: number, thread: readonly MessageView[]): void {
    const shown = thread.filter(({ isInternal, content }) => !isInternal && content !== '');
    const excerpt = (of: MessageView | undefined) =>
      of === undefined ? null : excerptOf(of.content, of.contentType);
    const answers = thread.filter(({ actorType, isInternal }) => actorType === 'agent' && !isInternal);
    const times = (messages: readonly MessageView[]) =>
      messages.map(({ occurredAt }) => keptMs(occurredAt)).toSorted((one, other) => one - other);
    this.sql.run(
      `UPDATE tickets SET updated_ms = @now, excerpt = @first, last_message = @last, message_count = @count,
         last_message_ms = coalesce(@latest, last_message_ms), first_response_ms = @answered WHERE seq = @seq`,
      {
        seq,
        now,
        first: excerpt(shown[0]),
        last: excerpt(shown.at(-1)),
        count: thread.length,
        latest: times(thread).at(-1) ?? null,
        answered: times(answers)[0] ?? null,
      },
    );
  }

  eventsChanged(seq: number, now: number, count: number): void {
    this.sql.run('UPDATE tickets SET updated_ms = ?, event_count = ? WHERE seq = ?', now, count, seq);
  }
}
