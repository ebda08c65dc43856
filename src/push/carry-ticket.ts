/**
 * Carries one ticket out: the order of disk writes and requests, on which "never twice, never lost" rests.
 *
 *   1. intend    durable    what is about to be created, and how to recognise it; when nothing else has to be waited for any more
 *   2. POST      /tickets
 *   3. created   written    its id in the target
 *   4. PUT       messages   (no request for an empty list)
 *   5. PUT       events     (no request for an empty list)
 *   6. done      durable
 *
 * A crash (of the process or the machine) between two steps leaves this, and the next run does that:
 *
 *   before 1      nothing, anywhere: it is created.
 *   1 to 2        `creating`, and nothing in the target. Whether the POST went out cannot be told from here, so the ticket
 *                 is in doubt; looking finds none, and it is created. Where the target can't be read it is held for a person:
 *                 late, and not twice.
 *   2 to 3        `creating`, and a ticket in the target that nobody knows. In doubt as well; looking finds it, and it is
 *                 adopted. That is why 1 has to be durable before 2 is written: without it the next run would know nothing
 *                 and create it again.
 *   3 to 6        `created` with its id: messages and events are PUT, perhaps once more. They replace, so they stand there
 *                 once. Those that somebody wrote in the target meanwhile are kept, where it can be read (carry-delta.ts).
 *   after 6       `done`: nothing is sent any more.
 *
 * That the messages arrived is recorded (`messaged`) only where the events then do not: after a crash the messages of the few
 * tickets in flight go out once more, and in return every ticket of every import takes one write less.
 *
 * 3 is written before 4 is sent not for safety (the doubt would find the ticket with messages, and replace them), but so that no
 * more tickets are in doubt after the end of the process than creates were in flight. It is not flushed to the disk before
 * 4 is sent, as 6 is durable only with it: after a loss of power those are in doubt as well that were created in the
 * last milliseconds before.
 *
 * Without a crash the same holds for an answer that does not come: the ticket is recorded as in doubt, and settled at once by
 * the policy. A ticket is created again only after it was proven that it does not exist, or when the user said so.
 */
import type { AppError } from '../domain/errors.ts';
import { hasTag, identityTag, mayBe } from '../domain/identity.ts';
import type { CreateIntent, TicketProblem } from '../domain/ledger.ts';
import type { TargetFacts } from '../domain/ticket-api.ts';
import { alsoAs, reportedFields } from '../domain/ticket-fields.ts';
import { tagsNotKept } from '../target/same-target.ts';
import { DeltaCarrier } from './carry-delta.ts';
import { TicketCount } from './count-tickets.ts';
import { CreateGate } from './create-gate.ts';
import { type CreateFailure, endOfRest, readFailure } from './failure-meaning.ts';
import { type Landmark, Landmarks } from './landmarks.ts';
import { findTagged } from './search-target.ts';
import { sendCreate } from './send-create.ts';
import { sendRest } from './send-rest.ts';
import { holdProblem, type SettleDeps, settleByReading, slept } from './settle-doubt.ts';
import {
  type CarryDeps,
  intentOf,
  statusOf,
  type TicketJob,
  type TicketResult,
  ticketResult,
} from './ticket-job.ts';

/** Creates of one ticket by one process, each later one after proof that the one before had no effect. */
const MOST_CREATES = 3;
/** So many tickets of the checkpoint are asked for, where the target cannot count those that it should have. */
const MOST_KNOWN = 24;

export interface CarryOptions {
  /** The first pause before a ticket that is not found is looked for again, milliseconds; then twice as long. */
  readonly settleMs: number;
  /** The name of the source, where its tickets carry their identity. */
  readonly source?: string | undefined;
  /** Tickets of earlier runs may have been created before they did. */
  readonly mayLackTag?: boolean | undefined;
  readonly facts?: TargetFacts | undefined;
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
  readonly #landmarks = new Landmarks();
  #known: readonly Landmark[] = [];
  readonly #gate: CreateGate;
  readonly #count: TicketCount;
  readonly #delta: DeltaCarrier;
  /** Whether the target keeps tags is known, or cannot be known. */
  #areTagsSettled: boolean;
  /** Why the target cannot be read, once that is known. */
  #unreadable: TicketProblem | undefined;

