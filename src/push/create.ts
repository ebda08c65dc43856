/** One create: its turn, the intent on disk, the request, and what follows an unknown outcome. ticket.ts explains the order. */
import { hasTag, identityTag, isMarked } from '../domain/identity.ts';
import * as ledgers from '../domain/ledger.ts';
import type { TicketPayload } from '../domain/payload.ts';
import { ApiFailure, type CreatedTicket, type OnWire } from '../domain/ticket-api.ts';
import { alsoAs, reportedFields, shownFields } from '../domain/ticket-fields.ts';
import { tagsNotKept } from '../helpdesk/same-target.ts';
import type { CreateGate } from './create-gate.ts';
import { CustomerNames } from './customer-names.ts';
import { DoubtSettler, isAnother, type Settlement, statusOf } from './doubt.ts';
import * as failures from './failure-meaning.ts';
import { type CarryDeps, type TicketJob, type TicketResult, ticketResult } from './run-control.ts';
import { ticketProblem, UNREADABLE } from './words.ts';

/** Creates of one ticket by one process, each after proof that the one before had no effect. */
const MOST_CREATES = 3;

/** It is in the helpdesk; `fresh` if this process just created it, so nothing else is in it. */
export type Made =
  | {
      readonly ticketId: string;
      readonly is: 'fresh' | 'resumed';
      readonly recorded?: Promise<void>;
      readonly at?: number;
    }
  | { readonly end: TicketResult };

export interface CreateOptions {
  readonly settleMs: number;
  readonly source: string;
}

export class Creator {
  readonly doubts: DoubtSettler;
  readonly names: CustomerNames;
  readonly #deps: CarryDeps;
  readonly #gate: CreateGate;
  readonly #options: CreateOptions;
  #isUnreadableSaid = false;

  constructor(deps: CarryDeps, gate: CreateGate, options: CreateOptions) {
    const { settleMs, source } = options;
    this.#deps = deps;
    this.#gate = gate;
    this.#options = options;
    this.names = new CustomerNames(deps);
    this.doubts = new DoubtSettler({ ...deps, settleMs }, source);
  }

