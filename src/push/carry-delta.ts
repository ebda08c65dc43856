/**
 * Brings the thread of a ticket that the target has had for a while up to the export, without losing what was written there
 * meanwhile. PUT replaces (4.2, 4.3), so the target is read first, and right before.
 *
 *   1. GET messages, GET events   only what is to be changed
 *   2. reopened (or resumed)      durable before anything is sent: whoever goes on after a crash reads again
 *   3. PUT messages               the export's, and by their ids those that only the target has
 *   4. PUT events                 only where that deletes nothing
 *   5. done                       with the digests of what was sent
 *
 * A crash between any two steps leaves a ticket that the next run treats in the same way: it reads again, what arrived is
 * recognised, and what only the target has is still there. Where the target cannot be read, nothing is sent: a ticket that
 * was done stays done, and is listed.
 *
 * Events have no ids that would keep them, and a service writes some of its own (a reopening by the customer). So a history
 * is replaced only where the target has no event but the export's; where it appends, only the missing ones are sent; else
 * it is left as it is, and listed.
 */
import type { TicketProblem, TicketRecord } from '../domain/ledger.ts';
import { pairEvents } from '../domain/pair-events.ts';
import type { EventPayload, MessagePayload } from '../domain/payload.ts';
import type { DeltaPart } from '../domain/planned.ts';
import { historyHeld, messagesHeld, messagesKept } from './delta-words.ts';
import { type ReadFailure, readFailure } from './failure-meaning.ts';
import { mergeThread } from './merge-thread.ts';
import { type Rest, sendRest } from './send-rest.ts';
import { type CarryDeps, type Fate, fate, type TicketJob } from './ticket-job.ts';

export interface DeltaOptions {
  /** Replace threads where the target can't be read (`--replace-messages`). */
  readonly replaceUnread?: boolean;
  /** `PUT …/events` appends (`target.eventsAppend`). */
  readonly eventsAppend?: boolean;
}

export interface Delta {
  readonly ticketId: string;
  readonly parts: readonly DeltaPart[];
  /** Also where nothing is known of what the target has: the thread never arrived. */
  readonly isFirst?: boolean;
}

/** What is to be sent of one part, or why nothing of it is. */
type Send<T> = { readonly send: readonly T[]; readonly kept?: number } | { readonly held: TicketProblem };

/** After so many threads in a row that cannot be read, and none that can, the target is not asked for further ones. */
const ENOUGH_UNREADABLE = 3;

export class DeltaCarrier {
  readonly #deps: CarryDeps;
  readonly #options: DeltaOptions;
  #isReadable = false;
  #unreadable: ReadFailure[] = [];

  constructor(deps: CarryDeps, options: DeltaOptions) {
    this.#deps = deps;
    this.#options = options;
  }

  /** The job's slot is held. Throws for a ledger that fails, and for defects. */
  async carry(job: TicketJob, delta: Delta): Promise<Fate> {
    const { planned } = job;
    const record = this.#deps.ledger.get(planned.externalId);
    const mayReplace =
      delta.isFirst === true || this.#options.replaceUnread === true || wasReadOnly(job, record);
    const wanted = new Set(delta.parts);
    let messages: Send<MessagePayload> | undefined;
    let events: Send<EventPayload> | undefined;
    try {
      if (wanted.has('messages')) messages = await this.#messages(job, delta.ticketId, mayReplace);
      if (messages !== undefined && 'held' in messages) return this.#hold(job, delta, messages.held, record);
      if (wanted.has('events')) events = await this.#events(job, delta, mayReplace);
    } catch (error) {
      if (!(error instanceof Stopped)) throw error;
      const outcome = record?.state === 'done' ? 'done' : 'pending';
      return fate(outcome, { ticketId: delta.ticketId, ...error.stop });
    }
    return this.#send(job, delta, { messages, events, record });
  }

