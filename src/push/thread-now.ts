/** A thread and a history, read from the helpdesk and merged with the export. Reads only. */
import type { TicketProblem, TicketRecord } from '../domain/ledger.ts';
import type { EventPayload, MessagePayload } from '../domain/payload.ts';
import { pairEvents } from '../domain/snapshot.ts';
import type { Snapshot } from '../domain/ticket-api.ts';
import { changesOf } from '../domain/ticket-fields.ts';
import { problemIn } from './failure-meaning.ts';
import { mergeThread } from './merge-thread.ts';
import type { Basis } from './put.ts';
import type { CarryDeps, TicketJob } from './run-control.ts';
import type { Part } from './target-facts.ts';
import { readsAsSent, recordOfSending, sentThread } from './thread-record.ts';
import { ofPeople, ticketProblem } from './words.ts';

export interface ThreadWork {
  readonly ticketId: string;
  /** `fresh`: just created by this process. `resumed`: left incomplete by an earlier process or reading. */
  readonly is: 'fresh' | 'resumed' | 'delta';
  readonly parts: readonly Part[];
  readonly recorded?: Promise<void> | undefined;
  /** How many messages the ticket itself counts. */
  readonly count?: number | undefined;
  /** When the create of a fresh one was sent. */
  readonly at?: number | undefined;
}

export interface Messages {
  readonly list: readonly MessagePayload[];
  readonly ours: ReadonlySet<MessagePayload>;
  /** No words of people among them, so they may go without the helpdesk's IDs. */
  readonly isPlain: boolean;
  readonly note?: MessagePayload | undefined;
  readonly basis: Basis;
  readonly warnings: readonly TicketProblem[];
  /** `echo` is what the helpdesk made of the list. Undefined: the record stays. */
  toRecord(echo: readonly Snapshot[] | undefined): string | undefined;
}

export interface Events {
  readonly list: readonly EventPayload[];
  readonly areSomeThere: boolean;
  readonly basis: Basis;
}

/** `isGone`: people deleted the ticket. */
export interface NotSent {
  readonly why: TicketProblem;
  readonly isGone?: true;
}

export interface ThreadJob {
  readonly job: TicketJob;
  readonly work: ThreadWork;
  readonly record: TicketRecord;
  readonly deps: CarryDeps;
}

export async function messagesOf(all: ThreadJob): Promise<Messages | NotSent> {
  const { job, work, record, deps } = all;
  const { ticketId, is } = work;
  const { externalId, messages: ours, note, fingerprints } = job.planned;
  const at = deps.clock.monotonic();
  const read = await deps.facts.read('messages', ticketId);
  if ('failure' in read) {
    const { is: why, problem } = read.failure;
    const isNew = is === 'resumed' && record.thread === undefined;
    if (why === 'unreadable' && (isNew || isReadOnly(all))) return fresh(job, deps);
    if (why === 'gone') return gone(ticketId);
    return heldAs(why, ticketId, problem);
  }
  const { length } = read.found;
  // It was counted before the thread was read, and people may have deleted messages since.
  const isWhole = length === 0 || (work.count !== undefined && length >= work.count);
  if (!isWhole && length < ((await messageCount(all)) ?? 0)) return heldAs('partly', ticketId);
  const basis = { found: read.found, at };
  const known = sentThread(record.thread);
  const identified = deps.facts.identified(externalId, ours);
  // Without a record, the current thread counts as sent.
  const then = record.fingerprints?.messages;
  const countsAsSent =
    is === 'resumed' && known === undefined && (then === undefined || then === fingerprints.messages);
  const mergedWith = (thread: readonly Snapshot[]) =>
    mergeThread(ours, thread, known, identified, countsAsSent);
  let merged = mergedWith(read.found);
  const unsure =
    typeof merged === 'object'
      ? merged.sentBack.filter((message) => !readsAsSent(record.thread, message))
      : [];
  if (unsure.length > 0) {
    const whole = await wholeTexts(read.found, unsure, all);
    if (whole === undefined) return heldAs('shortened', ticketId);
    merged = mergedWith(whole);
  }
  if (typeof merged === 'string') return heldAs(merged === 'emptied' ? 'unread' : merged, ticketId);
  const { kept, edited, deleted, removed, replaced, isAnother } = merged;
  if ((replaced > 0 || isAnother) && isOtherwiseChanged(all)) return heldAs('replaced', ticketId);
  const isNew = is === 'resumed' && read.found.length === 0 && note !== undefined;
  const isSent = merged.isChange || isNew;
  return {
    list: isSent ? merged.messages : [],
    ours: merged.ours,
    isPlain: kept + edited + deleted + removed === 0,
    note: isNew ? note : undefined,
    basis,
    warnings: ofPeople(merged),
    toRecord: isSent || countsAsSent ? merged.toRecord : () => undefined,
  };
}

