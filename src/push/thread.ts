/**
 * Brings the messages and the history of one ticket into the target. One path, whether this process created the ticket a moment
 * ago (`fresh`), an earlier one did and could not complete it (`first`), or its export changed since (`delta`):
 *
 *   1. GET messages, GET events   not of a fresh one, where only this import has written
 *   2. merge                      what people did in the target stays (merge-thread.ts)
 *   3. created                    durable before anything is sent: after a crash the next process begins with 1
 *   4. PUT messages               (no request where nothing would change)
 *   5. PUT events                 only where that deletes nothing
 *   6. done                       durable, with the digests of what was sent
 *
 * A crash between any two steps leaves a ticket that the next run takes from 1: what arrived is recognised, and what only the
 * target has is still there. PUT replaces (4.2), so where a thread cannot be read whole nothing is sent: a ticket that was done
 * stays done and is listed. Only the first thread of a ticket goes to a target that cannot be read.
 *
 * Events have no ids that would keep them, and a service writes some of its own. So a history is replaced only where the target
 * has no event but the export's, or no event of the export yet; else it stays unchanged, and is listed.
 */
import {
  hasMessages,
  recordOf,
  settledRecord,
  type TicketProblem,
  type TicketRecord,
} from '../domain/ledger.ts';
import type { MessagePayload } from '../domain/payload.ts';
import { ApiFailure } from '../domain/ticket-api.ts';
import { isImportNote, withoutImportNotes } from '../domain/unmapped.ts';
import { type StepFailure, stepFailure } from './failure-meaning.ts';
import { putEvents, putMessages, ReadingStopped } from './put.ts';
import { type CarryDeps, type TicketJob, type TicketResult, ticketResult } from './run-control.ts';
import { type Part, withoutMailIds } from './target-facts.ts';
import {
  type Events,
  eventsOf,
  fresh,
  type Held,
  type Messages,
  messagesOf,
  type ThreadWork,
} from './thread-now.ts';
import { withNote } from './thread-record.ts';
import { historyDoubled } from './words.ts';

export class ThreadCarrier {
  readonly #deps: CarryDeps;

  constructor(deps: CarryDeps) {
    this.#deps = deps;
  }

