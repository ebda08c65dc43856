/**
 * Carries one ticket out: the order of disk writes and requests, on which "never twice, never lost" rests.
 *
 *   1. creating   durable    with the tag that finds it again; when nothing else has to be waited for any more
 *   2. POST       /tickets
 *   3. created    written    its id in the target
 *   4. PUT        messages, events (thread.ts)
 *   5. done       durable
 *
 * A crash (of the process or the machine) between two steps leaves this, and the next run does that:
 *
 *   before 1      nothing, anywhere: it is created.
 *   1 to 2        `creating`, and nothing in the target. Whether the POST went out is unknown here, so the ticket
 *                 is in doubt (doubt.ts): late, and not twice.
 *   2 to 3        `creating`, and an unknown ticket in the target. In doubt as well; looking finds it. That is why 1 has
 *                 to be durable before 2 is written: without it the next run would know nothing and create it again.
 *   3 to 5        `created` with its id: the thread is read, merged and PUT, perhaps once more. PUT replaces, so each is there once.
 *   after 5       `done`: nothing is sent any more.
 *
 * 3 is written before 4 is sent so that no more tickets are in doubt after the end of the process than creates were in flight. It is
 * not flushed, as 5 is durable only with it: after a loss of power those are in doubt as well that were created in the last
 * milliseconds before.
 *
 * Without a crash the same holds for an answer that does not come. A ticket with an id never becomes `creating`, and `creating` is
 * left only by the answer, by its tag, by a proof that it does not exist, or by a person.
 */
import type { AppError } from '../domain/errors.ts';
import { identityTag, mayBe } from '../domain/identity.ts';
import {
  adoptedRecord,
  failedRecord,
  recordOf,
  settledRecord,
  type TicketProblem,
} from '../domain/ledger.ts';
import { alsoAs, reportedFields } from '../domain/ticket-fields.ts';
import { CreateSender } from './create.ts';
import { CreateGate } from './create-gate.ts';
import { type Doubt, DoubtSettler, type Settlement, statusOf } from './doubt.ts';
import { INTERRUPTED, inAnotherShard, notOurs, UNTAGGED } from './doubt-words.ts';
import { type CreateFailure, endOfRest, readFailure } from './failure-meaning.ts';
import { FieldsCarrier } from './fields.ts';
import { slept } from './run-control.ts';
import { UNREADABLE } from './target-facts.ts';
import { ThreadCarrier } from './thread.ts';
import type { ThreadWork } from './thread-now.ts';
import { type CarryDeps, type TicketJob, type TicketResult, ticketResult } from './ticket-job.ts';

/** Creates of one ticket by one process, each later one after proof that the one before had no effect. */
const MOST_CREATES = 3;

export interface CarryOptions {
  /** The first pause before a ticket that is not found is looked for again, milliseconds; then twice as long. */
  readonly settleMs: number;
  /** The name of the source, where its tickets carry their identity. */
  readonly source?: string | undefined;
  /** Tickets of earlier runs may have been created before they did. */
  readonly mayLackTag?: boolean | undefined;
  /**
   * The target may have tickets that the checkpoint does not know, so each is looked for before it is created. `ours`: what is
   * found is gone on with. `elsewhere`: another checkpoint has it (a shard), and it is left to that.
   */
  readonly unknownTickets?: 'ours' | 'elsewhere' | undefined;
  /** How long the creates of a target that worked before may all end badly, milliseconds. */
  readonly giveUpAfterMs: number;
}

export class TicketCarrier {
  readonly #deps: CarryDeps;
  readonly #options: CarryOptions;
  readonly #gate: CreateGate;
  readonly #creates: CreateSender;
  readonly #doubts: DoubtSettler | undefined;
  readonly #thread: ThreadCarrier;
  readonly #fields: FieldsCarrier;
  #isUnreadableSaid = false;

  constructor(deps: CarryDeps, options: CarryOptions) {
    this.#deps = deps;
    this.#options = options;
    const { clock, random, control, emit } = deps;
    const { settleMs, source, giveUpAfterMs } = options;
    const stop = (reason: AppError) => control.stop(reason);
    this.#gate = new CreateGate({ clock, random, emit, stop, giveUpAfterMs });
    this.#creates = new CreateSender(deps, this.#gate, source);
    if (source !== undefined) this.#doubts = new DoubtSettler({ ...deps, settleMs }, source);
    this.#thread = new ThreadCarrier(deps);
    this.#fields = new FieldsCarrier(deps);
  }

