/**
 * Brings the messages and the history of one ticket into the helpdesk. One way, whether this process created the ticket a moment ago
 * (`fresh`), an earlier process or reading left it incomplete (`resumed`), or its export changed since (`delta`):
 *
 *   1. GET messages, GET events   not of a fresh one, where only this import has written
 *   2. merge                      what people did in the helpdesk stays (merge-thread.ts)
 *   3. created                    durable before anything is sent: after a crash the next process begins with 1
 *   4. PUT messages               no request where nothing would change
 *   5. PUT events                 only where that deletes nothing
 *   6. done                       durable, with the digests of what was sent
 *
 * 4 and 5 leave only while the helpdesk shows what 1 read (look.ts); otherwise all of it begins anew with 1.
 *
 * After a crash between any two steps the next run begins with 1: what arrived is recognised, and what only the helpdesk has is still
 * there. Where a thread cannot be read whole nothing is sent, and a ticket that was done stays done and is listed. Only the first thread
 * of a ticket goes to a helpdesk that cannot be read.
 *
 * Events have no ids, and a service writes some of its own. So a history is replaced only where the helpdesk has no event but the
 * export's, or none of the export's yet; else it stays unchanged, and is listed.
 */
import * as ledgers from '../domain/ledger.ts';
import type { MessagePayload } from '../domain/payload.ts';
import { isImportNote, withoutImportNotes } from '../domain/snapshot.ts';
import { ApiFailure } from '../domain/ticket-api.ts';
import { aboutThread, failureOf } from './failure-meaning.ts';
import { KeptTexts } from './kept-texts.ts';
import { fromNewReading, Outdated } from './look.ts';
import { putEvents, putMessages } from './put.ts';
import { type CarryDeps, type TicketJob, type TicketResult, ticketResult } from './run-control.ts';
import { type Part, withoutMailIds } from './target-facts.ts';
import * as threads from './thread-now.ts';
import { withNote } from './thread-record.ts';
import { ticketProblem } from './words.ts';

interface Sending {
  readonly messages: threads.Messages | undefined;
  readonly events: threads.Events | undefined;
  readonly heldHistory: ledgers.TicketProblem | undefined;
  /** On disk before anything is sent. */
  readonly recorded: Promise<void>;
}

class Progress {
  readonly ticketId: string;
  thread: string | undefined;
  hasMessages = false;
  shortened = 0;
  readonly #ledger: CarryDeps['ledger'];
  readonly #planned: TicketJob['planned'];
  readonly #is: threads.ThreadWork['is'];
  readonly #sent = { messages: 0, events: 0 };
  #fingerprints: ledgers.TicketRecord['fingerprints'];

  constructor(
    ledger: CarryDeps['ledger'],
    { planned }: TicketJob,
    { ticketId, is, parts }: threads.ThreadWork,
  ) {
    this.ticketId = ticketId;
    this.#ledger = ledger;
    this.#planned = planned;
    this.#is = is;
    this.hasMessages = !parts.includes('messages');
    ({ thread: this.thread, fingerprints: this.#fingerprints } = ledgers.recordOf(
      ledger,
      planned.externalId,
    ));
  }