  /** The job's slot is held, and given back. Throws for a ledger that fails, and for defects. */
  async carry(job: TicketJob, work: ThreadWork): Promise<TicketResult> {
    const { ledger } = this.#deps;
    const { ticketId, parts, is } = work;
    const record = recordOf(ledger, job.planned.externalId);
    const all = { job, work, record, deps: this.#deps };
    let messages: Messages | Held | undefined;
    let events: Events | Held | undefined;
    try {
      if (parts.includes('messages')) messages = is === 'fresh' ? fresh(job) : await messagesOf(all);
      if (messages !== undefined && 'held' in messages) return await this.#hold(job, ticketId, messages);
      if (parts.includes('events')) events = await eventsOf(all);
    } catch (error) {
      if (!(error instanceof ReadingStopped)) throw error;
      return ticketResult(record.state === 'done' ? 'done' : 'pending', { ticketId, ...error.stop });
    }
    const held = events !== undefined && 'held' in events ? events : undefined;
    if (held?.isGone === true || (held !== undefined && messages === undefined && record.state === 'done'))
      return this.#hold(job, ticketId, held);
    const recorded = is === 'fresh' ? work.recorded : this.#begin(record, job);
    return this.#send(job, work, {
      messages,
      events: events === undefined || 'held' in events ? undefined : events,
      heldHistory: held?.held,
      recorded: recorded ?? Promise.resolve(),
    });
  }

  /** Records that the thread is about to change. What was sent is recorded when it arrived; until then a changed export is seen as changed. */
  #begin(record: TicketRecord, { planned }: TicketJob): Promise<void> {
    const { ledger } = this.#deps;
    const { problem: _, ...now } = record;
    if (record.state === 'done')
      return ledger.put({
        ...now,
        state: 'created',
        reopened: true,
        fingerprints: record.fingerprints ?? planned.fingerprints,
      });
    if (record.state === 'failed' || record.state === 'rejected')
      return ledger.put({ ...now, state: 'created' });
    return Promise.resolve();
  }

  async #send(
    job: TicketJob,
    { ticketId, is, parts }: ThreadWork,
    sending: {
      messages: Messages | undefined;
      events: Events | undefined;
      heldHistory: TicketProblem | undefined;
      recorded: Promise<void>;
    },
  ): Promise<TicketResult> {
    const { planned, contacts, slot } = job;
    const { ledger } = this.#deps;
    const { messages, events, heldHistory, recorded } = sending;
    // Where nothing is sent, nothing waits for it; the ledger fails again at its next write.
    recorded.catch(() => undefined);
    const before = recordOf(ledger, planned.externalId);
    let { thread } = before;
    let fingerprints = before.fingerprints;
    let messagesSent = 0;
    let eventsSent = 0;
    let areMessagesThere = !parts.includes('messages');
    const now = () => ({ ...settledRecord(ledger, planned.externalId), ticketId, fingerprints, thread });
    const arrived = (part: Part) => {
      if (is !== 'fresh')
        fingerprints = { ...(fingerprints ?? planned.fingerprints), [part]: planned.fingerprints[part] };
    };
    try {
      if (messages !== undefined) {
        const isSending = messages.list.length > 0 || messages.note !== undefined;
        if (isSending) await recorded;
        thread = isSending
          ? await this.#put(job, ticketId, messages, thread)
          : (messages.record(undefined) ?? thread ?? '');
        areMessagesThere = true;
        messagesSent = isSending || is !== 'delta' ? planned.messages.length : 0;
        // The ticket's own contact exists since the ticket does.
        for (const email of planned.contacts)
          if (email !== planned.ticket.contact?.email) contacts.know(email);
        arrived('messages');
      }
      contacts.release();
      // Not waited for: a crash before it is on the disk only repeats the messages.
      if (messages !== undefined && is !== 'fresh')
        void ledger.put({ ...now(), state: 'created' }).catch(() => undefined);
      if (events !== undefined) {
        if (events.list.length > 0) {
          await recorded;
          await putEvents(ticketId, events.list, events.areSomeThere, slot, this.#deps);
        }
        eventsSent = planned.events.length;
        arrived('events');
      }
      slot.release();
      const warnings = [
        ...(messages?.warnings ?? []),
        ...(heldHistory === undefined ? [] : [heldHistory]),
        ...(events?.areSomeThere === true && this.#deps.facts.appendsEvents
          ? [historyDoubled(ticketId)]
          : []),
      ];
      const counts = { ticketId, messages: messagesSent, events: eventsSent };
      // A ticket is not done for the first time without its history.
      if (heldHistory !== undefined && is === 'first') {
        await recorded;
        await ledger.put({ ...now(), state: 'failed', problem: heldHistory });
        return ticketResult('failed', { ...counts, problem: heldHistory });
      }
      const { reopened: _, ...done } = now();
      await ledger.put({ ...done, state: 'done' });
      return ticketResult('done', { ...counts, ...(warnings.length > 0 && { warnings }) });
    } catch (error) {
      return this.#failed(job, error, {
        ticketId,
        messages: messagesSent,
        events: eventsSent,
        record: now(),
        hasNote: !areMessagesThere && messages?.note !== undefined,
      });
    }
  }

  async #failed(
    job: TicketJob,
    error: unknown,
    at: { ticketId: string; messages: number; events: number; record: TicketRecord; hasNote: boolean },
  ): Promise<TicketResult> {
    const { ledger, control } = this.#deps;
    const { outcome, problem: found, ...stop } = failureOf(error, control.hard);
    const { record, hasNote, ...counts } = at;
    job.slot.release();
    job.contacts.release();
    if (outcome === 'unfinished') {
      if (hasMessages(record)) void ledger.put({ ...record, state: 'created' }).catch(() => undefined);
      return ticketResult('pending', { ...counts, problem: found, ...stop });
    }
    const problem = hasNote ? aboutNote(found) : found;
    await ledger.put({ ...record, state: 'failed', problem });
    return ticketResult('failed', { ...counts, problem });
  }

  /** Nothing is sent. A ticket that was done is as it was; one whose delta was begun is not complete, and says so. */
  async #hold(job: TicketJob, ticketId: string, { held, isGone }: Held): Promise<TicketResult> {
    const { ledger } = this.#deps;
    const record = settledRecord(ledger, job.planned.externalId);
    const gone = isGone && { isGone };
    if (record.state === 'done') return ticketResult('done', { ticketId, warnings: [held], ...gone });
    await ledger.put({ ...record, ticketId, state: 'failed', problem: held });
    return ticketResult('failed', { ticketId, problem: held, ...gone });
  }

  /**
   * In the fullest form that the target takes: with the ids of their mails, and by the ids of those that it has; without, where it
   * refuses these. Resolves with what to keep of them.
   */
  async #put(
    { planned }: TicketJob,
    ticketId: string,
    { list, ours, isPlain, note, before, record }: Messages,
    then: string | undefined,
  ): Promise<string | undefined> {
    const { facts } = this.#deps;
    const takesIds = await facts.takesMessageIds();
    const put = async (form: readonly MessagePayload[]) => {
      const echo = await putMessages(
        ticketId,
        note === undefined ? form : [...form, note],
        before,
        this.#deps,
      );
      if (takesIds === undefined && list.length > 0) facts.messageIdsTaken(form === full);
      return withNote(record(echo && withoutImportNotes(echo)), note, echo?.find(isImportNote), then);
    };
    const full = before === undefined ? facts.identified(planned.externalId, list) : list;
    const bare = list.map((message) => (ours.has(message) ? withoutMailIds(message) : message));
    const plain = isPlain ? bare.map(({ id: _, ...message }) => message) : bare;
    if (takesIds === false) return put(plain);
    try {
      return await put(full);
    } catch (error) {
      const isRefused = error instanceof ApiFailure && error.code === 'refused' && error.effect === 'none';
      if (!isRefused || takesIds === true) throw error;
    }
    return put(plain);
  }
}

/** Of what was sent it may also be that the run stopped before a read showed it. */
function failureOf(error: unknown, hard: AbortSignal): StepFailure {
  if (!(error instanceof ReadingStopped)) return stepFailure(error, hard);
  return { outcome: 'unfinished', problem: { code: 'cut-off', message: error.message }, ...error.stop };
}

/** Perhaps it was the note that the target refused: then its messages go without. */
function aboutNote(problem: TicketProblem): TicketProblem {
  if (problem.code !== 'refused') return problem;
  const hint = 'Its last message is the note of what no rule uses; with "unmapped: drop" it goes without.';
  return { ...problem, message: `${problem.message.slice(0, 190).toWellFormed()} ${hint}` };
}
