/**
 * What a thread and a history are to become: read from the target and merged with the export. Reads only. What cannot be read whole
 * is held back.
 */
import type { TicketProblem, TicketRecord } from '../domain/ledger.ts';
import type { EventPayload, MessagePayload } from '../domain/payload.ts';
import { pairEvents } from '../domain/snapshot.ts';
import type { Snapshot } from '../domain/ticket-api.ts';
import { readFailure } from './failure-meaning.ts';
import { mergeThread } from './merge-thread.ts';
import { ReadingStopped } from './put.ts';
import type { CarryDeps, TicketJob } from './run-control.ts';
import type { Part, Reading } from './target-facts.ts';
import { recordOfSending, sentThread } from './thread-record.ts';
import { historyHeld, messagesHeld, ofPeople } from './words.ts';

export interface ThreadWork {
  readonly ticketId: string;
  readonly is: 'fresh' | 'first' | 'delta';
  readonly parts: readonly Part[];
  /** Of a fresh one: that it is in the target is on its way to the disk. */
  readonly recorded?: Promise<void> | undefined;
}

/** Messages that are to be the thread; none where it is as it should be. */
export interface Messages {
  readonly list: readonly MessagePayload[];
  /** Those of them that are the export's. */
  readonly ours: ReadonlySet<MessagePayload>;
  /** Nothing of people is among them, so they may go without the ids that the target gave. */
  readonly isPlain: boolean;
  readonly note?: MessagePayload | undefined;
  readonly before?: readonly Snapshot[] | undefined;
  readonly warnings: readonly TicketProblem[];
  /** What to keep of them; `echo` is what the target made of the list. Undefined: what was kept before. */
  record(echo: readonly Snapshot[] | undefined): string | undefined;
}

export interface Events {
  readonly list: readonly EventPayload[];
  readonly areSomeThere: boolean;
}

export interface HeldBack {
  readonly held: TicketProblem;
}

export class ThreadMerger {
  readonly #deps: CarryDeps;

  constructor(deps: CarryDeps) {
    this.#deps = deps;
  }

  async messages(
    job: TicketJob,
    { ticketId, is }: ThreadWork,
    record: TicketRecord,
  ): Promise<Messages | HeldBack> {
    const { facts } = this.#deps;
    const { externalId, messages: ours, note, ticket, fingerprints } = job.planned;
    const read = await this.#read('messages', ticketId);
    if ('failure' in read) {
      const isReadOnly = ticket.readOnly === true && record.fingerprints?.ticket === fingerprints.ticket;
      const isNew = is === 'first' && record.thread === undefined;
      if (read.failure.is === 'unreadable' && (isNew || isReadOnly)) return fresh(job);
      return {
        held: messagesHeld(
          read.failure.is === 'unreadable' ? 'unreadable' : 'unread',
          ticketId,
          read.failure.problem,
        ),
      };
    }
    const known = sentThread(record.thread);
    const identified = facts.identified(externalId, ours);
    // Of a ticket that an earlier process sent as the export has it, or whose record was lost, what is there is what was sent.
    const then = record.fingerprints?.messages;
    const isAsSent =
      is === 'first' && known === undefined && (then === undefined || then === fingerprints.messages);
    let thread = read.found;
    let merged = mergeThread(ours, thread, known, identified, isAsSent);
    if (typeof merged === 'object' && merged.sentBack.length > 0) {
      const whole = await this.#whole(ticketId, thread, merged.sentBack);
      if (whole === undefined) return { held: messagesHeld('shortened', ticketId) };
      // With its whole text a message may turn out not to be edited.
      thread = whole;
      merged = mergeThread(ours, thread, known, identified, isAsSent);
    }
    if (typeof merged === 'string') return { held: messagesHeld(merged, ticketId) };
    const { kept, edited, deleted } = merged;
    // Nothing of the thread has arrived yet, its note neither.
    const isNew = is === 'first' && read.found.length === 0 && note !== undefined;
    const isSent = merged.isChange || isNew;
    return {
      list: isSent ? merged.messages : [],
      ours: merged.ours,
      isPlain: kept + edited + deleted === 0,
      note: isNew ? note : undefined,
      before: read.found,
      warnings: ofPeople(merged),
      record: isSent || isAsSent ? merged.record : () => undefined,
    };
  }

  /** A list may shorten texts, and a shortened one that is sent back would cut what a person wrote: each is asked for by itself. */
  async #whole(
    ticketId: string,
    thread: readonly Snapshot[],
    sentBack: readonly Snapshot[],
  ): Promise<readonly Snapshot[] | undefined> {
    const { api, control } = this.#deps;
    const whole = new Map<Snapshot, Snapshot>();
    for (const message of sentBack) {
      try {
        const alone = await api.readMessage(ticketId, message.id, control.hard);
        whole.set(message, { ...message, content: alone['content'] });
      } catch (error) {
        const { outcome, problem: _, ...stop } = readFailure(error, control.hard);
        if (outcome === 'stopped') throw new ReadingStopped(stop);
        return undefined;
      }
    }
    return thread.map((message) => whole.get(message) ?? message);
  }

  async events(
    job: TicketJob,
    { ticketId, is }: ThreadWork,
    record: TicketRecord,
  ): Promise<Events | HeldBack> {
    const { facts } = this.#deps;
    const { events: ours, ticket, fingerprints } = job.planned;
    if (ours.length === 0 && is === 'first') return { list: [], areSomeThere: false };
    const read = await this.#read('events', ticketId);
    if ('failure' in read) {
      const isReadOnly = ticket.readOnly === true && record.fingerprints?.ticket === fingerprints.ticket;
      const mayReplace = is === 'first' ? !mayHaveHistory(record) : isReadOnly;
      if (read.failure.is === 'unreadable' && mayReplace) return { list: ours, areSomeThere: false };
      return { held: historyHeld(is === 'first' ? 'doubtful' : 'unread', read.failure.problem) };
    }
    const { missing, extra } = pairEvents(ours, read.found);
    if (missing.length === 0) return { list: [], areSomeThere: false };
    const areSomeThere = missing.length < ours.length;
    // A history that never arrived goes before what the target wrote itself.
    const isSent = extra.length === 0 || (is === 'first' && !areSomeThere && !mayHaveHistory(record));
    if (!isSent || (areSomeThere && facts.appendsEvents)) return { held: historyHeld('own-events') };
    return { list: ours, areSomeThere };
  }

  /** Throws ReadingStopped when the run ends meanwhile, or has to, and Gone where people deleted the ticket. */
  async #read(part: Part, ticketId: string): Promise<Reading> {
    const read = await this.#deps.facts.read(part, ticketId);
    if ('failure' in read && read.failure.is === 'stopped') throw new ReadingStopped(read.failure);
    if ('failure' in read && read.failure.is === 'gone') throw new Gone();
    return read;
  }
}

/** As the export has it, in a target that has nothing of it. */
export function fresh({ planned }: TicketJob): Messages {
  return {
    list: planned.messages,
    ours: new Set(planned.messages),
    isPlain: true,
    note: planned.note,
    warnings: [],
    record: recordOfSending(planned.messages),
  };
}

/** The ticket is not in the target any more. */
export class Gone extends Error {}

/** An earlier try to send its history ended so that it may be there. */
function mayHaveHistory({ thread, problem }: TicketRecord): boolean {
  return thread !== undefined && DOUBTFUL.has(problem?.code ?? '');
}

const DOUBTFUL: ReadonlySet<string> = new Set(['unknown-outcome', 'cut-off', 'history-held']);