  /** What the list of the target proves about doubts, asked when nothing is being created. */
  get doubts(): DoubtSettler | undefined {
    return this.#doubts;
  }

  /** The job's slot is held when this begins and given back when it ends. Throws for a ledger that fails, and for defects. */
  async carry(job: TicketJob): Promise<TicketResult> {
    const end = await this.#steps(job);
    const { outcome, ticketId, problem, messages, events } = end;
    if (outcome === 'done' && messages + events > 0) this.#gate.restWorked();
    else if (outcome === 'failed' && ticketId !== undefined && problem !== undefined)
      this.#gate.restFailed(job.planned.externalId, endOfRest(problem), problem);
    return end;
  }

  async #steps(job: TicketJob): Promise<TicketResult> {
    const { action } = job.planned;
    switch (action.do) {
      case 'create':
        return (await this.#lookBefore(job)) ?? this.#create(job);
      case 'settle':
        return this.#settle(job, undefined);
      case 'finish':
        return (
          (await this.#notOurs(job, action.ticketId)) ??
          this.#finish(job, action.ticketId, action.from === 'messages' ? ['messages', 'events'] : ['events'])
        );
      case 'reopen':
        return (await this.#notOurs(job, action.ticketId)) ?? this.#update(job, action);
    }
  }

  /**
   * The target may have it, although this checkpoint does not know: a create that was in doubt and is to be sent again, an
   * old copy of the checkpoint, a ticket that belonged to another shard until its requester was corrected. Undefined where it is
   * to be created.
   */
  async #lookBefore(job: TicketJob): Promise<TicketResult | undefined> {
    const { ledger, control, clock, facts } = this.#deps;
    const { source, unknownTickets } = this.#options;
    const { externalId, action, fingerprints, origin, ticket } = job.planned;
    const wasTried = action.do === 'create' && action.wasTried === true;
    const isLookedFor = wasTried || (unknownTickets !== undefined && job.creates === 0);
    if (source === undefined || !isLookedFor || !(await facts.isReadable())) return undefined;
    const tag = identityTag(source, externalId);
    let found: Settlement | undefined;
    try {
      found = await this.#doubts?.look({ externalId, tag, ticket });
    } catch (error) {
      const { outcome, problem, ...stop } = readFailure(error, control.hard);
      if (outcome === 'unreadable') return undefined;
      job.slot.release();
      return ticketResult('pending', { problem, ...stop });
    }
    if (found?.is === 'held') {
      const sent = { at: clock.now(), tag };
      await ledger.put({ ...recordOf(ledger, externalId), state: 'inDoubt', fingerprints, origin, sent });
      return this.#hold(job, found.problem);
    }
    if (found?.is !== 'there') return undefined;
    const { ticketId } = found;
    if (unknownTickets === 'elsewhere' && !wasTried) {
      await ledger.put({ ...settledRecord(ledger, externalId), state: 'skipped' });
      job.slot.release();
      return ticketResult('done', { ticketId, warnings: [inAnotherShard(ticketId)] });
    }
    await ledger.put(adoptedRecord(ledger, externalId, ticketId));
    return this.#finish(job, ticketId);
  }

  async #create(job: TicketJob): Promise<TicketResult> {
    const { ledger, emit } = this.#deps;
    const { externalId, fingerprints, ticket } = job.planned;
    const sent = await this.#creates.send(job);
    if ('failure' in sent) return this.#notCreated(job, sent.failure, sent.isIntended);
    const { ticketId, reported, sentAt } = sent;
    const { fields } = fingerprints;
    const answered = fields && alsoAs(fields, reportedFields({ ...reported, id: ticketId }, externalId));
    const prints = answered === undefined ? fingerprints : { ...fingerprints, fields: answered };
    const recorded = ledger.put(
      { ...adoptedRecord(ledger, externalId, ticketId), fingerprints: prints },
      'written',
    );
    recorded.catch(() =>
      emit({
        type: 'note',
        message: `Ticket ${externalId} was created as ${ticketId}, but that could not be recorded: it will be in doubt.`,
      }),
    );
    const { source } = this.#options;
    if (source !== undefined) {
      const tag = identityTag(source, externalId);
      this.#doubts?.created({ ticketId, tag, status: statusOf(ticket), sentAt });
    }
    this.#exists(job);
    return this.#thread.carry(job, { ticketId, is: 'fresh', parts: ['messages', 'events'], recorded });
  }

