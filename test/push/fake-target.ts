/**
 * A helpdesk service in memory that keeps the truth: what was created, how often, and which requests were in flight
 * together. Faults are scripted per request, before or after its effect; reading can be refused.
 */
import type { EventPayload, MessagePayload, TicketPayload } from '../../src/domain/payload.ts';
import {
  ApiFailure,
  type CreatedTicket,
  type OnWire,
  type PutReceipt,
  type Snapshot,
  type TicketApi,
  type TicketChanges,
  type TicketQuery,
} from '../../src/domain/ticket-api.ts';

export type Call =
  | 'create'
  | 'update'
  | 'messages'
  | 'events'
  | 'find'
  | 'count'
  | 'read'
  | 'thread'
  | 'history'
  | 'message';
export interface Fault {
  readonly at: 'before' | 'after';
  readonly error: unknown;
}

export interface FakeTicket {
  readonly id: string;
  payload: TicketPayload;
  readonly contactId: string | undefined;
  /** Each with its id in the target. */
  messages: readonly MessagePayload[];
  events: readonly EventPayload[];
}

export interface FakeTargetOptions {
  /** Default: readable. */
  readonly readable?: boolean;
  /** Turns of the event loop that a call takes on its way there, and back. */
  readonly latency?: () => number;
  /** What goes wrong with the n-th call of all (from 1), if anything. */
  readonly fault?: (call: Call, about: string, n: number) => Fault | undefined;
  /** A PUT is answered with nothing that says what was done. */
  readonly silent?: boolean;
  /** Events are added to those that are there. */
  readonly appends?: boolean;
  /** The list does not filter by tags. */
  readonly ignoresTags?: boolean;
  /** How many tickets the list says there are; default: as many as there are. `shown`: as many as it shows. */
  readonly total?: 'shown' | ((tag: string) => number | undefined);
  /** What the list shows; default: everything, each with its contact. */
  readonly listed?: (ticket: FakeTicket) => Snapshot | undefined;
}

/** The options of a helpdesk at which such calls fail: all of them, or those for which `when` holds. */
export const failing = (
  call: Call,
  at: Fault['at'],
  error: unknown,
  when: (about: string, n: number) => boolean = () => true,
): FakeTargetOptions => ({
  fault: (made, about, n) => (made === call && when(about, n) ? { at, error } : undefined),
});

export const turn = () => new Promise<void>((resolve) => void setImmediate(resolve));

export class FakeTarget implements TicketApi {
  readonly tickets = new Map<string, FakeTicket>();
  readonly contacts: { readonly id: string; readonly email: string; name?: string }[] = [];
  readonly calls: { readonly call: Call; readonly about: string }[] = [];
  /** The most calls that were on their way at once. */
  mostInFlight = 0;
  options: FakeTargetOptions;
  #inFlight = 0;
  #ids = 0;

  nextTicketId = () => `T${this.tickets.size + 1}`;

  constructor(options: FakeTargetOptions = {}) {
    this.options = options;
  }

