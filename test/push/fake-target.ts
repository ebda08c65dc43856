/** A helpdesk as the push sees it, without the client: faults are scripted, before or after the effect. */
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
import { FAIR, Helpdesk, type Ways } from '../support/helpdesk.ts';

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

export interface FakeTargetOptions extends Partial<Ways> {
  /** Turns of the event loop that a call takes on its way there, and back. */
  readonly latency?: () => number;
  /** What goes wrong with the n-th call of all (from 1), if anything. */
  readonly fault?: (call: Call, about: string, n: number) => Fault | undefined;
}

interface Listed {
  readonly tickets: Snapshot[];
  readonly total: number | undefined;
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

export class FakeTarget extends Helpdesk implements TicketApi {
  readonly calls: { readonly call: Call; readonly about: string }[] = [];
  /** The most calls that were on their way at once. */
  mostInFlight = 0;
  #options: FakeTargetOptions;
  #inFlight = 0;

  constructor(options: FakeTargetOptions = {}) {
    super(options);
    this.#options = options;
  }

  set options(options: FakeTargetOptions) {
    this.#options = options;
    this.ways = { ...FAIR, ...options };
  }

  async createTicket(ticket: TicketPayload, signal: AbortSignal, wire?: OnWire): Promise<CreatedTicket> {
    signal.throwIfAborted();
    if (wire !== undefined) wire.mayHaveArrived = false;
    await wire?.beforeSending?.();
    return this.#call('create', ticket.subject, signal, () => {
      if (wire !== undefined) wire.mayHaveArrived = true;
      const made = this.#ask('POST', '', ticket) as Snapshot;
      return { id: made.id, ticket: made };
    });
  }

  replaceMessages(id: string, messages: readonly MessagePayload[], signal: AbortSignal): Promise<PutReceipt> {
    return this.#replace('messages', id, messages, signal);
  }

  replaceEvents(id: string, events: readonly EventPayload[], signal: AbortSignal): Promise<PutReceipt> {
    return this.#replace('events', id, events, signal);
  }

  #replace(
    part: 'messages' | 'events',
    id: string,
    list: readonly object[],
    signal: AbortSignal,
  ): Promise<PutReceipt> {
    return this.#call(part, id, signal, () => {
      const echo = this.#ask('PUT', `/${id}/${part}`, list);
      return Array.isArray(echo) ? { confirmed: true, echo } : { confirmed: false };
    });
  }

  updateTicket(id: string, changes: TicketChanges, signal: AbortSignal): Promise<{ reported?: Snapshot }> {
    return this.#call('update', id, signal, () => {
      const reported = this.#ask('PUT', `/${id}`, changes) as Snapshot;
      return this.ways.putAnswer === 'list' ? { reported } : {};
    });
  }

  findTickets({ search = '', tags = [] }: TicketQuery, signal: AbortSignal): Promise<Snapshot[]> {
    return this.#call('find', [search, ...tags].join(''), signal, () => this.#list(search, tags).tickets);
  }

  countTickets({ search = '', tags = [] }: TicketQuery, signal: AbortSignal): Promise<number | undefined> {
    return this.#call('count', [search, ...tags].join(''), signal, () => this.#list(search, tags).total);
  }

  #list(search: string, tags: readonly string[]): Listed {
    const asked = { take: '1000', search, ...(tags.length > 0 && { tags: tags.join() }) };
    return this.#ask('GET', `?${new URLSearchParams(asked)}`) as Listed;
  }

  whoIs(): Promise<string | undefined> {
    return Promise.reject(new Error('The push does not ask who the helpdesk is.'));
  }

  readTicket(id: string, signal: AbortSignal): Promise<Snapshot> {
    return this.#call('read', id, signal, () => {
      const ticket = this.#ask('GET', `/${id}`) as Snapshot;
      return { ...ticket, messageCount: this.tickets.get(id)?.messages.length };
    });
  }

  readMessages(id: string, signal: AbortSignal): Promise<Snapshot[]> {
    return this.#call('thread', id, signal, () => this.#part(id, 'messages'));
  }

  readEvents(id: string, signal: AbortSignal): Promise<Snapshot[]> {
    return this.#call('history', id, signal, () => this.#part(id, 'events'));
  }

  #part(id: string, part: string): Snapshot[] {
    return (this.#ask('GET', `/${id}/${part}`) as Record<string, Snapshot[]>)[part] ?? [];
  }

  readMessage(id: string, messageId: string, signal: AbortSignal): Promise<Snapshot> {
    return this.#call(
      'message',
      id,
      signal,
      () => this.#ask('GET', `/${id}/messages/${messageId}`) as Snapshot,
    );
  }

  async findContacts(emails: readonly string[]): Promise<Snapshot[]> {
    const asked = emails.map((email) => `email=${encodeURIComponent(email)}`).join('&');
    return (this.#ask('GET', `?${asked}`, undefined, 'contacts') as { contacts: Snapshot[] }).contacts;
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

  #ask(method: string, path: string, body?: unknown, what = 'tickets'): unknown {
    const answer = this.handle(method, `/api/core/v1/${what}${path}`, body);
    const { status } = answer;
    if (status < 400) return answer.body;
    const code = method === 'GET' ? 'target-unreadable' : 'refused';
    throw new ApiFailure(code, 'none', `The helpdesk answered ${status}.`, { status });
  }

  async #call<T>(call: Call, about: string, signal: AbortSignal, effect: () => T): Promise<T> {
    signal.throwIfAborted();
    this.calls.push({ call, about });
    const fault = this.#options.fault?.(call, about, this.calls.length);
    this.#inFlight += 1;
    this.mostInFlight = Math.max(this.mostInFlight, this.#inFlight);
    try {
      await this.#travel(signal);
      if (fault?.at === 'before') throw fault.error;
      const answer = effect();
      if (fault?.at === 'after') throw fault.error;
      await this.#travel(signal);
      return answer;
    } finally {
      this.#inFlight -= 1;
    }
  }

  async #travel(signal: AbortSignal): Promise<void> {
    for (let turns = this.#options.latency?.() ?? 1; turns > 0; turns -= 1) {
      await turn();
      if (signal.aborted) throw new ApiFailure('cut-off', 'unknown', 'The request was cut off.');
    }
  }
}

export const unknownOutcome = () =>
  new ApiFailure('unknown-outcome', 'unknown', 'The helpdesk answered 500 without saying what it did.', {
    status: 500,
  });
export const refused = () =>
  new ApiFailure('refused', 'none', 'The helpdesk refused the ticket (422).', { status: 422 });
export const unauthorized = () =>
  new ApiFailure('auth', 'none', 'The helpdesk refuses the token (401).', { status: 401 });
