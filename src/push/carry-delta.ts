/**
 * Brings the thread of a ticket that the target has had for a while up to the export, without losing what was written there
 * meanwhile. PUT replaces (4.2, 4.3), so the target is read first, and right before.
 *
 *   1. GET messages, GET events   only what is to be changed
 *   2. reopened (or resumed)      durable before anything is sent: whoever goes on after a crash reads again
 *   3. PUT messages               the export's, and by their ids those that only the target has
 *   4. PUT events                 only where that deletes nothing
 *   5. done                       with the digests of what was sent
 *   6. the ticket's own fields    carry-fields.ts
 *
 * A crash between any two steps leaves a ticket that the next run treats in the same way: it reads again, what arrived is
 * recognised, and what only the target has is still there. Where its thread cannot be read, or may not have been told whole,
 * nothing is sent: a ticket that was done stays done, and is listed.
 *
 * Events have no ids that would keep them, and a service writes some of its own (a reopening by the customer). So a history
 * is replaced only where the target has no event but the export's; where it appends, only the missing ones are sent; else
 * it is left as it is, and listed.
 */

import type { TicketProblem, TicketRecord } from '../domain/ledger.ts';
import type { EventPayload, MessagePayload } from '../domain/payload.ts';
import { pairEvents, pairMessages } from '../domain/snapshot.ts';
import type { DeltaPart } from '../domain/ticket.ts';
import type { Snapshot } from '../domain/ticket-api.ts';
import { isImportNote } from '../domain/unmapped.ts';
import { FieldsCarrier } from './carry-fields.ts';
import {
  deletedInTarget,
  historyDoubled,
  historyHeld,
  messagesDeleted,
  messagesEdited,
  messagesHeld,
  messagesKept,
} from './delta-words.ts';
import { mergeThread } from './merge-thread.ts';
import { withoutMailIds } from './message-ids.ts';
import { mayBeOf } from './put-lists.ts';
import { type Rest, sendRest } from './send-rest.ts';
import { waited } from './settle-doubt.ts';
import { type Part, type Reading, ReadingStopped } from './target-reader.ts';
import { sentThread } from './thread-record.ts';
import { type CarryDeps, type TicketJob, type TicketResult, ticketResult } from './ticket-job.ts';
import { TextsSeen } from './whole-text.ts';

export interface Delta {
  readonly ticketId: string;
  readonly parts: readonly DeltaPart[];
  /** Also where nothing is known of what the target has: the thread never arrived. */
  readonly isFirst?: boolean;
  /** An earlier process may have sent its history, and died before it knew what came of it. */
  readonly mayBeUnderWay?: boolean;
}

/** What is to be sent of one part, or why nothing of it is. */
type SendMessages =
  | { readonly sending: NonNullable<Rest['messages']>; readonly warnings?: readonly TicketProblem[] }
  | { readonly held: TicketProblem };
type SendEvents =
  | {
      readonly send: readonly EventPayload[];
      readonly areSomeThere?: true;
      readonly warnings?: readonly TicketProblem[];
    }
  | { readonly held: TicketProblem };

export class DeltaCarrier {
  readonly #deps: CarryDeps;
  readonly #texts = new TextsSeen();
  readonly #fields: FieldsCarrier;
  /** The target was seen to add events to those that it has. */
  #appends: true | undefined;

  constructor(deps: CarryDeps) {
    this.#deps = deps;
    this.#fields = new FieldsCarrier(deps);
  }

