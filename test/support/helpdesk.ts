/** The model of a helpdesk: its tickets, and its ways (`Ways`). It answers requests, and opens no socket. */
import type { EventPayload, MessagePayload, TicketPayload } from '../../src/domain/payload.ts';
import { mix } from './seeded.ts';

/** How services differ. */
export interface Ways {
  /** False: no GET is answered. */
  readonly readable: boolean;
  /** How many tickets a list claims to have: all, none, as many as it shows; or an answer for a tag. */
  readonly total: 'all' | 'none' | 'shown' | ((tag: string) => number | undefined);
  /** The same of a list of one ticket, if other. */
  readonly totalOfOne?: 'all' | 'none';
  /** What a list shows of a ticket. */
  readonly listed: (ticket: Ticket) => Readonly<Record<string, unknown>> | undefined;
  /** Lists lack tickets of this status, or with a subject that ends like this. */
  readonly hides: readonly string[];
  /** The index of tags is an old one until then: only this many tickets are in it. */
  readonly old?: { readonly tickets: number; readonly untilMs: number };
  readonly ignoresTags: boolean;
  /** GET of a single message. */
  readonly hasMessage: boolean;
  readonly messageId: 'kept' | 'dropped' | 'refused';
  /** A new ticket has a line of the service's own. */
  readonly ownLine: boolean;
  /** `dropped` and `refuses` ignore the first PUT; the one says that it was accepted, the other that it failed, both without a status. */
  readonly putAnswer: 'list' | 'empty' | 'accepted' | 'dropped' | 'refuses';
  /** The index of tags shows a ticket so many milliseconds after it was made; of one ticket in four it shows none. */
  readonly tagsLagMs: number;
  readonly losesTags: boolean;
  readonly appendsEvents: boolean;
  /** It copies files to its own address, and shows that in its answer or only later. */
  readonly copies: 'no' | 'answer' | 'later';
  readonly hasContacts: boolean;
}

export const FAIR: Ways = {
  readable: true,
  total: 'all',
  listed: shown,
  hides: [],
  ignoresTags: false,
  hasMessage: true,
  messageId: 'kept',
  ownLine: false,
  putAnswer: 'list',
  tagsLagMs: 0,
  losesTags: false,
  appendsEvents: false,
  copies: 'no',
  hasContacts: true,
};

export interface Message extends Omit<MessagePayload, 'id'> {
  readonly id: string;
}

export interface Ticket {
  readonly id: string;
  readonly madeAt: number;
  payload: TicketPayload;
  messages: readonly Message[];
  events: readonly EventPayload[];
  /** Requests that wrote to it since its create. */
  writes: number;
}

export interface Response {
  readonly status: number;
  readonly body: unknown;
}

export class Helpdesk {
  readonly tickets = new Map<string, Ticket>();
  /** Names of customers by address. */
  readonly contacts = new Map<string, string | undefined>();
  /** Files of the old helpdesk that came again where it has its own copy, or one of a person's. */
  readonly filesAgain: string[] = [];
  /** Requests with a field that it does not take. */
  refusedFields = 0;
  ways: Ways;
  readonly #now: () => number;
  #ids = 0;

  constructor(ways: Partial<Ways> = {}, now: () => number = () => 0) {
    this.ways = { ...FAIR, ...ways };
    this.#now = now;
  }

  nextTicketId = () => `T${this.tickets.size + 1}`;

  handle(method: string, path: string, body: unknown): Response {
    if (method === 'GET' && !this.ways.readable) return refusal(404, 'not_found');
    const url = new URL(path, 'http://h');
    const [, id, part, messageId] = url.pathname.split('/').slice(4).map(decodeURIComponent);
    if (url.pathname === '/api/core/v1/contacts' && this.ways.hasContacts)
      return this.#contacts(url.searchParams);
    if (!url.pathname.startsWith('/api/core/v1/tickets')) return refusal(404, 'not_found');
    if (id === undefined)
      return method === 'POST' ? this.#create(body as TicketPayload) : this.#list(url.searchParams);
    const ticket = this.tickets.get(id);
    if (ticket === undefined) return refusal(404, 'not_found');
    if (method === 'GET') return this.#read(ticket, part, messageId);
    ticket.writes += 1;
    if (part === 'messages') return this.#putMessages(ticket, body as MessagePayload[]);
    if (part === 'events') return this.#putEvents(ticket, body as EventPayload[]);
    ticket.payload = { ...ticket.payload, ...(body as Partial<TicketPayload>) };
    return { status: 200, body: shown(ticket) };
  }