  arrived(part: Part, isSent: boolean): void {
    const { fingerprints } = this.#planned;
    if (part === 'messages') this.hasMessages = true;
    if (isSent || this.#is !== 'delta') this.#sent[part] = this.#planned[part].length;
    // A fresh ticket's are written with its ID.
    if (this.#is !== 'fresh')
      this.#fingerprints = { ...(this.#fingerprints ?? fingerprints), [part]: fingerprints[part] };
  }

  get record(): ledgers.TicketRecord {
    const { ticketId, thread } = this;
    const record = ledgers.settledRecord(this.#ledger, this.#planned.externalId);
    return { ...record, ticketId, fingerprints: this.#fingerprints, thread };
  }

  get counts() {
    return { ticketId: this.ticketId, ...this.#sent };
  }
}

export class ThreadCarrier {
  readonly #deps: CarryDeps;
  readonly #texts: KeptTexts;

  constructor(deps: CarryDeps) {
    this.#deps = deps;
    this.#texts = new KeptTexts(deps);
  }

  /** Holds the job's slot and gives it back. Throws what ends the run before anything was sent. */
  async carry(job: TicketJob, work: threads.ThreadWork): Promise<TicketResult> {
    try {
      return await fromNewReading((nth) =>
        this.#carryOnce(
          job,
          nth > 1 && work.is === 'fresh' ? { ...work, is: 'resumed', at: undefined } : work,
        ),
      );
    } catch (error) {
      if (!(error instanceof Outdated)) throw error;
      return this.#failed(job, error, new Progress(this.#deps.ledger, job, work), false);
    }
  }

  async #carryOnce(job: TicketJob, work: threads.ThreadWork): Promise<TicketResult> {
    const { ticketId, parts, is } = work;
    const record = ledgers.recordOf(this.#deps.ledger, job.planned.externalId);
    const all = { job, work, record, deps: this.#deps };
    const messages = !parts.includes('messages')
      ? undefined
      : is === 'fresh'
        ? threads.fresh(job, this.#deps, work.at)
        : await threads.messagesOf(all);
    if (messages !== undefined && 'why' in messages) return this.#hold(job, ticketId, messages);
    const events = parts.includes('events') ? await threads.eventsOf(all) : undefined;
    const held = events !== undefined && 'why' in events ? events : undefined;
    if (held?.isGone === true || (held !== undefined && messages === undefined && record.state === 'done'))
      return this.#hold(job, ticketId, held);
    return this.#send(job, work, {
      messages,
      events: events === undefined || 'why' in events ? undefined : events,
      heldHistory: held?.why,
      recorded: work.recorded ?? this.#begin(record, job),
    });
  }

  /** Records that the thread is about to change. Until it arrived, a changed export is seen as changed. */
  #begin(record: ledgers.TicketRecord, { planned }: TicketJob): Promise<void> {
    const { ledger } = this.#deps;
    const { problem: _, ...now } = record;
    const { fingerprints = planned.fingerprints } = record;
    if (record.state === 'done')
      return ledger.put({ ...now, state: 'created', reopened: true, fingerprints });
    return record.state === 'incomplete' ? ledger.put({ ...now, state: 'created' }) : Promise.resolve();
  }

  async #send(job: TicketJob, work: threads.ThreadWork, sending: Sending): Promise<TicketResult> {
    const { messages, events, recorded } = sending;
    // Nothing waits for it; the ledger fails again at its next write.
    recorded.catch(() => undefined);
    const progress = new Progress(this.#deps.ledger, job, work);
    try {
      if (messages !== undefined) await this.#sendMessages(job, messages, recorded, progress);
      job.contacts.release();
      // Not awaited: a crash before it is on disk only repeats the messages.
      if (messages !== undefined && work.is !== 'fresh')
        void this.#deps.ledger.put({ ...progress.record, state: 'created' }).catch(() => undefined);
      if (events !== undefined) await this.#sendEvents(job, events, recorded, progress);
      job.slot.release();
      return await this.#end(work, sending, progress);
    } catch (error) {
      if (error instanceof Outdated) throw error;
      return this.#failed(job, error, progress, messages?.note !== undefined);
    }
  }

  async #sendMessages(
    { planned, contacts }: TicketJob,
    messages: threads.Messages,
    recorded: Promise<void>,
    progress: Progress,
  ): Promise<void> {
    const isSending = messages.list.length > 0 || messages.note !== undefined;
    if (isSending) await recorded;
    const { thread } = progress;
    progress.thread = isSending
      ? await this.#put(planned.externalId, messages, progress)
      : (messages.toRecord(undefined) ?? thread ?? '');
    progress.arrived('messages', isSending);
    for (const email of planned.contacts) if (email !== planned.ticket.contact?.email) contacts.know(email);
  }

  async #sendEvents(
    { slot }: TicketJob,
    events: threads.Events,
    recorded: Promise<void>,
    progress: Progress,
  ): Promise<void> {
    if (events.list.length > 0) {
      await recorded;
      await putEvents(progress.ticketId, events.list, events, slot, this.#deps);
    }
    progress.arrived('events', true);
  }

  async #end(
    { is, ticketId }: threads.ThreadWork,
    { messages, events, heldHistory, recorded }: Sending,
    { record, counts, shortened }: Progress,
  ): Promise<TicketResult> {
    const { ledger, facts } = this.#deps;
    const isDoubled = events?.areSomeThere === true && facts.appendsEvents;
    const warnings = [
      ...(messages?.warnings ?? []),
      ...(shortened > 0 ? [ticketProblem('shortened', { count: shortened })] : []),
      ...(heldHistory === undefined ? [] : [heldHistory]),
      ...(isDoubled ? [ticketProblem('history-doubled', { ticket: ticketId })] : []),
    ];
    const said = { ...counts, ...(warnings.length > 0 && { warnings }) };
    if (heldHistory !== undefined && is === 'resumed') {
      await recorded;
      await ledger.put({ ...record, state: 'incomplete', problem: heldHistory });
      return ticketResult('failed', { ...said, problem: heldHistory });
    }
    const { reopened: _, ...done } = record;
    await ledger.put({ ...done, state: 'done' });
    return ticketResult('done', said);
  }

  async #failed(
    job: TicketJob,
    error: unknown,
    progress: Progress,
    isWithNote: boolean,
  ): Promise<TicketResult> {
    const { ledger, control } = this.#deps;
    const { record, counts } = progress;
    const { problem: found, ends } = failureOf(error, control.hard);
    job.slot.release();
    job.contacts.release();
    if (ends !== undefined) {
      control.stopFor(ends);
      if (ledgers.hasMessages(record))
        void ledger.put({ ...record, state: 'created' }).catch(() => undefined);
      return ticketResult('pending', counts);
    }
    const problem = isWithNote && !progress.hasMessages ? aboutNote(found) : found;
    await ledger.put({ ...record, state: 'incomplete', problem });
    return ticketResult('failed', { ...counts, problem });
  }