async function messageCount({ work, deps }: ThreadJob): Promise<number | undefined> {
  const read = await deps.facts.readTicket(work.ticketId);
  return 'found' in read ? countIn(read.found[0]) : undefined;
}

export function countIn(ticket: Snapshot | undefined): number | undefined {
  const count = ticket?.['messageCount'];
  return typeof count === 'number' && Number.isSafeInteger(count) ? count : undefined;
}

/** Time, requester or another field that no delta changes: with a replaced text it may be another ticket. */
function isOtherwiseChanged({ job, record }: ThreadJob): boolean {
  const { origin, fingerprints: now } = job.planned;
  const { fingerprints: then } = record;
  if (record.origin !== undefined && origin !== undefined && record.origin !== origin) return true;
  if (then?.fields === undefined || now.fields === undefined) return then?.ticket !== now.ticket;
  return changesOf(then.fields, now.fields).rest;
}

export function fresh(
  { planned }: TicketJob,
  { clock }: Pick<CarryDeps, 'clock'>,
  at = clock.monotonic(),
): Messages {
  return {
    list: planned.messages,
    ours: new Set(planned.messages),
    isPlain: true,
    note: planned.note,
    basis: { found: [], at },
    warnings: [],
    toRecord: recordOfSending(planned.messages),
  };
}

/** Lists may shorten texts, and sending a shortened one back would cut what a person wrote. */
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
      problemIn(error, control.hard);
      return undefined;
    }
  }
  return thread.map((message) => whole.get(message) ?? message);
}

export async function eventsOf(all: ThreadJob): Promise<Events | NotSent> {
  const { job, work, record, deps } = all;
  const { ticketId, is } = work;
  const { events: ours } = job.planned;
  const nothing: Basis = { found: [], at: work.at ?? deps.clock.monotonic() };
  if (is === 'fresh' || (ours.length === 0 && is === 'resumed'))
    return { list: ours, areSomeThere: false, basis: nothing };
  const read = await deps.facts.read('events', ticketId);
  if ('failure' in read) {
    const { is: why, problem } = read.failure;
    const mayReplace = is === 'resumed' ? !mayHaveHistory(record) : isReadOnly(all);
    if (why === 'unreadable' && mayReplace) return { list: ours, areSomeThere: false, basis: nothing };
    if (why === 'gone') return gone(ticketId);
    return { why: ticketProblem(`history-held:${is === 'resumed' ? 'doubtful' : 'unread'}`, {}, problem) };
  }
  const basis = { ...nothing, found: read.found };
  const { missing, extra } = pairEvents(ours, read.found);
  if (missing.length === 0) return { list: [], areSomeThere: false, basis };
  const areSomeThere = missing.length < ours.length;
  // A history that never arrived goes before the helpdesk's own events.
  const isSent = extra.length === 0 || (is === 'resumed' && !areSomeThere && !mayHaveHistory(record));
  if (!isSent || (areSomeThere && deps.facts.appendsEvents))
    return { why: ticketProblem('history-held:own-events') };
  return { list: ours, areSomeThere, basis };
}

function gone(ticketId: string): NotSent {
  return { why: ticketProblem('deleted-in-target:ticket', { ticket: ticketId }), isGone: true };
}

function heldAs(why: string, ticket: string, failure?: TicketProblem): NotSent {
  return { why: ticketProblem(`delta-held:${why}`, { ticket }, failure) };
}

function isReadOnly({ job, record }: ThreadJob): boolean {
  const { ticket, fingerprints } = job.planned;
  return ticket.readOnly === true && record.fingerprints?.ticket === fingerprints.ticket;
}

const DOUBTFUL: ReadonlySet<string> = new Set(['unknown-outcome', 'cut-off', 'history-held']);

function mayHaveHistory({ thread, problem }: TicketRecord): boolean {
  return thread !== undefined && DOUBTFUL.has(problem?.code ?? '');
}
