/** A small model of the helpdesk: its tickets, its ways (`Ways`), and the person who works in it. */
import type { EventPayload, MessagePayload, TicketPayload } from '../../src/domain/payload.ts';
import { mix } from '../support/seeded.ts';

/** How services differ. */
export interface Ways {
  readonly hasTotal: boolean;
  /** GET of a single message. */
  readonly hasMessage: boolean;
  readonly messageId: 'kept' | 'dropped' | 'refused';
  /** A new ticket has a line of the service's own. */
  readonly ownLine: boolean;
  readonly putAnswer: 'list' | 'empty' | 'accepted' | 'dropped';
  /** The index of tags shows a ticket so many milliseconds after it was made; of one ticket in four it shows none. */
  readonly tagsLagMs: number;
  readonly losesTags: boolean;
  readonly appendsEvents: boolean;
  /** It copies files to its own address, and shows that in its answer or only later. */
  readonly copies: 'no' | 'answer' | 'later';
  readonly hasContacts: boolean;
}

export interface Message extends Omit<MessagePayload, 'id'> {
  readonly id: string;
}

export interface Ticket {
  readonly id: string;
  readonly madeAt: number;
  payload: TicketPayload;
  messages: Message[];
  events: EventPayload[];
  /** What people do waits until then: no program can know of it before. */
  quietUntil: number;
  writes: number;
  /** Texts that the checkpoint knows as sent; before that a deleted message is one that has not arrived. */
  recorded: ReadonlySet<string>;
}

export const ACTS = ['answer', 'edit', 'delete', 'close', 'tag', 'link', 'file', 'name', 'priority'] as const;
export type ActKind = (typeof ACTS)[number];

/** What a person did, which must still be so at the end. */
export interface Done {
  readonly ticket: Ticket;
  readonly kind: ActKind;
  readonly what: string;
  /** The text before an edit or a deletion. */
  readonly before?: string;
}

export interface Response {
  readonly status: number;
  readonly body: unknown;
}

export class Helpdesk {
  readonly tickets: Ticket[] = [];
  readonly done: Done[] = [];
  /** Names of customers by address. */
  readonly contacts = new Map<string, string | undefined>();
  /** Writes to tickets that are not the import's. */
  readonly trespasses: string[] = [];
  /** Requests with a field that it does not take. */
  refusedFields = 0;
  readonly ways: Ways;
  readonly now: () => number;
  #ids = 0;