  /** A done ticket stays done; one whose delta was begun is incomplete, and says so. */
  async #hold(job: TicketJob, ticketId: string, { why, isGone }: threads.NotSent): Promise<TicketResult> {
    const { ledger } = this.#deps;
    const record = ledgers.settledRecord(ledger, job.planned.externalId);
    const gone = isGone && { isGone };
    if (record.state === 'done') return ticketResult('done', { ticketId, warnings: [why], ...gone });
    const problem = isGone ? ticketProblem('missing-in-target:ticket', { ticket: ticketId }) : why;
    await ledger.put({ ...record, ticketId, state: 'incomplete', problem });
    return ticketResult('failed', { ticketId, problem, ...gone });
  }

  /** Tries mail IDs and the helpdesk's message IDs first, then without if refused. @returns what to record */
  async #put(
    externalId: string,
    { list, ours, isPlain, note, basis, toRecord }: threads.Messages,
    progress: Progress,
  ): Promise<string | undefined> {
    const { facts } = this.#deps;
    const { ticketId, thread: then } = progress;
    const full = basis.found.length === 0 ? facts.identified(externalId, list) : list;
    const bare = list.map((message) => (ours.has(message) ? withoutMailIds(message) : message));
    const plain = isPlain ? bare.map(({ id: _, ...message }) => message) : bare;
    const put = async (form: readonly MessagePayload[], from = basis) => {
      const whole = note === undefined ? form : [...form, note];
      const answer = await putMessages(ticketId, whole, from, this.#deps).catch((error: unknown) => {
        throw aboutThread(error, externalId, whole);
      });
      const shown = answer.echo ?? answer.read ?? [];
      const compared = await this.#texts.compare(ticketId, whole, shown);
      progress.shortened = compared.shortened;
      const echo = answer.echo && compared.echo;
      return withNote(toRecord(echo && withoutImportNotes(echo)), note, echo?.find(isImportNote), then);
    };
    const takesIds = await facts.takesMessageIds();
    if (takesIds !== undefined) return put(takesIds ? full : plain);
    let takes: boolean | undefined;
    const tried = async (form: readonly MessagePayload[], from?: threads.Messages['basis']) => {
      const record = await put(form, from);
      if (list.length > 0) takes = form === full;
      return record;
    };
    try {
      return await tried(full).catch((error: unknown) => {
        const isRefused = error instanceof ApiFailure && error.code === 'refused' && error.effect === 'none';
        if (!isRefused) throw error;
        // A repeat needs a new look.
        return tried(plain, { ...basis, at: Number.NEGATIVE_INFINITY });
      });
    } finally {
      facts.messageIdsTried(takes);
    }
  }
}

/** The helpdesk may have refused the note alone: then its messages go without it. */
function aboutNote(problem: ledgers.TicketProblem): ledgers.TicketProblem {
  if (problem.code !== 'refused') return problem;
  const hint = 'Its last message is the note of what no rule uses; with "unmapped: drop" it goes without.';
  return { ...problem, message: `${problem.message.slice(0, 190).toWellFormed()} ${hint}` };
}
