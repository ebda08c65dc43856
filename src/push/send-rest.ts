/**
 * What follows once a ticket is in the target: its messages, its events, done. That each of them arrived is made sure of
 * (put-lists.ts); the order of writes and requests is argued in carry-ticket.ts.
 */

import type { TicketProblem } from '../domain/ledger.ts';
import type { EventPayload, MessagePayload } from '../domain/payload.ts';
import type { Fingerprints } from '../domain/ticket.ts';
import { ApiFailure, type Snapshot } from '../domain/ticket-api.ts';
import { isImportNote, withoutImportNotes } from '../domain/unmapped.ts';
import { historyDoubled } from './delta-words.ts';
import { stepFailure } from './failure-meaning.ts';
import type { MergedThread } from './merge-thread.ts';
import { withoutMailIds } from './message-ids.ts';
import { putEvents, putMessages } from './put-lists.ts';
import type { ThreadNow } from './target-reader.ts';
import { recordOfSending, withNote } from './thread-record.ts';
import { type CarryDeps, type TicketJob, type TicketResult, ticketResult } from './ticket-job.ts';

export interface Rest {
  readonly ticketId: string;
  readonly from: 'messages' | 'events';
  /** That the ticket is in the target is being recorded; it survives the end of the process when this resolves. */
  readonly recorded: Promise<void>;
  /** Digests to record with each part, where they are not those that were recorded with the create. */
  readonly sent?: { readonly messages?: Fingerprints; readonly events?: Fingerprints };
  /** What to send instead of the export's own lists: with what only the target has, or without what it has already. */
  readonly messages?: (Sending & { readonly record?: MergedThread['record'] | undefined }) | undefined;
  readonly events?: readonly EventPayload[];
  /** Some of its history is there: called where the target has added what was sent to it. */
  readonly onDoubled?: (() => void) | undefined;
  /** Why its history is not sent, which leaves the ticket incomplete. */
  readonly unsent?: TicketProblem | undefined;
  /** The target was seen to add events to those that it has. */
  readonly append?: true | undefined;
}

export async function sendRest(job: TicketJob, rest: Rest, deps: CarryDeps): Promise<TicketResult> {
  const { planned, admitted, slot } = job;
  const { ledger, control } = deps;
  const { ticketId, sent } = rest;
  const sending = rest.messages ?? planned;
  const messages = rest.from === 'messages' ? sending.messages : [];
  const events = rest.events ?? planned.events;
  let messagesSent = 0;
  let eventsSent = 0;
  /** What of its messages the target has, by digests. */
  let thread: string | undefined;
  let warnings: readonly TicketProblem[] | undefined;
  /** Not waited for: a crash before it is on the disk only repeats the messages, and what is recorded next is durable after it. */
  const recordMessages = () => {
    if (rest.from === 'messages' && ledger.get(planned.externalId)?.state === 'created')
      void ledger.messagesSent(planned.externalId, sent?.messages, thread);
  };
  try {
    if (messages.length > 0 || (rest.from === 'messages' && sending.note !== undefined)) {
      const recordOf = rest.messages?.record ?? recordOfSending(planned.messages);
      await rest.recorded;
      const { echo, note } = await sendMessages(planned.externalId, ticketId, sending, deps);
      thread = withNote(recordOf(echo), sending.note, note, ledger.get(planned.externalId)?.thread);
      messagesSent = planned.messages.length;
      // The ticket's own contact exists since the ticket does.
      for (const email of planned.contacts) if (email !== planned.ticket.contact?.email) admitted.know(email);
    } else if (rest.from === 'messages') {
      const before = ledger.get(planned.externalId)?.thread;
      thread = rest.messages?.record?.(undefined);
      if (thread !== undefined)
        thread = withNote(thread, before === undefined ? planned.note : undefined, undefined, before);
      // An earlier process sent them and could not note it: they were read there.
      if (thread !== undefined && ledger.get(planned.externalId)?.state === 'created')
        messagesSent = planned.messages.length;
    }
    admitted.release();
    // Other digests than those of the create are recorded at once; else `done` says it soon enough.
    if (sent !== undefined) recordMessages();
    if (events.length > 0) {
      if (messages.length === 0) await rest.recorded;
      const { onDoubled, append } = rest;
      const areSomeThere = onDoubled !== undefined;
      const { doubled } = await putEvents({ ticketId, events, append, areSomeThere }, slot, deps);
      if (doubled) onDoubled?.();
      if (doubled) warnings = [historyDoubled(ticketId)];
      eventsSent = planned.events.length;
    }
    slot.release('ok');
    if (rest.unsent !== undefined) {
      if (messages.length === 0) await rest.recorded;
      recordMessages();
      await ledger.refused(planned.externalId, rest.unsent);
      return ticketResult('failed', { ticketId, messages: messagesSent, problem: rest.unsent });
    }
    await ledger.eventsSent(planned.externalId, sent?.events, thread);
    return ticketResult('done', {
      ticketId,
      messages: messagesSent,
      events: eventsSent,
      ...(warnings && { warnings }),
    });
  } catch (error) {
    const { outcome, problem, ...stop } = stepFailure(error, control.hard);
    if (messagesSent > 0) recordMessages();
    slot.release(error instanceof ApiFailure && error.effect === 'unknown' ? 'overload' : 'ignore');
    admitted.release();
    const counts = { ticketId, messages: messagesSent, events: eventsSent };
    if (outcome === 'unfinished') return ticketResult('pending', { ...counts, problem, ...stop });
    const said = messagesSent === 0 && sending.note !== undefined ? aboutNote(problem) : problem;
    await ledger.refused(planned.externalId, said);
    return ticketResult('failed', { ...counts, problem: said });
  }
}