  constructor(ways: Ways, now: () => number) {
    this.ways = ways;
    this.now = now;
    this.#make({ subject: 'A stranger', createdAt: '2020-01-01T00:00:00.000Z', tags: ['vip'] });
    this.#make({
      subject: 'Another import',
      createdAt: '2020-01-02T00:00:00.000Z',
      tags: ['other-1', 'from-other'],
    });
    for (const { messages } of this.tickets)
      messages.push({ id: this.#nextId(), actorType: 'system', content: 'Theirs', occurredAt: STARTED });
  }

  ours(): Ticket[] {
    return this.tickets.slice(STRANGERS);
  }

  handle(method: string, path: string, body: unknown): Response {
    const url = new URL(path, 'http://h');
    const [, id, part, messageId] = url.pathname.split('/').slice(4).map(decodeURIComponent);
    if (url.pathname === '/api/core/v1/contacts' && this.ways.hasContacts)
      return this.#contacts(url.searchParams);
    if (!url.pathname.startsWith('/api/core/v1/tickets')) return refusal(404, 'not_found');
    if (id === undefined)
      return method === 'POST' ? this.#create(body as TicketPayload) : this.#list(url.searchParams);
    const ticket = this.tickets.find((each) => each.id === id);
    if (ticket === undefined) return refusal(404, 'not_found');
    if (method === 'GET') return this.#read(ticket, part, messageId);
    if (this.tickets.indexOf(ticket) < STRANGERS) this.trespasses.push(`${method} ${path}`);
    ticket.writes += 1;
    if (part === 'messages') return this.#putMessages(ticket, body as MessagePayload[]);
    if (part === 'events') return this.#putEvents(ticket, body as EventPayload[]);
    ticket.payload = { ...ticket.payload, ...(body as Partial<TicketPayload>) };
    return { status: 200, body: shown(ticket) };
  }

  /** Whether the person found something to do. */
  act(ticket: Ticket, kind: ActKind, pick: number): boolean {
    const what = `by a person, ${this.done.length + 1}`;
    if (kind === 'answer') {
      const content = `Answer ${what}`;
      const occurredAt = new Date(Date.parse(STARTED) + this.now()).toISOString();
      ticket.messages.push({ id: this.#nextId(), actorType: 'agent', agentId: 'agt_9', content, occurredAt });
      this.done.push({ ticket, kind, what: content });
      return true;
    }
    if (kind === 'name') {
      const { email = '' } = ticket.payload.contact ?? {};
      if (!this.ways.hasContacts || !this.contacts.has(email)) return false;
      this.contacts.set(email, what);
      this.done.push({ ticket, kind, what });
      return true;
    }
    if (kind === 'priority') {
      ticket.payload = { ...ticket.payload, priority: 'urgent' };
      this.done.push({ ticket, kind, what: 'urgent' });
      return true;
    }
    if (kind === 'link' || kind === 'file') return this.#editPart(ticket, kind);
    if (kind === 'close' && ticket.payload.status === 'closed') return false;
    if (kind === 'close' || kind === 'tag') {
      const { tags = [] } = ticket.payload;
      const fields =
        kind === 'close' ? { status: 'closed' as const } : { tags: [...tags, `tag-${this.done.length}`] };
      ticket.payload = { ...ticket.payload, ...fields };
      this.done.push({ ticket, kind, what: kind === 'close' ? 'closed' : `tag-${this.done.length}` });
      return true;
    }
    const imported = ticket.messages
      .filter(isAsImported)
      .filter(({ content }) =>
        kind === 'delete' ? ticket.recorded.has(content) : content.startsWith('Export'),
      );
    const message = imported[pick % Math.max(1, imported.length)];
    if (message === undefined) return false;
    const { content: before } = message;
    if (kind === 'delete') ticket.messages = ticket.messages.filter((each) => each !== message);
    else message.content = `Edited ${what}`;
    this.done.push({ ticket, kind, what: `Edited ${what}`, before });
    return true;
  }

  #contacts(query: URLSearchParams): Response {
    const asked = query.getAll('email');
    const found = [...this.contacts].filter(([email]) => asked.includes(email));
    return { status: 200, body: { contacts: found.map(([email, name]) => ({ id: email, email, name })) } };
  }

  /** A link or the address of a file in an imported message that the checkpoint knows as sent. */
  #editPart(ticket: Ticket, kind: 'link' | 'file'): boolean {
    const what = `${BY_PEOPLE}${this.done.length}.`;
    const message = ticket.messages
      .filter(isAsImported)
      .find(
        ({ content, attachments = [] }) =>
          ticket.recorded.has(content) &&
          (kind === 'link' ? content.includes('href') : attachments.length > 0),
      );
    if (message === undefined) return false;
    const { content: before } = message;
    if (kind === 'link') message.content = before.replace(/href="[^"]*"/, `href="${what}"`);
    else message.attachments = (message.attachments ?? []).map((each) => ({ ...each, url: what }));
    this.done.push({ ticket, kind, what, before });
    return true;
  }

  #make(payload: TicketPayload): Ticket {
    const madeAt = this.now();
    const ticket: Ticket = {
      id: `T${this.tickets.length + 1}`,
      madeAt,
      payload,
      messages: [],
      events: [],
      quietUntil: 0,
      writes: 0,
      recorded: new Set(),
    };
    this.tickets.push(ticket);
    return ticket;
  }

  #create(payload: TicketPayload): Response {
    const ticket = this.#make(payload);
    const { email, name } = payload.contact ?? {};
    if (email !== undefined) this.contacts.set(email, name ?? this.contacts.get(email));
    if (this.ways.ownLine)
      ticket.messages.push({
        id: this.#nextId(),
        actorType: 'system',
        content: 'Ticket created.',
        occurredAt: STARTED,
      });
    return { status: 201, body: shown(ticket) };
  }

  #list(query: URLSearchParams): Response {
    const tags = query.get('tags')?.split(',') ?? [];
    const search = query.get('search')?.toLowerCase() ?? '';
    const found = this.tickets
      .filter((ticket) => tags.every((tag) => this.#isIndexed(ticket, tag)))
      .filter(({ payload }) => payload.subject.toLowerCase().includes(search));
    const tickets = found.slice(0, Number(query.get('take') ?? 100)).map(shown);
    return { status: 200, body: { tickets, ...(this.ways.hasTotal ? { total: found.length } : {}) } };
  }

  #isIndexed(ticket: Ticket, tag: string): boolean {
    const { tagsLagMs, losesTags } = this.ways;
    const isLost = losesTags && !tag.startsWith('from-') && mix(ticket.madeAt, 7) % 4 === 0;
    return !isLost && this.now() >= ticket.madeAt + tagsLagMs && ticket.payload.tags?.includes(tag) === true;
  }

  #read(ticket: Ticket, part: string | undefined, messageId: string | undefined): Response {
    if (part === undefined) return { status: 200, body: shown(ticket) };
    if (part === 'events') return { status: 200, body: { events: structuredClone(ticket.events) } };
    const { hasMessage, hasTotal } = this.ways;
    const messages = structuredClone(ticket.messages);
    if (messageId === undefined)
      return { status: 200, body: { messages, ...(hasTotal ? { total: messages.length } : {}) } };
    const message = hasMessage ? messages.find(({ id }) => id === messageId) : undefined;
    return message === undefined ? refusal(404, 'not_found') : { status: 200, body: message };
  }

  #putMessages(ticket: Ticket, list: readonly MessagePayload[]): Response {
    const { messageId: ids, putAnswer } = this.ways;
    const known = new Set(ticket.messages.map(({ id }) => id));
    if (ids === 'refused' && list.some(({ messageId }) => messageId !== undefined)) {
      this.refusedFields += 1;
      return refusal(422, 'unknown field messageId');
    }
    if (list.some(({ id }) => id !== undefined && !known.has(id))) return refusal(422, 'unknown message');
    const own = /^Export (\w+)/.exec(list[0]?.content ?? '')?.[1];
    const whose =
      ticket.payload.contact?.email === 'other@example.com'
        ? 'other'
        : ticket.payload.subject.split(' ').at(-1);
    if (own !== undefined && own !== whose)
      this.trespasses.push(`messages of ${own} in ${ticket.payload.subject}`);
    if (putAnswer !== 'dropped' || ticket.writes > 1)
      ticket.messages = list.map(({ messageId, ...message }) => ({
        ...this.#copied(message, ticket),
        ...(ids === 'kept' && messageId !== undefined ? { messageId } : {}),
        id: message.id ?? this.#nextId(),
      }));
    if (putAnswer === 'list') {
      const answered =
        this.ways.copies === 'later'
          ? ticket.messages.map((each) => ({
              ...each,
              attachments: list.find(({ content }) => content === each.content)?.attachments,
            }))
          : ticket.messages;
      return { status: 200, body: structuredClone(answered) };
    }
    return putAnswer === 'empty'
      ? { status: 200, body: undefined }
      : { status: 202, body: { success: true } };
  }

  /** A file that it has a copy of, or that a person replaced, must not come again. */
  #copied(message: Omit<MessagePayload, 'messageId'>, ticket: Ticket): Omit<MessagePayload, 'messageId'> {
    const { attachments, ...copy } = structuredClone(message);
    if (attachments === undefined) return copy;
    const before = ticket.messages.find(({ id }) => id === message.id);
    const files = attachments.map((file) => {
      const had = before?.attachments?.find(({ name }) => name === file.name)?.url;
      const isOld = file.url.startsWith('https://old.example');
      if (isOld && had?.startsWith('https://old.example') === false)
        this.trespasses.push(`file ${file.name} of ${message.content} was ${had}`);
      return isOld && this.ways.copies !== 'no'
        ? { ...file, url: `https://desk.example/${this.#nextId()}` }
        : file;
    });
    return { ...copy, attachments: files };
  }

  #putEvents(ticket: Ticket, list: readonly EventPayload[]): Response {
    ticket.events = [...(this.ways.appendsEvents ? ticket.events : []), ...structuredClone(list)];
    return { status: 200, body: this.ways.putAnswer === 'list' ? structuredClone(ticket.events) : undefined };
  }

  #nextId(): string {
    this.#ids += 1;
    return `M${this.#ids}`;
  }
}

/** Addresses that a person put into a message. */
export const BY_PEOPLE = 'https://people.example/';
const isAsImported = ({ content, attachments = [] }: Message) =>
  !content.includes(BY_PEOPLE) && !attachments.some(({ url }) => url.startsWith(BY_PEOPLE));

/** Tickets that were there before. */
const STRANGERS = 2;
const STARTED = '2025-06-02T08:00:00.000Z';

export function refusal(status: number, error: string): Response {
  return { status, body: { error } };
}

function shown({ id, payload }: Ticket) {
  return { status: 'open', priority: 'normal', assignedToId: null, ...structuredClone(payload), id };
}
