/**
 * Reads threads and histories back, and says what it means where one cannot be read.
 *
 * An answer that refuses (403, 404, 405) may come from a target that cannot be read at all, from one that shows its tickets
 * but not this thread, or because people deleted the ticket. Only the first allows to go on without having read, so the
 * ticket itself is asked for, and then the list: where either is shown, the target can be read.
 */
import type { TicketProblem } from '../domain/ledger.ts';
import type { Snapshot, TicketApi } from '../domain/ticket-api.ts';
import { type ReadFailure, readFailure } from './failure-meaning.ts';

/** A thread that the target has now: as its answer told it, in the order that was sent, or as it was read. */
export interface ThreadNow {
  readonly echo?: readonly Snapshot[] | undefined;
  readonly read?: readonly Snapshot[] | undefined;
  /** The note of the import, where one was sent, and stands in neither. */
  readonly note?: Snapshot | undefined;
}

export type Part = 'messages' | 'events';

export type Reading = { readonly found: readonly Snapshot[] } | { readonly failure: ThreadFailure };

export interface ThreadFailure {
  /**
   * `unreadable`: the target cannot be read at all. `unread`: it can, but not this. `gone`: the ticket is not there any more.
   * `again`: this one look failed. `stopped`: nothing is read any more.
   */
  readonly outcome: ReadFailure['outcome'] | 'unread' | 'gone';
  readonly problem: TicketProblem;
  readonly stop?: unknown;
}

export interface ReaderDeps {
  readonly api: TicketApi;
  readonly control: { readonly hard: AbortSignal };
}

export class TargetReader {
  readonly #deps: ReaderDeps;
  #isReadable: boolean;
  readonly #shown = new Set<Part>();
  readonly #refusals = { messages: 0, events: 0 };
  /** Why the target cannot be read at all. */
  #unreadable: ThreadFailure | undefined;

  /** `isReadable`: whether the target can be read, where that is known before. */
  constructor(deps: ReaderDeps, isReadable?: boolean) {
    this.#deps = deps;
    this.#isReadable = isReadable === true;
    if (isReadable === false) this.#unreadable = { outcome: 'unreadable', problem: UNREADABLE };
  }

  async read(part: Part, ticketId: string): Promise<Reading> {
    if (this.#unreadable !== undefined) return { failure: this.#unreadable };
    const read = await this.#ask(part, ticketId);
    if ('found' in read || read.failure.outcome !== 'unreadable') return read;
    return { failure: await this.#meaning(ticketId, read.failure.problem) };
  }

  /** As `read`, of a ticket of which nothing is to be decided: `unreadable` where it is refused and never was shown. */
  async readIfShown(part: Part, ticketId: string): Promise<Reading> {
    if (this.#unreadable !== undefined) return { failure: this.#unreadable };
    if (!this.#shown.has(part) && this.#refusals[part] >= ENOUGH_LOOKS)
      return { failure: { outcome: 'unreadable', problem: UNREADABLE } };
    const read = await this.#ask(part, ticketId);
    if ('found' in read || read.failure.outcome !== 'unreadable') return read;
    this.#refusals[part] += 1;
    return this.#shown.has(part) ? { failure: { ...read.failure, outcome: 'again' } } : read;
  }

  /** The ticket itself. */
  async ticket(
    ticketId: string,
  ): Promise<{ readonly found: Snapshot } | { readonly failure: ThreadFailure }> {
    if (this.#unreadable !== undefined) return { failure: this.#unreadable };
    const { api, control } = this.#deps;
    try {
      const found = await api.readTicket(ticketId, control.hard);
      this.#isReadable = true;
      return { found };
    } catch (error) {
      const failure = readFailure(error, control.hard);
      if (failure.outcome !== 'unreadable') return { failure };
      return { failure: await this.#meaningWithout(ticketId, failure.problem, failure.problem.status) };
    }
  }

  /** A message by itself, which lists may have shortened; undefined where the target does not show it. */
  async message(ticketId: string, messageId: string): Promise<Snapshot | undefined> {
    const { api, control } = this.#deps;
    try {
      return await api.readMessage(ticketId, messageId, control.hard);
    } catch (error) {
      const { outcome, ...rest } = readFailure(error, control.hard);
      if (outcome === 'stopped') throw new ReadingStopped('stop' in rest ? { stop: rest.stop } : {});
      return undefined;
    }
  }

  async #ask(part: Part, ticketId: string): Promise<Reading> {
    const { api, control } = this.#deps;
    try {
      const found = await (part === 'messages'
        ? api.readMessages(ticketId, control.hard)
        : api.readEvents(ticketId, control.hard));
      this.#isReadable = true;
      this.#shown.add(part);
      return { found };
    } catch (error) {
      return { failure: readFailure(error, control.hard) };
    }
  }

  /** What it means that a thread was refused. */
  async #meaning(ticketId: string, problem: TicketProblem): Promise<ThreadFailure> {
    const { api, control } = this.#deps;
    const ticket = await this.#shows(() => api.readTicket(ticketId, control.hard));
    if ('outcome' in ticket) return ticket;
    if (ticket.shown) return { outcome: 'unread', problem };
    return this.#meaningWithout(ticketId, problem, ticket.status);
  }

  /** Likewise where the ticket itself was refused with this status. */
  async #meaningWithout(
    ticketId: string,
    problem: TicketProblem,
    status: number | undefined,
  ): Promise<ThreadFailure> {
    const { api, control } = this.#deps;
    const isMissing = problem.status === 404 && status === 404;
    if (!this.#isReadable) {
      const list = await this.#shows(() => api.findTickets({ search: ticketId }, control.hard));
      if ('outcome' in list) return list;
      if (!list.shown) {
        this.#unreadable = { outcome: 'unreadable', problem };
        return this.#unreadable;
      }
      this.#isReadable = true;
    }
    return { outcome: isMissing ? 'gone' : 'unread', problem };
  }

  async #shows(
    ask: () => Promise<unknown>,
  ): Promise<{ shown: boolean; status?: number | undefined } | ThreadFailure> {
    try {
      await ask();
      return { shown: true };
    } catch (error) {
      const failure = readFailure(error, this.#deps.control.hard);
      return failure.outcome === 'unreadable' ? { shown: false, status: failure.problem.status } : failure;
    }
  }
}

/** The run stopped while the target was read. */
export class ReadingStopped extends Error {
  readonly stop: { readonly stop?: unknown };

  constructor(stop: { readonly stop?: unknown }) {
    super('The run stopped while the target was read.');
    this.stop = stop;
  }
}

/** After so many refusals, and never an answer, looking is not tried with every ticket. */
const ENOUGH_LOOKS = 3;

const UNREADABLE: TicketProblem = {
  code: 'target-unreadable',
  message: 'The target cannot be read.',
};