  async createTicket(ticket: TicketPayload, signal: AbortSignal, wire?: OnWire): Promise<CreatedTicket> {
    signal.throwIfAborted();
    if (wire !== undefined) wire.mayHaveArrived = false;
    await wire?.beforeSending?.();
    return this.#call('create', ticket.subject, signal, async () => {
      if (wire !== undefined) wire.mayHaveArrived = true;
      const contact = ticket.contact === undefined ? undefined : await this.#contact(ticket.contact.email);
      if (contact !== undefined && ticket.contact?.name !== undefined) contact.name = ticket.contact.name;
      const id = this.nextTicketId();
      const contactId = contact?.id ?? ticket.contactId;
      const made = { id, payload: structuredClone(ticket), contactId, messages: [], events: [] };
      this.tickets.set(id, made);
      return { id, ticket: snapshotOf(made) };
    });
  }

  replaceMessages(
    ticketId: string,
    messages: readonly MessagePayload[],
    signal: AbortSignal,
  ): Promise<PutReceipt> {
    return this.#call('messages', ticketId, signal, async () => {
      for (const message of messages)
        if (message.contact !== undefined) await this.#contact(message.contact.email);
      const ticket = this.#ticket(ticketId);
      const known = new Set(ticket.messages.map(({ id }) => id));
      if (messages.some(({ id }) => id !== undefined && !known.has(id)))
        throw new ApiFailure('refused', 'none', 'The ticket has no such message.', { status: 422 });
      ticket.messages = messages.map((message) => ({
        ...structuredClone(message),
        id: message.id ?? this.#nextId(),
      }));
      return this.#receipt(ticket.messages);
    });
  }

  replaceEvents(ticketId: string, events: readonly EventPayload[], signal: AbortSignal): Promise<PutReceipt> {
    return this.#call('events', ticketId, signal, async () => {
      const ticket = this.#ticket(ticketId);
      ticket.events = [...(this.options.appends === true ? ticket.events : []), ...structuredClone(events)];
      return this.#receipt(ticket.events);
    });
  }

  updateTicket(
    ticketId: string,
    changes: TicketChanges,
    signal: AbortSignal,
  ): Promise<{ reported?: Snapshot }> {
    return this.#call('update', ticketId, signal, async () => {
      const ticket = this.#ticket(ticketId);
      ticket.payload = { ...ticket.payload, ...structuredClone(changes) };
      return this.options.silent === true ? {} : { reported: snapshotOf(ticket) };
    });
  }

  findTickets({ search = '', tags = [] }: TicketQuery, signal: AbortSignal): Promise<Snapshot[]> {
    return this.#call('find', [search, ...tags].join(''), signal, async () => {
      this.#requireReadable();
      return this.#shownOf(this.#matching(search, this.options.ignoresTags === true ? [] : tags));
    });
  }

  countTickets({ search = '', tags = [] }: TicketQuery, signal: AbortSignal): Promise<number | undefined> {
    return this.#call('count', [search, ...tags].join(''), signal, async () => {
      this.#requireReadable();
      const { total } = this.options;
      if (typeof total === 'function') return total(tags[0] ?? '');
      const found = this.#matching(search, tags);
      return (total === 'shown' ? this.#shownOf(found) : found).length;
    });
  }

  #matching(search: string, tags: readonly string[]): FakeTicket[] {
    const text = search.toLowerCase();
    return [...this.tickets.values()]
      .filter(({ payload }) => tags.every((tag) => payload.tags?.includes(tag) === true))
      .filter(({ payload }) =>
        [payload.subject, payload.contact?.email ?? ''].some((value) => value.toLowerCase().includes(text)),
      );
  }

  #shownOf(tickets: readonly FakeTicket[]): Snapshot[] {
    const { listed = snapshotOf } = this.options;
    return tickets.map((ticket) => listed(ticket)).filter((snapshot) => snapshot !== undefined);
  }

  whoIs(): Promise<string | undefined> {
    return Promise.reject(new Error('The push does not ask who the helpdesk is.'));
  }

  readTicket(ticketId: string, signal: AbortSignal): Promise<Snapshot> {
    return this.#call('read', ticketId, signal, async () => {
      const ticket = this.#shown(ticketId);
      return { ...snapshotOf(ticket), messageCount: ticket.messages.length };
    });
  }

  readMessages(ticketId: string, signal: AbortSignal): Promise<Snapshot[]> {
    return this.#call('thread', ticketId, signal, async () => {
      return this.#shown(ticketId).messages.map((message) => ({ ...message, id: message.id ?? '' }));
    });
  }

  async findContacts(emails: readonly string[]): Promise<Snapshot[]> {
    this.#requireReadable();
    return this.contacts.filter(({ email }) => emails.includes(email)).map((each) => ({ ...each }));
  }

  readMessage(ticketId: string, messageId: string, signal: AbortSignal): Promise<Snapshot> {
    return this.#call('message', ticketId, signal, async () => {
      const found = this.#shown(ticketId).messages.find(({ id }) => id === messageId);
      if (found === undefined)
        throw new ApiFailure('target-unreadable', 'none', 'There is no such message.', { status: 404 });
      return { ...found, id: messageId };
    });
  }

  readEvents(ticketId: string, signal: AbortSignal): Promise<Snapshot[]> {
    return this.#call('history', ticketId, signal, async () => {
      return this.#shown(ticketId).events.map((event) => ({ ...event, id: '' }));
    });
  }

  /** A person writes to the ticket in the target. */
  write(ticketId: string, message: MessagePayload): string {
    const id = this.#nextId();
    const ticket = this.#ticket(ticketId);
    ticket.messages = [...ticket.messages, { ...message, id }];
    return id;
  }

  findAgent(): Promise<string | undefined> {
    return Promise.reject(new Error('The push looks for no agents.'));
  }

  /** Resolves when no call is on its way any more: what a dead process sent arrives all the same. */
  async quiet(): Promise<void> {
    while (this.#inFlight > 0) await turn();
  }

  /** Tickets by subject: how often each was created. */
  created(): Record<string, number> {
    const counts: Record<string, number> = {};
    for (const { payload } of this.tickets.values())
      counts[payload.subject] = (counts[payload.subject] ?? 0) + 1;
    return counts;
  }

  count(call: Call): number {
    return this.calls.filter((made) => made.call === call).length;
  }

  #receipt(list: readonly object[]): PutReceipt {
    if (this.options.silent === true) return { confirmed: false };
    return { confirmed: true, echo: list.map((each) => ({ id: '', ...each })) };
  }

  #nextId(): string {
    this.#ids += 1;
    return `M${this.#ids}`;
  }

  async #call<T>(call: Call, about: string, signal: AbortSignal, effect: () => Promise<T>): Promise<T> {
    signal.throwIfAborted();
    this.calls.push({ call, about });
    const fault = this.options.fault?.(call, about, this.calls.length);
    this.#inFlight += 1;
    this.mostInFlight = Math.max(this.mostInFlight, this.#inFlight);
    try {
      await this.#travel(signal);
      if (fault?.at === 'before') throw fault.error;
      const answer = await effect();
      if (fault?.at === 'after') throw fault.error;
      await this.#travel(signal);
      return answer;
    } finally {
      this.#inFlight -= 1;
    }
  }

  async #travel(signal: AbortSignal): Promise<void> {
    for (let turns = this.options.latency?.() ?? 1; turns > 0; turns -= 1) {
      await turn();
      if (signal.aborted) throw new ApiFailure('cut-off', 'unknown', 'The request was cut off.');
    }
  }

  /** Looks for the contact and then creates it, with time in between: two at once make two of one. */
  async #contact(email: string): Promise<{ readonly id: string; name?: string }> {
    const found = this.contacts.find((contact) => contact.email === email);
    await turn();
    await turn();
    if (found !== undefined) return found;
    const contact = { id: `C${this.contacts.length + 1}`, email };
    this.contacts.push(contact);
    return contact;
  }

  #ticket(id: string): FakeTicket {
    const ticket = this.tickets.get(id);
    if (ticket === undefined)
      throw new ApiFailure('refused', 'none', 'The helpdesk has no such ticket.', { status: 404 });
    return ticket;
  }

  /** As the API reads it: what is not there cannot be read. */
  #shown(id: string): FakeTicket {
    this.#requireReadable();
    if (!this.tickets.has(id))
      throw new ApiFailure('target-unreadable', 'none', 'The helpdesk has no such ticket.', { status: 404 });
    return this.#ticket(id);
  }

  #requireReadable(): void {
    if (this.options.readable === false)
      throw new ApiFailure('target-unreadable', 'none', 'The helpdesk cannot be read.', { status: 404 });
  }
}

export function snapshotOf({ id, payload, contactId }: FakeTicket): Snapshot {
  const { subject, createdAt, contact, tags } = payload;
  const { status = 'open', priority = 'normal', assignedToId = null } = payload;
  return {
    status,
    priority,
    assignedToId,
    id,
    subject,
    createdAt,
    contactId,
    ...(tags === undefined ? {} : { tags }),
    ...(contact === undefined ? {} : { contact }),
  };
}

export const unknownOutcome = () =>
  new ApiFailure('unknown-outcome', 'unknown', 'The helpdesk answered 500 without saying what it did.', {
    status: 500,
  });
export const refused = () =>
  new ApiFailure('refused', 'none', 'The helpdesk refused the ticket (422).', { status: 422 });
export const unauthorized = () =>
  new ApiFailure('auth', 'none', 'The helpdesk refuses the token (401).', { status: 401 });
export const unreachable = () => new ApiFailure('unreachable', 'none', 'The helpdesk cannot be reached.');
