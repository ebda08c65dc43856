/**
 * One create: its turn, the intent on disk, the request, whether the id that came back is its own, and whether the ticket keeps its
 * tag; and what becomes of a create of unknown outcome. What the order of these is good for is argued in ticket.ts.
 */
import { hasTag, identityTag } from '../domain/identity.ts';
import {
  adoptedRecord,
  failedRecord,
  recordOf,
  settledRecord,
  type TicketProblem,
  type TicketRecord,
} from '../domain/ledger.ts';
import type { TicketPayload } from '../domain/payload.ts';
import { ApiFailure, type CreatedTicket, type OnWire } from '../domain/ticket-api.ts';
import { alsoAs, reportedFields } from '../domain/ticket-fields.ts';
import { tagsNotKept } from '../target/same-target.ts';
import type { CreateGate } from './create-gate.ts';
import { DoubtSettler, statusOf } from './doubt.ts';
import { type CreateFailure, createFailure, endOf } from './failure-meaning.ts';
import { type CarryDeps, slept, type TicketJob, type TicketResult, ticketResult } from './run-control.ts';
import { INTERRUPTED, UNREADABLE, UNTAGGED } from './words.ts';

/** Creates of one ticket by one process, each later one after proof that the one before had no effect. */
const MOST_CREATES = 3;

/** It is in the target: `fresh` where this process created it a moment ago, and nothing but that is in it. */
export type Made =
  | { readonly ticketId: string; readonly is: 'fresh' | 'first'; readonly recorded?: Promise<void> }
  | { readonly end: TicketResult };

export interface CreateOptions {
  /** The first pause before a ticket that is not found is looked for again, milliseconds; then twice as long. */
  readonly settleMs: number;
  /** The name of the source, where its tickets carry their identity. */
  readonly source?: string | undefined;
}

export class Creator {
  /** Absent where tickets carry no tag to find them by. */
  readonly doubts: DoubtSettler | undefined;
  readonly #deps: CarryDeps;
  readonly #gate: CreateGate;
  readonly #options: CreateOptions;
  #isUnreadableSaid = false;

  constructor(deps: CarryDeps, gate: CreateGate, options: CreateOptions) {
    const { settleMs, source } = options;
    this.#deps = deps;
    this.#gate = gate;
    this.#options = options;
    if (source !== undefined) this.doubts = new DoubtSettler({ ...deps, settleMs }, source);
  }

