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
import type { NotRead, Part } from './target-facts.ts';
import { recordOfSending, sentThread } from './thread-record.ts';
import { deletedInTarget, historyHeld, messagesHeld, ofPeople } from './words.ts';

export interface ThreadWork {
  readonly ticketId: string;
  readonly is: 'fresh' | 'first' | 'delta';
  readonly parts: readonly Part[];
  /** Of a fresh one: that it is in the target is on its way to the disk. */
  readonly recorded?: Promise<void> | undefined;
}

/** Messages that the thread should consist of. */
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

/** Why messages, or a history, are not sent; `isGone`: people deleted the ticket. */
export interface Held {
  readonly held: TicketProblem;
  readonly isGone?: true;
}

/** All that a thread follows from. */
export interface ThreadJob {
  readonly job: TicketJob;
  readonly work: ThreadWork;
  readonly record: TicketRecord;
  readonly deps: CarryDeps;
}

/** Throws ReadingStopped when the run ends meanwhile, or has to. */
export async function messagesOf(all: ThreadJob): Promise<Messages | Held> {
  const { job, work, record, deps } = all;
  const { ticketId, is } = work;
  const { externalId, messages: ours, note, fingerprints } = job.planned;
  const read = await deps.facts.read('messages', ticketId);
  if ('failure' in read) {
    const { is: why, problem } = read.failure;
    const isNew = is === 'first' && record.thread === undefined;
    if (why === 'unreadable' && (isNew || isReadOnly(all))) return fresh(job);
    return lost(read.failure, ticketId) ?? heldAs(why === 'unreadable' ? why : 'unread', ticketId, problem);
  }
  const known = sentThread(record.thread);
  const identified = deps.facts.identified(externalId, ours);
  // Of a ticket that an earlier process sent as the export has it, or whose record was lost, what is there is what was sent.
  const then = record.fingerprints?.messages;
  const isAsSent =
    is === 'first' && known === undefined && (then === undefined || then === fingerprints.messages);
  const mergedWith = (thread: readonly Snapshot[]) => mergeThread(ours, thread, known, identified, isAsSent);
  let merged = mergedWith(read.found);
  if (typeof merged === 'object' && merged.sentBack.length > 0) {
    const whole = await wholeTexts(read.found, merged.sentBack, all);
    if (whole === undefined) return heldAs('shortened', ticketId);
    // With its whole text a message may turn out not to be edited.
    merged = mergedWith(whole);
  }
  if (typeof merged === 'string') return heldAs(merged, ticketId);
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

/** A list may shorten texts, and a shortened one that is sent back would cut what a person wrote: each is asked for by itself. */
async function wholeTexts(
  thread: readonly Snapshot[],
  sentBack: readonly Snapshot[],
  { work, deps }: ThreadJob,
): Promise<readonly Snapshot[] | undefined> {
  const { api, control } = deps;
  const whole = new Map<Snapshot, Snapshot>();
  for (const message of sentBack) {
    try {
      const alone = await api.readMessage(work.ticketId, message.id, control.hard);
      whole.set(message, { ...message, content: alone['content'] });
    } catch (error) {
      const { outcome, problem: _, ...stop } = readFailure(error, control.hard);
      if (outcome === 'stopped') throw new ReadingStopped(stop);
      return undefined;
    }
  }
  return thread.map((message) => whole.get(message) ?? message);
}

/** Throws as `messagesOf` does. */
export async function eventsOf(all: ThreadJob): Promise<Events | Held> {
  const { job, work, record, deps } = all;
  const { ticketId, is } = work;
  const { events: ours } = job.planned;
  if (is === 'fresh' || (ours.length === 0 && is === 'first')) return { list: ours, areSomeThere: false };
  const read = await deps.facts.read('events', ticketId);
  if ('failure' in read) {
    const { is: why, problem } = read.failure;
    const mayReplace = is === 'first' ? !mayHaveHistory(record) : isReadOnly(all);
    if (why === 'unreadable' && mayReplace) return { list: ours, areSomeThere: false };
    const held = historyHeld(is === 'first' ? 'doubtful' : 'unread', problem);
    return lost(read.failure, ticketId) ?? { held };
  }
  const { missing, extra } = pairEvents(ours, read.found);
  if (missing.length === 0) return { list: [], areSomeThere: false };
  const areSomeThere = missing.length < ours.length;
  // A history that never arrived goes before what the target wrote itself.
  const isSent = extra.length === 0 || (is === 'first' && !areSomeThere && !mayHaveHistory(record));
  if (!isSent || (areSomeThere && deps.facts.appendsEvents)) return { held: historyHeld('own-events') };
  return { list: ours, areSomeThere };
}

function lost(failure: NotRead, ticketId: string): Held | undefined {
  if (failure.is === 'stopped') throw new ReadingStopped(failure);
  return failure.is === 'gone' ? { held: deletedInTarget(ticketId), isGone: true } : undefined;
}

function heldAs(...why: Parameters<typeof messagesHeld>): Held {
  return { held: messagesHeld(...why) };
}

/** People could not write in it since it was imported. */
function isReadOnly({ job, record }: ThreadJob): boolean {
  const { ticket, fingerprints } = job.planned;
  return ticket.readOnly === true && record.fingerprints?.ticket === fingerprints.ticket;
}

const DOUBTFUL: ReadonlySet<string> = new Set(['unknown-outcome', 'cut-off', 'history-held']);

/** An earlier try to send its history ended so that it may be there. */
function mayHaveHistory({ thread, problem }: TicketRecord): boolean {
  return thread !== undefined && DOUBTFUL.has(problem?.code ?? '');
}