  #contacts(query: URLSearchParams): Response {
    const asked = query.getAll('email');
    const found = [...this.contacts].filter(([email]) => asked.includes(email));
    return { status: 200, body: { contacts: found.map(([email, name]) => ({ id: email, email, name })) } };
  }

  /** A ticket that nobody sent. */
  make(payload: TicketPayload, id = this.nextTicketId()): Ticket {
    const ticket: Ticket = { id, madeAt: this.#now(), payload, messages: [], events: [], writes: 0 };
    this.tickets.set(id, ticket);
    return ticket;
  }

  /** A person writes to the ticket. */
  write(ticketId: string, message: MessagePayload): string {
    const id = this.#nextId();
    const ticket = this.tickets.get(ticketId);
    if (ticket === undefined) throw new Error(`There is no ticket ${ticketId}.`);
    ticket.messages = [...ticket.messages, { ...message, id }];
    return id;
  }

  #create(payload: TicketPayload): Response {
    const ticket = this.make(structuredClone(payload));
    this.#know(payload.contact);
    if (this.ways.ownLine)
      this.write(ticket.id, { actorType: 'system', content: 'Ticket created.', occurredAt: STARTED });
    return { status: 201, body: shown(ticket) };
  }

  #know({ email, name }: Partial<NonNullable<TicketPayload['contact']>> = {}): void {
    if (email !== undefined) this.contacts.set(email, name ?? this.contacts.get(email));
  }

  #list(query: URLSearchParams): Response {
    const tags = query.get('tags')?.split(',') ?? [];
    const search = query.get('search')?.toLowerCase() ?? '';
    const { ignoresTags, total, totalOfOne = total } = this.ways;
    const tagged = [...this.tickets.values()].filter((ticket) =>
      tags.every((tag) => this.#isIndexed(ticket, tag)),
    );
    const has = ({ payload }: Ticket) =>
      [payload.subject, payload.contact?.email ?? ''].some((text) => text.toLowerCase().includes(search));
    const shownOf = (all: readonly Ticket[]) =>
      all.filter(has).flatMap((ticket) => this.#listed(ticket) ?? []);
    const tickets = shownOf(ignoresTags ? [...this.tickets.values()] : tagged);
    const counted = {
      all: () => tagged.filter(has).length,
      none: () => undefined,
      shown: () => shownOf(tagged).length,
    };
    const how = tags.some((tag) => tag.startsWith('from-')) ? total : totalOfOne;
    const count = typeof how === 'function' ? how(tags[0] ?? '') : counted[how]();
    return {
      status: 200,
      body: { tickets: tickets.slice(0, Number(query.get('take') ?? 100)), total: count },
    };
  }

  #listed(ticket: Ticket) {
    const { status = '', subject } = ticket.payload;
    const isHidden = this.ways.hides.some((hidden) => hidden === status || subject.endsWith(` ${hidden}`));
    return isHidden ? undefined : this.ways.listed(ticket);
  }

  #isIndexed(ticket: Ticket, tag: string): boolean {
    const { tagsLagMs, losesTags, old } = this.ways;
    if (old !== undefined && this.#now() < old.untilMs && Number(ticket.id.slice(1)) > old.tickets)
      return false;
    const isLost = losesTags && !tag.startsWith('from-') && mix(ticket.madeAt, 7) % 4 === 0;
    return !isLost && this.#now() >= ticket.madeAt + tagsLagMs && ticket.payload.tags?.includes(tag) === true;
  }

  #read(ticket: Ticket, part: string | undefined, messageId: string | undefined): Response {
    if (part === undefined) return { status: 200, body: shown(ticket) };
    if (part === 'events') return { status: 200, body: { events: structuredClone(ticket.events) } };
    const { hasMessage, total } = this.ways;
    const messages = structuredClone(ticket.messages);
    if (messageId === undefined)
      return { status: 200, body: { messages, ...(total === 'all' ? { total: messages.length } : {}) } };
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
    for (const { contact } of list) this.#know(contact);
    const isIgnored = (putAnswer === 'dropped' || putAnswer === 'refuses') && ticket.writes === 1;
    if (!isIgnored)
      ticket.messages = list.map(({ messageId, ...message }) => ({
        ...this.#copied(message, ticket),
        ...(ids === 'kept' && messageId !== undefined ? { messageId } : {}),
        id: message.id ?? this.#nextId(),
      }));
    if (putAnswer === 'refuses' && isIgnored) return { status: 200, body: { success: false } };
    if (putAnswer === 'list' || putAnswer === 'refuses') {
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
        this.filesAgain.push(`file ${file.name} of ${message.content} was ${had}`);
      return isOld && this.ways.copies !== 'no'
        ? { ...file, url: `https://desk.example/${this.#nextId()}` }
        : file;
    });
    return { ...copy, attachments: files };
  }

  #putEvents(ticket: Ticket, list: readonly EventPayload[]): Response {
    ticket.events = [...(this.ways.appendsEvents ? ticket.events : []), ...structuredClone(list)];
    const hasList = this.ways.putAnswer === 'list' || this.ways.putAnswer === 'refuses';
    return { status: 200, body: hasList ? structuredClone(ticket.events) : undefined };
  }

  #nextId(): string {
    this.#ids += 1;
    return `M${this.#ids}`;
  }
}

export const STARTED = '2025-06-02T08:00:00.000Z';

export function refusal(status: number, error: string): Response {
  return { status, body: { error } };
}

export function shown({ id, payload }: Ticket) {
  return { status: 'open', priority: 'normal', assignedToId: null, ...structuredClone(payload), id };
}