  readonly #onDoubled = () => {
    this.#appends = true;
  };

  /** The job's slot is held. Throws for a ledger that fails, and for defects. */
  async carry(job: TicketJob, delta: Delta): Promise<TicketResult> {
    const { ticketId, parts } = delta;
    const end = parts.some((part) => part !== 'fields')
      ? await this.#thread(job, delta)
      : ticketResult('done', { ticketId });
    if (!parts.includes('fields') || end.outcome !== 'done' || 'stop' in end) return end;
    if (end.warnings?.some(({ message }) => message === deletedInTarget(ticketId).message)) return end;
    const { control } = this.#deps;
    if (control.hard.aborted) return end;
    await job.slot.hold(control.hard);
    const { warnings = [], ...more } = await this.#fields.carry(job, ticketId);
    job.slot.release('ok');
    const all = [...(end.warnings ?? []), ...warnings];
    return {
      ...more,
      messages: end.messages,
      events: end.events,
      ...(all.length > 0 && { warnings: all }),
    };
  }

  async #thread(job: TicketJob, delta: Delta): Promise<TicketResult> {
    const { planned } = job;
    const record = this.#deps.ledger.get(planned.externalId);
    const wanted = new Set(delta.parts);
    if (wanted.has('events') && !(await this.#isSettled(job, delta, record)))
      return ticketResult('pending', { ticketId: delta.ticketId });
    let messages: SendMessages | undefined;
    let events: SendEvents | undefined;
    try {
      if (wanted.has('messages')) messages = await this.#messages(job, delta, record);
      if (messages !== undefined && 'held' in messages) return this.#hold(job, delta, messages.held, record);
      if (wanted.has('events')) events = await this.#events(job, delta, record);
    } catch (error) {
      if (error instanceof Gone) return this.#hold(job, delta, deletedInTarget(delta.ticketId), record);
      if (!(error instanceof ReadingStopped)) throw error;
      const outcome = record?.state === 'done' ? 'done' : 'pending';
      return ticketResult(outcome, { ticketId: delta.ticketId, ...error.stop });
    }
    return this.#send(job, delta, { messages, events, record });
  }

  /**
   * What an earlier process sent of its history may still arrive, after it was read: it is waited for as for a create, before
   * anything is read. False when the run stops meanwhile.
   */
  async #isSettled(job: TicketJob, delta: Delta, record: TicketRecord | undefined): Promise<boolean> {
    const { clock, ledger, lateMs } = this.#deps;
    const isSure = record?.state === 'done' || job.planned.events.length === 0;
    if (isSure || delta.mayBeUnderWay === false || (record?.state === 'failed' && !wasDoubtful(record)))
      return true;
    const untilDue = ledger.diedBefore() + lateMs - clock.now();
    return untilDue <= 0 || waited(Math.min(untilDue, lateMs), job.slot, this.#deps);
  }

  async #send(
    job: TicketJob,
    delta: Delta,
    found: {
      messages: SendMessages | undefined;
      events: SendEvents | undefined;
      record: TicketRecord | undefined;
    },
  ): Promise<TicketResult> {
    const { messages, events, record } = found;
    const isHistoryHeld = events !== undefined && 'held' in events;
    const said = [messages, events].flatMap((part) =>
      part !== undefined && 'warnings' in part ? (part.warnings ?? []) : [],
    );
    const warnings = isHistoryHeld ? [...said, events.held] : [...said];
    if (isHistoryHeld && messages === undefined && record?.state === 'done')
      return ticketResult('done', { ticketId: delta.ticketId, warnings });
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
      messages: messages !== undefined && 'sending' in messages ? messages.sending : undefined,
      events: events !== undefined && 'send' in events ? events.send : [],
      onDoubled: events !== undefined && 'areSomeThere' in events ? this.#onDoubled : undefined,
      // A ticket is not done for the first time without its history.
      unsent: isHistoryHeld && delta.isFirst === true ? events.held : undefined,
      append: this.#appends,
    };
    const end = await sendRest(job, rest, this.#deps);
    if (end.outcome !== 'done') return end;
    warnings.push(...(end.warnings ?? []));
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
  ): Promise<TicketResult> {
    const { ledger } = this.#deps;
    const { externalId } = job.planned;
    if (record?.state === 'done') return ticketResult('done', { ticketId, warnings: [held] });
    if (record?.state === 'rejected') await ledger.resumed(externalId);
    await ledger.refused(externalId, held);
    return ticketResult('failed', { ticketId, problem: held });
  }

  async #messages(
    job: TicketJob,
    { ticketId, isFirst }: Delta,
    record: TicketRecord | undefined,
  ): Promise<SendMessages> {
    const { externalId, messages: ours, note } = job.planned;
    const { messageIds } = this.#deps;
    const read = await this.#read('messages', ticketId);
    if ('failure' in read) {
      const { outcome, problem } = read.failure;
      if (outcome === 'unreadable' && (isFirst === true || wasReadOnly(job, record)))
        return { sending: { messages: ours, note } };
      const because = outcome === 'unreadable' || outcome === 'unread' ? outcome : 'again';
      return { held: messagesHeld(because, ticketId, problem) };
    }
    const known = sentThread(record?.thread);
    const identified = messageIds.identified(externalId, ours);
    let thread = read.found;
    // Of a ticket that an earlier process sent as the export has it, or whose record was lost, what stands there is what was sent.
    const then = record?.fingerprints?.messages;
    const isThere = isFirst === true && known === undefined;
    const isAsSent = isThere && (then === undefined || then === job.planned.fingerprints.messages);
    let merged = mergeThread(ours, thread, known, identified, isAsSent);
    if (typeof merged === 'object') {
      const whole = await this.#whole(ticketId, ours, thread, merged.sentBack);
      if (whole === undefined) return { held: messagesHeld('shortened', ticketId) };
      // With its whole text a message may turn out not to be edited.
      if (whole.size > 0) {
        thread = thread.map((reported) => whole.get(reported) ?? reported);
        merged = mergeThread(ours, thread, known, identified, isAsSent);
      }
    }
    if (merged === 'emptied') return { held: messagesHeld('unread', ticketId) };
    if (merged === 'partly') return { held: messagesHeld('partly', ticketId) };
    if (merged === 'unreported') return { held: messagesHeld('unreported', ticketId) };
    const { kept, edited, deleted } = merged;
    const warnings = [
      ...(kept > 0 ? [messagesKept(kept)] : []),
      ...(edited > 0 ? [messagesEdited(edited)] : []),
      ...(deleted > 0 ? [messagesDeleted(deleted)] : []),
    ];
    const isPlain = kept + edited + deleted === 0;
    // Nothing of the thread has arrived yet, its note neither.
    const isNew = isFirst === true && read.found.length === 0 && note !== undefined;
    const sending = {
      ...merged,
      note: isNew ? note : undefined,
      before: read.found,
      withoutIds: isPlain ? [...ours, ...merged.messages.filter(isNote)].map(withoutIds) : undefined,
    };
    if (merged.isChange || isNew) return { sending, warnings };
    return { sending: { messages: [], record: isAsSent ? merged.record : undefined }, warnings };
  }

  /** Messages that the thread does not tell whole, as they are whole; undefined where one cannot be had, so that sending it back would cut it. */
  async #whole(
    ticketId: string,
    ours: readonly MessagePayload[],
    thread: readonly Snapshot[],
    sentBack: readonly Snapshot[],
  ): Promise<ReadonlyMap<Snapshot, Snapshot> | undefined> {
    for (const [message, reported] of pairMessages(ours, thread).pairs)
      this.#texts.learn(message.content, reported);
    this.#texts.learnAll(thread);
    const whole = new Map<Snapshot, Snapshot>();
    for (const reported of sentBack) {
      if (!this.#texts.isDoubtful(reported)) continue;
      const message = this.#texts.wholeOf(reported, await this.#deps.reader.message(ticketId, reported.id));
      if (message === undefined) return undefined;
      whole.set(reported, message);
    }
    return whole;
  }

  async #events(
    job: TicketJob,
    { ticketId, isFirst, mayBeUnderWay = true }: Delta,
    record: TicketRecord | undefined,
  ): Promise<SendEvents> {
    const ours = job.planned.events;
    if (ours.length === 0 && isFirst === true) return { send: [] };
    const appends = this.#appends;
    const read = await this.#read('events', ticketId);
    if ('failure' in read) {
      const { outcome, problem } = read.failure;
      const mayReplace = isFirst === true || wasReadOnly(job, record);
      // Whether an earlier try arrived is not known, and it must not be there twice.
      const mayBeThere = wasDoubtful(record) ? true : appends === true && mayBeUnderWay;
      const mayDouble = isFirst === true ? mayBeThere : appends === true;
      if (outcome === 'unreadable' && mayReplace && !mayDouble) return { send: ours };
      return { held: historyHeld(isFirst === true ? 'doubtful' : 'unread', problem) };
    }
    const { missing, extra } = pairEvents(ours, read.found);
    const mayBeThere = extra.some((event) => mayBeOf(ours, event));
    if (missing.length === 0)
      return { send: [], warnings: mayBeThere && isFirst === true ? [historyDoubled(ticketId)] : [] };
    if (appends === true) return { send: ours.filter((_, index) => missing.includes(index)) };
    // A history that never arrived goes before what the target wrote itself.
    const neverArrived = isFirst === true && missing.length === ours.length && !mayBeThere;
    return extra.length === 0 || neverArrived
      ? { send: ours, ...(missing.length < ours.length && { areSomeThere: true as const }) }
      : { held: historyHeld('own-events') };
  }

  /** Throws ReadingStopped when the run ends meanwhile, or has to, and Gone where people deleted the ticket. */
  async #read(part: Part, ticketId: string): Promise<Reading> {
    const read = await this.#deps.reader.read(part, ticketId);
    if ('found' in read) return read;
    const { outcome, ...rest } = read.failure;
    if (outcome === 'stopped') throw new ReadingStopped('stop' in rest ? { stop: rest.stop } : {});
    if (outcome === 'gone') throw new Gone();
    return read;
  }
}

const isNote = (message: MessagePayload) => isImportNote({ ...message });

function withoutIds({ id: _, ...message }: MessagePayload): MessagePayload {
  return withoutMailIds(message);
}

/** The ticket is not in the target any more. */
class Gone extends Error {}

/** An earlier try to send its history ended so that it may be there. */
function wasDoubtful(record: TicketRecord | undefined): boolean {
  const { state, reached, problem } = record ?? {};
  return state === 'failed' && reached === 'messaged' && DOUBTFUL.has(problem?.code ?? '');
}

const DOUBTFUL: ReadonlySet<string> = new Set(['unknown-outcome', 'cut-off', 'history-held']);

/**
 * The ticket was created as one that is managed elsewhere, so nobody writes to it in the target (2.1). What was created is
 * known where the ticket's own fields are still those of the create.
 */
function wasReadOnly({ planned }: TicketJob, record: TicketRecord | undefined): boolean {
  return planned.ticket.readOnly === true && record?.fingerprints?.ticket === planned.fingerprints.ticket;
}