/** Perhaps it was the note that the target refused: then its messages go without. */
function aboutNote(problem: TicketProblem): TicketProblem {
  if (problem.code !== 'refused') return problem;
  const hint = 'Its last message is the note of what no rule uses; with "unmapped: drop" it goes without.';
  return { ...problem, message: `${problem.message.slice(0, 190).toWellFormed()} ${hint}` };
}

// The messages of one ticket, in the fullest form that the target takes: with the ids of their mails, where it keeps them, and
// by the ids of those that it has; without, where it refuses these.

/** A list of messages that is to be the thread. */
export interface Sending {
  readonly messages: readonly MessagePayload[];
  /** Goes after them, and is in no answer and no count. */
  readonly note?: MessagePayload | undefined;
  /** Those of them that are the export's; default: all. */
  readonly ours?: ReadonlySet<MessagePayload> | undefined;
  /** Instead, in a target that knows no ids of messages. */
  readonly withoutIds?: readonly MessagePayload[] | undefined;
  /** The thread as it was read before. */
  readonly before?: readonly Snapshot[] | undefined;
}

export async function sendMessages(
  externalId: string,
  ticketId: string,
  { messages, ours, withoutIds, before, note }: Sending,
  deps: CarryDeps,
): Promise<ThreadNow> {
  const { messageIds } = deps;
  const put = async (thread: readonly MessagePayload[]): Promise<ThreadNow> => {
    if (note === undefined) return putMessages(ticketId, thread, before, deps);
    const { echo, read } = await putMessages(ticketId, [...thread, note], before, deps);
    return {
      echo: echo && withoutImportNotes(echo),
      read: read && withoutImportNotes(read),
      note: (echo ?? read)?.find(isImportNote),
    };
  };
  return messageIds.send(ticketId, (withIds) => {
    if (withIds) return put(ours === undefined ? messageIds.identified(externalId, messages) : messages);
    const bare = messages.map((message) =>
      ours?.has(message) === false ? message : withoutMailIds(message),
    );
    return put(withoutIds ?? bare);
  });
}