  constructor(deps: CarryDeps, options: CarryOptions) {
    this.#deps = deps;
    this.#options = options;
    this.#areTagsSettled = options.source === undefined || options.facts?.keepsTags === true;
    const { clock, random, control, emit } = deps;
    const stop = (reason: AppError) => control.stop(reason);
    this.#gate = new CreateGate({ clock, random, emit, stop, giveUpAfterMs: options.giveUpAfterMs });
    this.#delta = new DeltaCarrier(deps);
    this.#count = new TicketCount(deps, options.source);
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

  #steps(job: TicketJob): Promise<TicketResult> {
    const { action } = job.planned;
    switch (action.do) {
      case 'create':
        return this.#create(job);
      case 'settle':
        return this.#settle(job, undefined);
      case 'finish':
        return this.#ifOurs(job, action.ticketId, () =>
          this.#finish(job, action.ticketId, action.from, true),
        );
      case 'reopen':
        return this.#ifOurs(job, action.ticketId, () => this.#delta.carry(job, action));
    }
  }

  async #create(job: TicketJob): Promise<TicketResult> {
    const { ledger, emit } = this.#deps;
    const { externalId } = job.planned;
    const there = await this.#lookBefore(job);
    if (there !== undefined) return there;
    const { source } = this.#options;
    const isFirst = !this.#areTagsSettled;
    const sent = await sendCreate(job, this.#gate, source, this.#deps, isFirst);
    if (sent.end === 'not-sent') return ticketResult('pending');
    if (sent.end === 'failed') return this.#notCreated(job, sent.failure, sent.isIntended);
    const { ticketId, intent, sentAt, reported, turn } = sent;
    const { fields } = job.planned.fingerprints;
    const answered = fields && alsoAs(fields, reportedFields({ ...reported, id: ticketId }, externalId));
    const recorded = ledger.created(externalId, ticketId, answered === fields ? undefined : answered);
    recorded.catch(() =>
      emit({
        type: 'note',
        message: `Ticket ${externalId} was created as ${ticketId}, but that could not be recorded: it will be in doubt.`,
      }),
    );
    const { subject, tag } = intent;
    const stop =
      isFirst && tag !== undefined ? await this.#checkTags(ticketId, tag, reported['tags']) : undefined;
    if (stop !== undefined) {
      this.#deps.control.stop(stop);
      turn.end('neither');
      await recorded;
      return ticketResult('pending', { ticketId, stop });
    }
    if (isFirst) turn.end('answered');
    this.#landmarks.created({ ticketId, sentAt, status: statusOf(job.planned), subject, tag });
    this.#exists(job);
    return this.#rest(job, ticketId, recorded);
  }

  /** The first ticket shows whether the target keeps tags: by the answer to its create, else by one look at it. */
  async #checkTags(ticketId: string, tag: string, answered: unknown): Promise<unknown> {
    this.#areTagsSettled = true;
    const { api, control, learnt } = this.#deps;
    let tags = answered;
    if (!Array.isArray(tags) && this.#options.facts?.isReadable !== false)
      try {
        ({ tags } = await api.readTicket(ticketId, control.hard));
      } catch (error) {
        const failure = readFailure(error, control.hard);
        return 'stop' in failure ? failure.stop : undefined;
      }
    if (!Array.isArray(tags)) return undefined;
    const keepsTags = hasTag(tags, tag);
    learnt?.({ keepsTags });
    return keepsTags ? undefined : tagsNotKept();
  }

  /**
   * The target may have it, although this checkpoint does not know: a create that was in doubt and is to be sent again, an
   * old copy of the checkpoint, a ticket that belonged to another shard until its requester was corrected. Undefined where it is
   * to be created.
   */
  async #lookBefore(job: TicketJob): Promise<TicketResult | undefined> {
    const { api, ledger, control, clock } = this.#deps;
    const { source, unknownTickets } = this.#options;
    const { externalId, action, fingerprints, origin } = job.planned;
    const wasTried = action.do === 'create' && action.wasTried === true;
    const isLookedFor = wasTried || (unknownTickets !== undefined && job.creates === 0);
    if (source === undefined || !isLookedFor || this.#unreadable !== undefined) return undefined;
    const isTaken = (ticketId: string) => (ledger.ownerOf(ticketId) ?? externalId) !== externalId;
    const intent = intentOf(job.planned, clock.now(), source);
    const held = async (problem: TicketProblem) => {
      await ledger.intend(externalId, intent, fingerprints, origin);
      return this.#hold(job, problem);
    };
    let own: readonly string[];
    let unclear: readonly string[];
    try {
      const reading = { api, signal: control.hard, areTagsDropped: false, isTaken };
      ({ own, unclear } = await findTagged(identityTag(source, externalId), intent, reading));
    } catch (error) {
      const { outcome, problem, ...stop } = readFailure(error, control.hard);
      if (outcome === 'unreadable') {
        this.#unreadable = problem;
        return undefined;
      }
      job.slot.release('ignore');
      return ticketResult('pending', { problem, ...stop });
    }
    const [ticketId, ...others] = own;
    if (ticketId !== undefined && unknownTickets === 'elsewhere' && !wasTried) {
      await ledger.left(externalId);
      job.slot.release('ignore');
      return ticketResult('done', { ticketId, warnings: [inAnotherShard(ticketId)] });
    }
    if (others.length > 0) return held(holdProblem('several', own));
    if (ticketId === undefined) return unclear.length > 0 ? held(holdProblem('unclear', unclear)) : undefined;
    await ledger.adopted(externalId, ticketId);
    return this.#finish(job, ticketId, 'messages');
  }

  async #notCreated(job: TicketJob, failure: CreateFailure, isIntended: boolean): Promise<TicketResult> {
    const { ledger } = this.#deps;
    const { externalId } = job.planned;
    const { outcome, problem, ...stop } = failure;
    if (!isIntended) {
      job.slot.release('ignore');
      return ticketResult('pending', { problem, ...stop });
    }
    // A doubt keeps it for the first look.
    if (outcome !== 'unknown') job.slot.release('ignore');
    switch (outcome) {
      case 'refused':
        await ledger.refused(externalId, problem);
        return ticketResult('failed', { problem, ...stop });
      case 'nothing':
        await ledger.notCreated(externalId);
        return ticketResult('pending', { problem, ...stop });
      case 'unknown':
        await ledger.doubt(externalId, problem);
        return 'stop' in stop ? ticketResult('inDoubt', { problem, ...stop }) : this.#settle(job, problem);
    }
  }

  /** The outcome of a create is unknown: of this process's (`problem` says why), or of an earlier one's. */
  async #settle(job: TicketJob, problem: TicketProblem | undefined): Promise<TicketResult> {
    const record = this.#deps.ledger.get(job.planned.externalId);
    const why = problem ?? record?.problem ?? INTERRUPTED;
    if (record?.intent === undefined) return this.#hold(job, why);
    if (this.#unreadable !== undefined) return this.#hold(job, this.#unreadable);
    return this.#lookUp(job, record.intent, why);
  }

  async #lookUp(job: TicketJob, intent: CreateIntent, why: TicketProblem): Promise<TicketResult> {
    const { ledger, control, emit, creates } = this.#deps;
    const { externalId } = job.planned;
    const dueAt = this.#dueAt(job);
    creates.opened(job, dueAt);
    const doubt = {
      externalId,
      intent,
      status: statusOf(job.planned),
      dueAt,
      // Nothing of it is under way any more that could make its contact.
      onDue: () => {
        job.admitted.release();
        creates.due();
      },
      mayFollow: () => creates.mayFollow(),
    };
    const settlement = await settleByReading(doubt, job.slot, this.#settleDeps());
    creates.closed(job);
    switch (settlement.outcome) {
      case 'adopted': {
        this.#gate.worked();
        const recorded = ledger.adopted(externalId, settlement.ticketId);
        this.#exists(job);
        if (job.creates > 0 && settlement.isCertain) return this.#rest(job, settlement.ticketId, recorded);
        await recorded;
        return this.#finish(job, settlement.ticketId, 'messages');
      }
      case 'absent':
        if (job.creates >= MOST_CREATES) {
          await ledger.refused(externalId, why);
          return ticketResult('failed', { problem: why });
        }
        await ledger.notCreated(externalId);
        return ticketResult('pending', { again: !control.isStopping });
      case 'held':
        return this.#hold(job, settlement.problem);
      case 'unreadable':
        if (this.#unreadable === undefined) {
          emit({
            type: 'note',
            message:
              'The target cannot be read, so tickets in doubt are held: settle them with "helpdesk-import resolve".',
          });
        }
        this.#unreadable = settlement.problem;
        return this.#hold(job, settlement.problem);
      case 'stopped':
        if (ledger.get(externalId)?.state === 'creating') await ledger.doubt(externalId, why);
        return ticketResult('inDoubt', {
          problem: why,
          ...('stop' in settlement ? { stop: settlement.stop } : {}),
        });
    }
  }

  /**
   * When nothing of its create can be under way any more. Of this process it was sent before its outcome was found to be unknown,
   * which is now; of an earlier one before that died.
   */
  #dueAt({ creates }: TicketJob): number {
    const { clock, ledger, lateMs } = this.#deps;
    const sinceMs = creates > 0 ? 0 : Math.max(0, clock.now() - ledger.diedBefore());
    return clock.monotonic() - sinceMs + lateMs;
  }

  #settleDeps(): SettleDeps {
    const { settleMs } = this.#options;
    return {
      ...this.#deps,
      settleMs,
      landmarks: this.#landmarks,
      known: () => {
        if (this.#known.length < MOST_KNOWN) this.#known = this.#someKnown();
        return this.#known;
      },
      count: this.#count,
    };
  }

  /** A run that goes on may create too few tickets itself to show that the list hides none. */
  #someKnown(): readonly Landmark[] {
    const { source, mayLackTag } = this.#options;
    const known: Landmark[] = [];
    if (source === undefined || mayLackTag === true) return known;
    for (const { externalId, ticketId } of this.#deps.ledger.inStates(['done', 'messaged', 'created'])) {
      if (known.length === MOST_KNOWN) break;
      if (ticketId === undefined) continue;
      // Neither its time nor its status is known: it tells of nothing but whether the list shows what is there.
      const told = { sentAt: Number.NEGATIVE_INFINITY, status: '', subject: '' };
      known.push({ ...told, ticketId, tag: identityTag(source, externalId) });
    }
    return known;
  }

  /** It stays in doubt. What was sent for it a moment ago may still go on in the target, so its contacts wait for a while. */
  async #hold(job: TicketJob, problem: TicketProblem): Promise<TicketResult> {
    const { ledger, clock, control } = this.#deps;
    const { externalId } = job.planned;
    const record = ledger.get(externalId);
    if (record?.state === 'creating' || record?.problem?.code !== problem.code) {
      await ledger.doubt(externalId, problem);
    }
    job.slot.release('ignore');
    if (job.creates > 0) await slept(clock, this.#options.settleMs, control.taking);
    return ticketResult('inDoubt', { problem });
  }

  /**
   * An earlier process created it, hours or months ago, and could not complete it. People may have written to it since, so
   * its thread is completed with the care of a delta wherever the target can be read.
   */
  #finish(
    job: TicketJob,
    ticketId: string,
    from: 'messages' | 'events',
    mayBeUnderWay = false,
  ): Promise<TicketResult> {
    this.#exists(job);
    const parts = from === 'messages' ? (['messages', 'events'] as const) : (['events'] as const);
    return this.#delta.carry(job, { ticketId, parts, isFirst: true, mayBeUnderWay });
  }

  /**
   * An earlier process created it: is what stands under its id still it? Behind the same address another workspace may answer by
   * now. What cannot be read is judged by whoever reads its thread.
   */
  async #ifOurs(job: TicketJob, ticketId: string, carry: () => Promise<TicketResult>): Promise<TicketResult> {
    const { api, control, ledger } = this.#deps;
    const { source, mayLackTag = true, facts } = this.#options;
    if (source === undefined || facts?.isReadable !== true) return carry();
    const { externalId } = job.planned;
    try {
      const { tags } = await api.readTicket(ticketId, control.hard);
      if (mayBe(tags, identityTag(source, externalId), mayLackTag)) return carry();
    } catch (error) {
      const failure = readFailure(error, control.hard);
      if (failure.outcome !== 'stopped') return carry();
      const outcome = ledger.get(externalId)?.state === 'done' ? 'done' : 'pending';
      return ticketResult(outcome, { ticketId, ...('stop' in failure ? { stop: failure.stop } : {}) });
    }
    const problem: TicketProblem = {
      code: 'not-ours-in-target',
      message: `The ticket ${ticketId} in the target does not carry the tag of this one, so it is another ticket, or someone removed the tag. Nothing was sent to it.`,
    };
    const state = ledger.get(externalId)?.state;
    if (state === 'rejected') await ledger.resumed(externalId);
    if (state !== 'done') await ledger.refused(externalId, problem);
    return ticketResult('failed', { ticketId, problem });
  }

  /** It was created a moment ago, by this process. */
  #rest(job: TicketJob, ticketId: string, recorded: Promise<void>): Promise<TicketResult> {
    return sendRest(job, { ticketId, from: 'messages', recorded }, this.#deps);
  }

  /** The ticket is in the target, and so is its contact. */
  #exists(job: TicketJob): void {
    this.#deps.creates.created(job);
    const email = job.planned.ticket.contact?.email;
    if (email !== undefined) job.admitted.know(email);
  }
}

const INTERRUPTED: TicketProblem = {
  code: 'unknown-outcome',
  message: 'An earlier run ended while this ticket was being created, so it may exist in the target.',
};

function inAnotherShard(ticketId: string): TicketProblem {
  return {
    code: 'in-another-shard',
    message: `The target has this ticket already (${ticketId}), imported with another checkpoint: it belonged to another shard until its requester changed. It was not created again.`,
  };
}