  /** Rejects for a ledger that fails, and for defects. */
  async create(job: TicketJob): Promise<Made> {
    const { api, ledger, clock, control } = this.#deps;
    const { externalId, ticket } = job.planned;
    const turn = await this.#gate.begin(externalId, control.taking).catch((error: unknown) => {
      if (!control.isStopping) throw error;
    });
    if (turn === undefined) return this.#ended(job, ticketResult('pending'));
    let isIntended = false;
    let sentAt = 0;
    const wire: OnWire = {
      mayHaveArrived: true,
      // Only now: a create that still waits for its turn is in no doubt if the process dies.
      beforeSending: async () => {
        await ledger.put(this.#creating(job, clock.now()));
        if (!isIntended) job.creates += 1;
        isIntended = true;
        sentAt = clock.monotonic();
      },
    };
    let created: CreatedTicket;
    try {
      created = await api.createTicket(this.#named(ticket), control.hard, wire);
      this.#requireOwn(externalId, created.id);
      if (!isIntended) throw new Error(`Ticket ${externalId} was created without a record of the intent.`);
      // The first one goes alone, until this is known.
      await this.#requireTag(job, created);
      turn.end('answered');
    } catch (error) {
      const failure = createFailure(error, control.hard, wire.mayHaveArrived);
      if (failure.outcome === 'nothing' && isIntended) job.creates -= 1;
      turn.end(endOf(failure), failure.problem);
      return this.#notCreated(job, failure, isIntended);
    }
    return this.#created(job, created, sentAt);
  }

  /** The outcome of a create is unknown: of this process's (`problem` says why), or of an earlier one's. */
  async settle(job: TicketJob, problem?: TicketProblem): Promise<Made> {
    const { ledger, clock, control, lateMs, facts } = this.#deps;
    const { externalId, ticket } = job.planned;
    const { sent, problem: known } = recordOf(ledger, externalId);
    const why = problem ?? known ?? INTERRUPTED;
    if (sent?.tag === undefined || this.doubts === undefined)
      return this.hold(job, sent === undefined ? why : UNTAGGED);
    if (!(await facts.isReadable())) return this.hold(job, UNREADABLE);
    // Of this process it was sent before its outcome was found to be unknown, which is now.
    const untilDue = job.creates > 0 ? lateMs : Math.min(lateMs, sent.at + lateMs - clock.now());
    const doubt = { externalId, tag: sent.tag, ticket, dueAt: clock.monotonic() + untilDue };
    const settlement = await this.doubts.settle(job, doubt);
    switch (settlement.is) {
      case 'there': {
        const { ticketId } = settlement;
        this.#gate.worked();
        const recorded = ledger.put(adoptedRecord(ledger, externalId, ticketId));
        this.exists(job);
        await recorded;
        if (!(await job.slot.taken(control))) return { end: ticketResult('pending', { ticketId }) };
        return { ticketId, is: 'first' };
      }
      case 'absent':
        if (job.creates >= MOST_CREATES) return this.hold(job, why);
        await ledger.put({ ...settledRecord(ledger, externalId), state: 'pending' });
        return { end: ticketResult('pending', { again: !control.isStopping }) };
      case 'held':
        return this.hold(job, settlement.problem);
      case 'stopped': {
        const record = recordOf(ledger, externalId);
        if (record.state === 'creating') await ledger.put({ ...record, state: 'inDoubt', problem: why });
        const { is: _, ...stop } = settlement;
        return { end: ticketResult('inDoubt', { problem: why, ...stop }) };
      }
    }
  }

  /** It stays in doubt. What was sent for it a moment ago may still go on in the target, so its contacts wait for a while. */
  async hold(job: TicketJob, problem: TicketProblem): Promise<{ readonly end: TicketResult }> {
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
    return { end: ticketResult('inDoubt', { problem }) };
  }

  /** The ticket is in the target, and so is its contact. */
  exists(job: TicketJob): void {
    this.#deps.creates.created(job);
    const email = job.planned.ticket.contact?.email;
    if (email !== undefined) job.contacts.know(email);
  }

  #ended(job: TicketJob, end: TicketResult): { readonly end: TicketResult } {
    job.slot.release();
    return { end };
  }

  #created(job: TicketJob, { id: ticketId, ticket: reported }: CreatedTicket, sentAt: number): Made {
    const { ledger, emit } = this.#deps;
    const { externalId, fingerprints, ticket } = job.planned;
    const { fields } = fingerprints;
    const answered = fields && alsoAs(fields, reportedFields({ ...reported, id: ticketId }, externalId));
    const prints = answered === undefined ? fingerprints : { ...fingerprints, fields: answered };
    const recorded = ledger.put({ ...adoptedRecord(ledger, externalId, ticketId), fingerprints: prints });
    recorded.catch(() =>
      emit({
        type: 'note',
        message: `Ticket ${externalId} was created as ${ticketId}, but that could not be recorded: it will be in doubt.`,
      }),
    );
    const tag = identityTag(this.#options.source ?? '', externalId);
    this.doubts?.created({ ticketId, tag, status: statusOf(ticket), sentAt });
    this.exists(job);
    return { ticketId, is: 'fresh', recorded };
  }

  async #notCreated(job: TicketJob, failure: CreateFailure, isIntended: boolean): Promise<Made> {
    const { ledger } = this.#deps;
    const { externalId } = job.planned;
    const { outcome, ...why } = failure;
    const { problem } = why;
    if (isIntended)
      switch (outcome) {
        case 'refused':
          await ledger.put(failedRecord(ledger, externalId, problem));
          return this.#ended(job, ticketResult('failed', why));
        case 'nothing':
          await ledger.put({ ...settledRecord(ledger, externalId), state: 'pending' });
          break;
        case 'unknown':
          await ledger.put({ ...recordOf(ledger, externalId), state: 'inDoubt', problem });
          // It keeps its slot for the first look.
          return 'stop' in why ? this.#ended(job, ticketResult('inDoubt', why)) : this.settle(job, problem);
      }
    return this.#ended(job, ticketResult('pending', why));
  }

  #creating({ planned }: TicketJob, at: number): TicketRecord {
    const { externalId, fingerprints, origin } = planned;
    const { source } = this.#options;
    const tag = source === undefined ? undefined : identityTag(source, externalId);
    const before = recordOf(this.#deps.ledger, externalId);
    return {
      externalId,
      state: 'creating',
      fingerprints,
      origin: origin ?? before.origin,
      sent: { at, tag },
    };
  }

  /** The messages of one would replace those of the other, and which of them was made is unknown. */
  #requireOwn(externalId: string, ticketId: string): void {
    const owner = this.#deps.ledger.ownerOf(ticketId);
    if (owner === undefined || owner === externalId) return;
    const message = `The helpdesk answered with the id ${ticketId}, which ticket ${owner} has already: it is not known whether this one was created.`;
    throw new ApiFailure('unknown-outcome', 'unknown', message);
  }

  /** With the newest name of its contact, or without a name. */
  #named(ticket: TicketPayload): TicketPayload {
    if (ticket.contact === undefined) return ticket;
    const { email } = ticket.contact;
    const name = this.#deps.names.nameOf(email);
    if (name === ticket.contact.name) return ticket;
    return { ...ticket, contact: name === undefined ? { email } : { email, name } };
  }

  /** Without its tag a ticket is not found again: the first one that lacks it stops the run. */
  async #requireTag({ planned }: TicketJob, { id, ticket }: CreatedTicket): Promise<void> {
    const { api, control, facts } = this.#deps;
    const { source } = this.#options;
    if (source === undefined || control.isStopping) return;
    let { tags } = ticket;
    if (!Array.isArray(tags)) {
      if (facts.keepsTags === true || !(await facts.isReadable())) return;
      tags = await api.readTicket(id, control.hard).then(
        (read) => read['tags'],
        () => undefined,
      );
    }
    if (!Array.isArray(tags)) return;
    facts.keepsTags = hasTag(tags, identityTag(source, planned.externalId));
    if (!facts.keepsTags) control.stop(tagsNotKept());
  }
}
