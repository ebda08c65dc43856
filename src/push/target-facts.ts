/**
 * Abilities of the helpdesk, known from an earlier run or found out by one question or the first ticket. Also reads tickets, and
 * says what an unreadable one means.
 */
import { sha256 } from '../domain/identity.ts';
import type { TicketProblem } from '../domain/ledger.ts';
import type { MessagePayload } from '../domain/payload.ts';
import type { Clock } from '../domain/ports.ts';
import { ApiFailure, type KnownFacts, type Snapshot, type TicketApi } from '../domain/ticket-api.ts';
import { failureOf, problemIn } from './failure-meaning.ts';
import { keysOf } from './thread-record.ts';
import { UNREADABLE } from './words.ts';

export type Part = 'messages' | 'events';

export type Reading = { readonly found: readonly Snapshot[] } | { readonly failure: NotRead };

export interface NotRead {
  /** `unreadable`: the helpdesk cannot be read. `unread`: only this cannot. `gone`: the ticket is deleted. */
  readonly is: 'unreadable' | 'unread' | 'gone';
  readonly problem: TicketProblem;
}

export interface FactsDeps {
  readonly api: TicketApi;
  readonly control: { readonly hard: AbortSignal; sleep?(ms: number): Promise<void> };
  readonly clock?: Clock;
  /** How long a replica may lag behind a create, milliseconds. */
  readonly lateMs?: number;
  readonly learnt?: ((facts: KnownFacts) => void) | undefined;
}

export class TargetFacts {
  readonly #deps: FactsDeps;
  readonly #source: string;
  readonly wasReadable: boolean;
  #isReadable: Promise<boolean> | undefined;
  #wasRead = false;
  #keepsTags: boolean | undefined;
  #takesMessageIds: boolean | undefined;
  #trying: PromiseWithResolvers<void> | undefined;
  /** Until when a new ticket may not be shown yet, monotonic milliseconds. */
  readonly #showsBy = new Map<string, number>();
  appendsEvents = false;

  constructor(deps: FactsDeps, { isReadable, keepsTags, takesMessageIds }: KnownFacts, source: string) {
    this.#deps = deps;
    this.#source = source;
    this.wasReadable = isReadable === true;
    if (isReadable !== undefined) this.#isReadable = Promise.resolve(isReadable);
    this.#keepsTags = keepsTags;
    this.#takesMessageIds = takesMessageIds;
  }

  get keepsTags(): boolean | undefined {
    return this.#keepsTags;
  }

  set keepsTags(keepsTags: boolean) {
    if (this.#keepsTags !== keepsTags) this.#deps.learnt?.({ keepsTags });
    this.#keepsTags = keepsTags;
  }

  /** Undefined: this caller tries and reports with `messageIdsTried`, all others wait. An unreadable helpdesk gets no mail headers. */
  async takesMessageIds(): Promise<boolean | undefined> {
    if (this.#takesMessageIds === false || !(await this.isReadable())) return false;
    while (this.#takesMessageIds === undefined && this.#trying !== undefined) await this.#trying.promise;
    if (this.#takesMessageIds === undefined) this.#trying = Promise.withResolvers();
    return this.#takesMessageIds;
  }

  messageIdsTried(takesMessageIds: boolean | undefined): void {
    if (takesMessageIds !== undefined) this.#deps.learnt?.({ takesMessageIds });
    this.#takesMessageIds = takesMessageIds;
    this.#trying?.resolve();
    this.#trying = undefined;
  }

  /** Asked once; after a failure the next caller asks again. */
  isReadable(): Promise<boolean> {
    const { api, control } = this.#deps;
    this.#isReadable ??= api.findTickets({ most: 1 }, control.hard).then(
      () => true,
      (error: unknown) => {
        if (isUnreadable(error)) return false;
        this.#isReadable = undefined;
        return true;
      },
    );
    return this.#isReadable;
  }

  created(ticketId: string, sentAt: number): void {
    this.#showsBy.set(ticketId, sentAt + (this.#deps.lateMs ?? 0));
  }

  ended(ticketId: string): void {
    this.#showsBy.delete(ticketId);
  }

  /** Repeats a request for a ticket that was just created and is not found yet. */
  async patiently<T>(ticketId: string, ask: () => Promise<T>): Promise<T> {
    const { clock, control } = this.#deps;
    for (let pauseMs = 250; ; pauseMs *= 2) {
      try {
        return await ask();
      } catch (error) {
        const leftMs = (this.#showsBy.get(ticketId) ?? 0) - (clock?.monotonic() ?? 0);
        if (!(error instanceof ApiFailure) || error.status !== 404 || leftMs <= 0) throw error;
        if (isUnreadable(error) && !(await this.isReadable())) throw error;
        await control.sleep?.(Math.min(pauseMs, leftMs));
      }
    }
  }

  async read(part: Part, ticketId: string): Promise<Reading> {
    const { api, control } = this.#deps;
    return this.#tried(ticketId, () =>
      part === 'messages' ? api.readMessages(ticketId, control.hard) : api.readEvents(ticketId, control.hard),
    );
  }

  async readTicket(ticketId: string): Promise<Reading> {
    return this.#tried(ticketId, async () => [
      await this.#deps.api.readTicket(ticketId, this.#deps.control.hard),
    ]);
  }

  async #tried(ticketId: string, ask: () => Promise<readonly Snapshot[]>): Promise<Reading> {
    const { api, control } = this.#deps;
    if (!this.#wasRead && this.#isReadable !== undefined && !(await this.#isReadable))
      return { failure: { is: 'unreadable', problem: UNREADABLE } };
    try {
      const found = await this.patiently(ticketId, ask);
      this.#wasRead = true;
      return { found };
    } catch (error) {
      const problem = problemIn(error, control.hard);
      if (!isUnreadable(error)) return { failure: { is: 'unread', problem } };
      // A refusal after a successful read is about this request.
      if (!this.#wasRead && !(await this.isReadable())) return { failure: { is: 'unreadable', problem } };
      const isThere = await api.readTicket(ticketId, control.hard).then(
        () => true,
        (failed: unknown) => failureOf(failed, control.hard).problem.status !== 404,
      );
      return { failure: { is: isThere ? 'unread' : 'gone', problem } };
    }
  }

  /** With an ID each: its own, or one made of the source and the message. */
  identified(externalId: string, messages: readonly MessagePayload[]): readonly MessagePayload[] {
    const keys = keysOf(messages);
    return messages.map((message, index) =>
      message.messageId === undefined
        ? { ...message, messageId: madeId(this.#source, externalId, keys[index] as number) }
        : message,
    );
  }
}

function isUnreadable(error: unknown): boolean {
  return error instanceof ApiFailure && error.code === 'target-unreadable';
}

function madeId(source: string, externalId: string, key: number): string {
  const message = key.toString(16).padStart(8, '0');
  return `<${source}.${sha256(externalId).slice(0, 12)}.${message}@import.invalid>`;
}

export function withoutMailIds({
  messageId: _,
  inReplyToId: __,
  referencesIds: ___,
  ...message
}: MessagePayload): MessagePayload {
  return message;
}