  async #send(
    job: TicketJob,
    delta: Delta,
    found: {
      messages: Send<MessagePayload> | undefined;
      events: Send<EventPayload> | undefined;
      record: TicketRecord | undefined;
    },
  ): Promise<Fate> {
    const { messages, events, record } = found;
    const isHistoryHeld = events !== undefined && 'held' in events;
    const kept = messages !== undefined && 'send' in messages ? (messages.kept ?? 0) : 0;
    const warnings = [...(kept > 0 ? [messagesKept(kept)] : []), ...(isHistoryHeld ? [events.held] : [])];
    if (isHistoryHeld && messages === undefined && record?.state === 'done')
      return fate('done', { ticketId: delta.ticketId, warnings });
    const recorded = this.#begin(job, record);
    // Where there is nothing to send nobody waits for it; the ledger fails again at its next write.
    recorded.catch(() => undefined);
    const { fingerprints } = job.planned;
    const rest: Rest = {
      ticketId: delta.ticketId,
      from: messages === undefined ? 'events' : 'messages',
      recorded,
      sent: {
        ...(messages === undefined ? {} : { messages: fingerprints }),
        // A history that was held still differs, and is told again.
        ...(events === undefined || isHistoryHeld ? {} : { events: fingerprints }),
      },
      ...(messages !== undefined && 'send' in messages ? { messages: messages.send } : {}),
      events: events !== undefined && 'send' in events ? events.send : [],
    };
    const end = await sendRest(job, rest, this.#deps);
    if (end.outcome !== 'done') return end;
    return {
      ...end,
      // Those that were not missing are there all the same.
      ...(events === undefined || isHistoryHeld ? {} : { events: job.planned.events.length }),
      ...(warnings.length === 0 ? {} : { warnings }),
    };
  }

  /** Records that the thread is about to change. */
  #begin(job: TicketJob, record: TicketRecord | undefined): Promise<void> {
    const { ledger } = this.#deps;
    const { externalId, fingerprints } = job.planned;
    switch (record?.state) {
      case 'done':
        return ledger.reopened(externalId, fingerprints);
      case 'failed':
      case 'rejected':
        return ledger.resumed(externalId);
      default:
        return Promise.resolve();
    }
  }

  /** Nothing is sent. A ticket that was done is as it was; one whose delta was begun is not complete, and says so. */
  async #hold(
    job: TicketJob,
    { ticketId }: Delta,
    held: TicketProblem,
    record: TicketRecord | undefined,
  ): Promise<Fate> {
    const { ledger } = this.#deps;
    const { externalId } = job.planned;
    if (record?.state === 'done') return fate('done', { ticketId, warnings: [held] });
    if (record?.state === 'rejected') await ledger.resumed(externalId);
    await ledger.refused(externalId, held);
    return fate('failed', { ticketId, problem: held });
  }

  async #messages(job: TicketJob, ticketId: string, mayReplace: boolean): Promise<Send<MessagePayload>> {
    const { api, control } = this.#deps;
    const ours = job.planned.messages;
    const read = await this.#read(() => api.readMessages(ticketId, control.hard));
    if ('failure' in read) {
      const isUnreadable = read.failure.outcome === 'unreadable';
      if (isUnreadable ? mayReplace : this.#options.replaceUnread === true) return { send: ours };
      return { held: messagesHeld(isUnreadable ? 'unreadable' : 'again', ticketId, read.failure.problem) };
    }
    const merged = mergeThread(ours, read.found);
    if (merged !== undefined) return { send: merged.messages, kept: merged.kept };
    return mayReplace ? { send: ours } : { held: messagesHeld('untold', ticketId) };
  }

  async #events(job: TicketJob, delta: Delta, mayReplace: boolean): Promise<Send<EventPayload>> {
    const { api, control } = this.#deps;
    const ours = job.planned.events;
    const { eventsAppend = false } = this.#options;
    // A history that never arrived goes first before what the target wrote itself; but nothing is appended twice.
    if (delta.isFirst === true && !eventsAppend) return { send: ours };
    const read = await this.#read(() => api.readEvents(delta.ticketId, control.hard));
    if ('failure' in read) {
      if (read.failure.outcome === 'unreadable' && mayReplace && !(eventsAppend && delta.isFirst !== true))
        return { send: ours };
      return { held: historyHeld('unread', read.failure.problem) };
    }
    const { missing, extra } = pairEvents(ours, read.found);
    if (missing.length === 0) return { send: [] };
    if (eventsAppend) return { send: ours.filter((_, index) => missing.includes(index)) };
    return extra.length === 0 ? { send: ours } : { held: historyHeld('own-events') };
  }

  /** Throws Stopped when the run ends meanwhile, or has to. */
  async #read<T>(
    ask: () => Promise<readonly T[]>,
  ): Promise<{ found: readonly T[] } | { failure: ReadFailure }> {
    const known = this.#unreadable[0];
    if (!this.#isReadable && known !== undefined && this.#unreadable.length >= ENOUGH_UNREADABLE)
      return { failure: known };
    try {
      const found = await ask();
      this.#isReadable = true;
      this.#unreadable = [];
      return { found };
    } catch (error) {
      const failure = readFailure(error, this.#deps.control.hard);
      if (failure.outcome === 'stopped') throw new Stopped('stop' in failure ? { stop: failure.stop } : {});
      if (failure.outcome === 'unreadable' && !this.#isReadable) this.#unreadable.push(failure);
      return { failure };
    }
  }
}

class Stopped extends Error {
  readonly stop: { readonly stop?: unknown };

  constructor(stop: { readonly stop?: unknown }) {
    super('The run stopped while the target was read.');
    this.stop = stop;
  }
}

/**
 * The ticket was created as one that is managed elsewhere, so nobody writes to it in the target (2.1). What was created is
 * known where the ticket's own fields are still those of the create.
 */
function wasReadOnly({ planned }: TicketJob, record: TicketRecord | undefined): boolean {
  return planned.ticket.readOnly === true && record?.fingerprints?.ticket === planned.fingerprints.ticket;
}
