/**
 * What the target can do: given at the start of the run, else found out by one question or by the first ticket, and then a fact
 * for the whole run. And reading a thread, with what it means that one cannot be read.
 */
import { sha256 } from '../domain/hash.ts';
import type { TicketProblem } from '../domain/ledger.ts';
import type { MessagePayload } from '../domain/payload.ts';
import type { TargetFacts as KnownFacts, Snapshot, TicketApi } from '../domain/ticket-api.ts';
import { readFailure } from './failure-meaning.ts';
import { keysOf } from './thread-record.ts';
import { UNREADABLE } from './words.ts';

export type Part = 'messages' | 'events';

export type Reading = { readonly found: readonly Snapshot[] } | { readonly failure: NotRead };

export interface NotRead {
  /** `unreadable`: the target cannot be read. `unread`: it can, but not this. `gone`: the ticket is not there any more. */
  readonly is: 'unreadable' | 'unread' | 'gone' | 'stopped';
  readonly problem: TicketProblem;
  readonly stop?: unknown;
}

export interface FactsDeps {
  readonly api: TicketApi;
  readonly control: { readonly hard: AbortSignal };
  readonly learnt?: ((facts: KnownFacts) => void) | undefined;
}

export class TargetFacts {
  readonly #deps: FactsDeps;
  readonly #known: KnownFacts;
  readonly #source: string;
  #isReadable: Promise<boolean> | undefined;
  #keepsTags: boolean | undefined;
  #takesMessageIds: boolean | undefined;
  /** A PUT of events was seen to add to those that were there. */
  appendsEvents = false;

  /** `sourceName`: for the ids that are made. */
  constructor(deps: FactsDeps, known: KnownFacts, sourceName = 'import') {
    const { isReadable, keepsTags, takesMessageIds } = known;
    this.#deps = deps;
    this.#known = known;
    this.#source = sourceName;
    if (isReadable !== undefined) this.#isReadable = Promise.resolve(isReadable);
    this.#keepsTags = keepsTags;
    this.#takesMessageIds = takesMessageIds;
  }

  /** It could be read before this run. */
  get wasReadable(): boolean {
    return this.#known.isReadable === true;
  }

  /** A ticket shows the tags that it was created with. */
  get keepsTags(): boolean | undefined {
    return this.#keepsTags;
  }

  set keepsTags(keepsTags: boolean) {
    if (this.#keepsTags !== keepsTags) this.#deps.learnt?.({ keepsTags });
    this.#keepsTags = keepsTags;
  }

  /** Messages keep the headers of mails; undefined: to be tried. A target that cannot be read gets no headers. */
  async takesMessageIds(): Promise<boolean | undefined> {
    if (this.#takesMessageIds === false) return false;
    return (await this.isReadable()) ? this.#takesMessageIds : false;
  }

  messageIdsTaken(takesMessageIds: boolean): void {
    if (this.#takesMessageIds === undefined) this.#deps.learnt?.({ takesMessageIds });
    this.#takesMessageIds = takesMessageIds;
  }

  /** Whether the list of tickets can be read: asked once. */
  isReadable(): Promise<boolean> {
    const { api, control } = this.#deps;
    this.#isReadable ??= api.findTickets({ most: 1 }, control.hard).then(
      () => true,
      (error: unknown) => {
        const { outcome } = readFailure(error, control.hard);
        // This one look failed: the next caller asks again.
        if (outcome !== 'unreadable') this.#isReadable = undefined;
        return outcome !== 'unreadable';
      },
    );
    return this.#isReadable;
  }

  async read(part: Part, ticketId: string): Promise<Reading> {
    const { api, control } = this.#deps;
    return this.#tried(ticketId, () =>
      part === 'messages' ? api.readMessages(ticketId, control.hard) : api.readEvents(ticketId, control.hard),
    );
  }

  /** The ticket itself. */
  async readTicket(ticketId: string): Promise<Reading> {
    return this.#tried(ticketId, async () => [
      await this.#deps.api.readTicket(ticketId, this.#deps.control.hard),
    ]);
  }

  async #tried(ticketId: string, ask: () => Promise<readonly Snapshot[]>): Promise<Reading> {
    const { api, control } = this.#deps;
    if (this.#isReadable !== undefined && !(await this.#isReadable))
      return { failure: { is: 'unreadable', problem: UNREADABLE } };
    try {
      return { found: await ask() };
    } catch (error) {
      const { outcome, problem, ...stop } = readFailure(error, control.hard);
      if (outcome === 'stopped') return { failure: { is: 'stopped', problem, ...stop } };
      if (outcome === 'again') return { failure: { is: 'unread', problem } };
      if (!(await this.isReadable())) return { failure: { is: 'unreadable', problem } };
      const isThere = await api.readTicket(ticketId, control.hard).then(
        () => true,
        (failed: unknown) => readFailure(failed, control.hard).problem.status !== 404,
      );
      return { failure: { is: isThere ? 'unread' : 'gone', problem } };
    }
  }

  /** With an id each: its own, or one made of the source and the message. */
  identified(externalId: string, messages: readonly MessagePayload[]): readonly MessagePayload[] {
    const keys = keysOf(messages);
    return messages.map((message, index) =>
      message.messageId === undefined
        ? { ...message, messageId: madeId(this.#source, externalId, keys[index] as number) }
        : message,
    );
  }
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