  async #notCreated(
    job: TicketJob,
    failure: CreateFailure | undefined,
    isIntended: boolean,
  ): Promise<TicketResult> {
    const { ledger } = this.#deps;
    const { externalId } = job.planned;
    if (failure === undefined || !isIntended) {
      job.slot.release();
      const { outcome: _, ...why } = failure ?? { outcome: undefined };
      return ticketResult('pending', why);
    }
    const { outcome, problem, ...stop } = failure;
    // A doubt keeps it for the first look.
    if (outcome !== 'unknown') job.slot.release();
    switch (outcome) {
      case 'refused':
        await ledger.put(failedRecord(ledger, externalId, problem));
        return ticketResult('failed', { problem, ...stop });
      case 'nothing':
        await ledger.put({ ...settledRecord(ledger, externalId), state: 'pending' });
        return ticketResult('pending', { problem, ...stop });
      case 'unknown':
        await ledger.put({ ...recordOf(ledger, externalId), state: 'inDoubt', problem });
        return 'stop' in stop ? ticketResult('inDoubt', { problem, ...stop }) : this.#settle(job, problem);
    }
  }

  /** The outcome of a create is unknown: of this process's (`problem` says why), or of an earlier one's. */
  async #settle(job: TicketJob, problem: TicketProblem | undefined): Promise<TicketResult> {
    const { ledger, clock, lateMs, facts } = this.#deps;
    const { externalId, ticket } = job.planned;
    const { sent, problem: known } = recordOf(ledger, externalId);
    const why = problem ?? known ?? INTERRUPTED;
    if (sent?.tag === undefined || this.#doubts === undefined)
      return this.#hold(job, sent === undefined ? why : UNTAGGED);
    if (!(await facts.isReadable())) return this.#hold(job, UNREADABLE);
    // Of this process it was sent before its outcome was found to be unknown, which is now.
    const untilDue = job.creates > 0 ? lateMs : Math.min(lateMs, sent.at + lateMs - clock.now());
    const doubt = { externalId, tag: sent.tag, ticket, dueAt: clock.monotonic() + untilDue };
    return this.#settled(job, await this.#settlement(job, doubt, this.#doubts), why);
  }

  async #settlement(job: TicketJob, doubt: Doubt, doubts: DoubtSettler): Promise<Settlement> {
    const { control, creates } = this.#deps;
    const inSlot = async <T>(look: () => Promise<T>): Promise<T | undefined> => {
      if (control.isStopping || !(await job.slot.taken(control))) return undefined;
      const seen = await look();
      job.slot.release();
      return seen;
    };
    creates.opened(job);
    try {
      const found = await doubts.untilDue(doubt, inSlot);
      if (found !== undefined) return found;
      // Nothing of it is under way any more that could make its contact.
      job.contacts.release();
      const proof = await creates.proof(job);
      return (proof && (await inSlot(() => doubts.conclude(doubt, proof)))) ?? { is: 'stopped' };
    } finally {
      creates.closed(job);
    }
  }

  async #settled(job: TicketJob, settlement: Settlement, why: TicketProblem): Promise<TicketResult> {
    const { ledger, control } = this.#deps;
    const { externalId } = job.planned;
    switch (settlement.is) {
      case 'there': {
        const { ticketId } = settlement;
        this.#gate.worked();
        const recorded = ledger.put(adoptedRecord(ledger, externalId, ticketId));
        this.#exists(job);
        await recorded;
        if (!(await job.slot.taken(control))) return ticketResult('pending', { ticketId });
        return this.#finish(job, ticketId);
      }
      case 'absent':
        if (job.creates >= MOST_CREATES) return this.#hold(job, why);
        await ledger.put({ ...settledRecord(ledger, externalId), state: 'pending' });
        return ticketResult('pending', { again: !control.isStopping });
      case 'held':
        return this.#hold(job, settlement.problem);
      case 'stopped':
        if (recordOf(ledger, externalId).state === 'creating')
          await ledger.put({ ...recordOf(ledger, externalId), state: 'inDoubt', problem: why });
        return ticketResult('inDoubt', {
          problem: why,
          ...('stop' in settlement ? { stop: settlement.stop } : {}),
        });
    }
  }

  /** It stays in doubt. What was sent for it a moment ago may still go on in the target, so its contacts wait for a while. */
  async #hold(job: TicketJob, problem: TicketProblem): Promise<TicketResult> {
    const { ledger, clock, control, emit } = this.#deps;
    const record = recordOf(ledger, job.planned.externalId);
    if (record.state === 'creating' || record.problem?.code !== problem.code)
      await ledger.put({ ...record, state: 'inDoubt', problem });
    if (problem.code === 'target-unreadable' && !this.#isUnreadableSaid) {
      this.#isUnreadableSaid = true;
      const message =
        'The helpdesk cannot be read, so tickets in doubt are held: settle them with "helpdesk-import resolve".';
      emit({ type: 'note', message });
    }
    job.slot.release();
    if (job.creates > 0) await slept(clock, this.#options.settleMs, control.taking);
    return ticketResult('inDoubt', { problem });
  }

  /** It was created a while ago, by this process or an earlier one, and is not complete. People may have written to it since. */
  #finish(
    job: TicketJob,
    ticketId: string,
    parts: ThreadWork['parts'] = ['messages', 'events'],
  ): Promise<TicketResult> {
    this.#exists(job);
    return this.#thread.carry(job, { ticketId, is: 'first', parts });
  }

  /** Its export changed: the thread first, as a service may open a ticket again for a message; then its own fields. */
  async #update(
    job: TicketJob,
    {
      ticketId,
      parts,
    }: { readonly ticketId: string; readonly parts: readonly (ThreadWork['parts'][number] | 'fields')[] },
  ): Promise<TicketResult> {
    const { control } = this.#deps;
    const thread = parts.filter((part) => part !== 'fields');
    const end =
      thread.length > 0
        ? await this.#thread.carry(job, { ticketId, is: 'delta', parts: thread })
        : ticketResult('done', { ticketId });
    if (!parts.includes('fields') || end.outcome !== 'done' || 'stop' in end || end.isGone === true)
      return end;
    if (control.hard.aborted || !(await job.slot.taken(control))) return end;
    const { warnings = [], ...more } = await this.#fields.carry(job, ticketId);
    job.slot.release();
    const all = [...(end.warnings ?? []), ...warnings];
    return { ...more, messages: end.messages, events: end.events, ...(all.length > 0 && { warnings: all }) };
  }

  /**
   * An earlier process created it: is what has its id in the target still it? Behind the same address another workspace may answer
   * by now. Undefined where it is, or cannot be read.
   */
  async #notOurs(job: TicketJob, ticketId: string): Promise<TicketResult | undefined> {
    const { facts, ledger } = this.#deps;
    const { source, mayLackTag = true } = this.#options;
    if (source === undefined || !facts.wasReadable) return undefined;
    const { externalId } = job.planned;
    const read = await facts.readTicket(ticketId);
    const isDone = recordOf(ledger, externalId).state === 'done';
    if ('failure' in read) {
      const { is, problem: _, ...stop } = read.failure;
      return is === 'stopped' ? ticketResult(isDone ? 'done' : 'pending', { ticketId, ...stop }) : undefined;
    }
    if (mayBe(read.found[0]?.['tags'], identityTag(source, externalId), mayLackTag)) return undefined;
    const problem = notOurs(ticketId);
    if (!isDone) await ledger.put(failedRecord(ledger, externalId, problem));
    return ticketResult('failed', { ticketId, problem });
  }

  /** The ticket is in the target, and so is its contact. */
  #exists(job: TicketJob): void {
    this.#deps.creates.created(job);
    const email = job.planned.ticket.contact?.email;
    if (email !== undefined) job.contacts.know(email);
  }
}