  async create(job: TicketJob): Promise<Made> {
    const { api, ledger, clock, control } = this.#deps;
    const { externalId, ticket } = job.planned;
    const turn = await control.orEnds(this.#gate.begin(externalId, control.taking));
    let isIntended = false;
    let sentAt = 0;
    const wire: OnWire = {
      mayHaveArrived: true,
      // Only now, as a create that waits for its turn is in no doubt if the process dies.
      beforeSending: async () => {
        await ledger.put(this.#creating(job, clock.now()));
        if (!isIntended) job.creates += 1;
        isIntended = true;
        sentAt = clock.monotonic();
      },
    };
    let created: CreatedTicket;
    let isTagged: boolean;
    try {
      created = await api.createTicket(await this.#named(ticket), control.hard, wire);
      this.#requireOwn(job, created);
      if (!isIntended) throw new Error(`Ticket ${externalId} was created without a record of the intent.`);
      isTagged = await this.#isTagged(job, created);
      turn.end('answered');
    } catch (error) {
      const failure = failures.createFailure(error, control.hard, wire.mayHaveArrived);
      if (failure.outcome === 'nothing' && isIntended) job.creates -= 1;
      turn.end(failures.endOf(failure), failure.problem);
      return this.#notCreated(job, failure, isIntended);
    }
    const made = this.#created(job, created, sentAt);
    return isTagged || control.isStopping ? made : this.#untagged(job, created.id);
  }

  async settle(job: TicketJob, problem?: ledgers.TicketProblem): Promise<Made> {
    const { ledger, clock, lateMs, facts } = this.#deps;
    const { externalId, ticket } = job.planned;
    const { sent, problem: known } = ledgers.recordOf(ledger, externalId);
    const why = problem ?? known ?? ticketProblem('unknown-outcome:interrupted');
    if (sent?.tag === undefined)
      return this.hold(job, sent === undefined ? why : ticketProblem('unknown-outcome:untagged'));
    if (!(await facts.isReadable())) return this.hold(job, UNREADABLE);
    // Not `sent.at`: the clock may have been set.
    const doubt = { externalId, tag: sent.tag, ticket, dueAt: clock.monotonic() + lateMs };
    let settlement: Settlement;
    try {
      settlement = await this.doubts.settle(job, doubt);
    } catch (ends) {
      const record = ledgers.recordOf(ledger, externalId);
      if (record.state === 'creating') await ledger.put({ ...record, state: 'inDoubt', problem: why });
      throw ends;
    }
    const isAway = problem !== undefined && failures.isTurnedAway(problem);
    if (settlement.is === 'there') return this.#found(job, settlement.ticketId);
    if (settlement.is === 'held')
      return this.hold(job, isAway ? failures.withReason(settlement.problem, why) : settlement.problem);
    if (job.creates >= (isAway ? failures.MOST_TURNED_AWAY : MOST_CREATES)) return this.hold(job, why);
    await ledger.put({ ...ledgers.settledRecord(ledger, externalId), state: 'pending' });
    return { end: ticketResult('pending', { again: true }) };
  }

  async #found(job: TicketJob, ticketId: string): Promise<Made> {
    const { ledger, control } = this.#deps;
    this.#gate.worked();
    const recorded = ledger.put(ledgers.adoptedRecord(ledger, job.planned.externalId, ticketId));
    this.exists(job);
    await recorded;
    await job.slot.take(control);
    return { ticketId, is: 'resumed' };
  }

  /** Stays in doubt. The request may still take effect, so its contacts wait a while. */
  async hold(job: TicketJob, problem: ledgers.TicketProblem): Promise<{ readonly end: TicketResult }> {
    const { ledger, control, emit } = this.#deps;
    const record = ledgers.recordOf(ledger, job.planned.externalId);
    if (record.state === 'creating' || record.problem?.code !== problem.code)
      await ledger.put({ ...record, state: 'inDoubt', problem });
    if (problem.code === 'target-unreadable' && !this.#isUnreadableSaid) {
      this.#isUnreadableSaid = true;
      const message =
        'The helpdesk cannot be read, so tickets in doubt are held: settle them with `helpdesk-import resolve`.';
      emit({ type: 'note', message });
    }
    job.slot.release();
    if (job.creates > 0) await control.sleep(this.#options.settleMs);
    return { end: ticketResult('inDoubt', { problem }) };
  }

  exists(job: TicketJob): void {
    this.#deps.creates.created(job);
    const email = job.planned.ticket.contact?.email;
    if (email !== undefined) job.contacts.know(email);
  }

  #created(job: TicketJob, { id: ticketId, ticket: reported }: CreatedTicket, sentAt: number): Made {
    const { ledger, emit } = this.#deps;
    const { externalId, fingerprints, ticket } = job.planned;
    const { fields } = fingerprints;
    const answered = fields && alsoAs(fields, reportedFields({ ...reported, id: ticketId }, externalId));
    const prints = answered === undefined ? fingerprints : { ...fingerprints, fields: answered };
    const recorded = ledger.put({
      ...ledgers.adoptedRecord(ledger, externalId, ticketId),
      fingerprints: prints,
      shown: shownFields({ ...reported, id: ticketId }),
    });
    recorded.catch(() =>
      emit({
        type: 'note',
        message: `Ticket ${externalId} was created as ${ticketId}, but that could not be recorded: it will be in doubt.`,
      }),
    );
    if (ticket.contact !== undefined) this.names.settle(ticket.contact.email);
    this.#deps.facts.created(ticketId, sentAt);
    this.doubts.created({ ticketId, tag: this.#tagOf(job), status: statusOf(ticket), sentAt });
    this.exists(job);
    return { ticketId, is: 'fresh', recorded, at: sentAt };
  }

  async #notCreated(
    job: TicketJob,
    { outcome, problem, ends }: failures.CreateFailure,
    isIntended: boolean,
  ): Promise<Made> {
    const { ledger } = this.#deps;
    const { externalId } = job.planned;
    if (isIntended && outcome === 'refused')
      await ledger.put(ledgers.failedRecord(ledger, externalId, problem));
    if (isIntended && outcome === 'nothing')
      await ledger.put({ ...ledgers.settledRecord(ledger, externalId), state: 'pending' });
    if (isIntended && outcome === 'unknown')
      await ledger.put({ ...ledgers.recordOf(ledger, externalId), state: 'inDoubt', problem });
    if (ends !== undefined) throw ends;
    if (isIntended && outcome === 'unknown') return this.settle(job, problem);
    job.slot.release();
    return { end: isIntended ? ticketResult('failed', { problem }) : ticketResult('pending') };
  }

  #creating(job: TicketJob, at: number): ledgers.TicketRecord {
    const { externalId, fingerprints, origin } = job.planned;
    const before = ledgers.recordOf(this.#deps.ledger, externalId);
    return {
      externalId,
      state: 'creating',
      fingerprints,
      origin: origin ?? before.origin,
      sent: { at, tag: this.#tagOf(job) },
    };
  }

  #tagOf({ planned }: TicketJob): string {
    return identityTag(this.#options.source, planned.externalId);
  }

  /** The messages of one ticket would replace those of the other. */
  #requireOwn(job: TicketJob, { id, ticket: answered }: CreatedTicket): void {
    const { externalId, ticket } = job.planned;
    const { tags } = answered;
    const owner = this.#deps.ledger.ownerOf(id) ?? externalId;
    const isOther =
      !hasTag(tags, this.#tagOf(job)) && (isMarked(tags) || isAnother({ ...answered, id }, ticket));
    if (owner === externalId && !isOther) return;
    const whose = owner === externalId ? 'another ticket' : `ticket ${owner}`;
    const message = `The helpdesk answered with the id ${id}, which is ${whose}. This one may have been created.`;
    throw new ApiFailure('unknown-outcome', 'unknown', message);
  }

  async #named(ticket: TicketPayload): Promise<TicketPayload> {
    if (ticket.contact === undefined) return ticket;
    const { email } = ticket.contact;
    const name = await this.names.nameFor(email);
    return { ...ticket, contact: name === undefined ? { email } : { email, name } };
  }

  /** A ticket without its tag cannot be found again: one that lacks it stops the run, unless another one kept its tag. */
  async #isTagged(job: TicketJob, { id, ticket }: CreatedTicket): Promise<boolean> {
    const { api, control, facts } = this.#deps;
    if (control.isStopping) return true;
    let { tags } = ticket;
    if (!Array.isArray(tags)) {
      if (facts.keepsTags === true || !(await facts.isReadable())) return true;
      tags = await api.readTicket(id, control.hard).then(
        (read) => read['tags'],
        () => undefined,
      );
    }
    if (!Array.isArray(tags) || hasTag(tags, this.#tagOf(job))) {
      if (Array.isArray(tags)) facts.keepsTags = true;
      return true;
    }
    if (facts.keepsTags !== true) {
      facts.keepsTags = false;
      control.stop(tagsNotKept(id));
    }
    return false;
  }

  async #untagged(job: TicketJob, ticketId: string): Promise<Made> {
    const { ledger } = this.#deps;
    const problem = ticketProblem('not-ours-in-target:other', { ticket: ticketId });
    await ledger.put(ledgers.failedRecord(ledger, job.planned.externalId, problem));
    job.slot.release();
    return { end: ticketResult('failed', { ticketId, problem }) };
  }
}
