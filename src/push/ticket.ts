/**
 * Carries one ticket out: the order of disk writes and requests, on which "never twice, never lost" rests.
 *
 *   1. creating   durable    with the tag that finds it again; when nothing else has to be waited for any more
 *   2. POST       /tickets
 *   3. created    durable    its id in the target
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
 * 3 is durable before 4 is sent, so no more tickets are in doubt than creates were in flight.
 *
 * Without a crash the same holds for an answer that does not come. A ticket with an id never becomes `creating`, and `creating` is
 * left only by the answer, by its tag, by a proof that it does not exist, or by a person.
 */
import type { AppError } from '../domain/errors.ts';
import { identityTag, mayBe } from '../domain/identity.ts';
import { adoptedRecord, failedRecord, recordOf, settledRecord } from '../domain/ledger.ts';
import type { DeltaPart, PlannedAction } from '../domain/ticket.ts';
import { type CreateOptions, Creator, type Made } from './create.ts';
import { CreateGate } from './create-gate.ts';
import type { DoubtSettler } from './doubt.ts';
import { endOfRest, readFailure } from './failure-meaning.ts';
import { FieldsCarrier } from './fields.ts';
import {
  type CarryDeps,
  type Settlement,
  type TicketJob,
  type TicketResult,
  ticketResult,
} from './run-control.ts';
import { ThreadCarrier } from './thread.ts';
import type { ThreadWork } from './thread-now.ts';
import { inAnotherShard, notOurs } from './words.ts';

const WHOLE: ThreadWork['parts'] = ['messages', 'events'];

export interface CarryOptions extends CreateOptions {
  /** Tickets of earlier runs may have been created before tickets carried their identity. */
  readonly mayLackTag?: boolean | undefined;
  /**
   * The target may have tickets that the checkpoint does not know, so each is looked for before it is created. `ours`: what is
   * found is gone on with. `elsewhere`: another checkpoint has it (a shard), and it is left to that.
   */
  readonly unknownTickets?: 'ours' | 'elsewhere' | undefined;
  /** How long the creates of a target that worked before may all end badly before the run stops, milliseconds. */
  readonly giveUpAfterMs: number;
}

export class TicketCarrier {
  readonly #deps: CarryDeps;
  readonly #options: CarryOptions;
  readonly #gate: CreateGate;
  readonly #creator: Creator;
  readonly #thread: ThreadCarrier;
  readonly #fields: FieldsCarrier;

  constructor(deps: CarryDeps, options: CarryOptions) {
    this.#deps = deps;
    this.#options = options;
    const { clock, random, control, emit } = deps;
    const { giveUpAfterMs } = options;
    const stop = (reason: AppError) => control.stop(reason);
    this.#gate = new CreateGate({ clock, random, emit, stop, giveUpAfterMs });
    this.#creator = new Creator(deps, this.#gate, options);
    this.#thread = new ThreadCarrier(deps);
    this.#fields = new FieldsCarrier(deps);
  }

  /** What the list of the target proves about doubts, asked when nothing is being created. */
  get doubts(): DoubtSettler | undefined {
    return this.#creator.doubts;
  }

  /** The job's slot is held when this begins and given back when it ends. Throws for a ledger that fails, and for defects. */
  async carry(job: TicketJob): Promise<TicketResult> {
    const end = await this.#steps(job, job.planned.action);
    const { outcome, ticketId, problem, messages, events } = end;
    if (outcome === 'done' && messages + events > 0) this.#gate.restWorked();
    else if (outcome === 'failed' && ticketId !== undefined && problem !== undefined)
      this.#gate.restFailed(job.planned.externalId, endOfRest(problem), problem);
    return end;
  }

  async #steps(job: TicketJob, action: PlannedAction): Promise<TicketResult> {
    switch (action.do) {
      case 'create':
        return (await this.#lookBefore(job)) ?? this.#complete(job, await this.#creator.create(job));
      case 'settle':
        return this.#complete(job, await this.#creator.settle(job));
      case 'finish': {
        const { ticketId, from } = action;
        const parts = from === 'messages' ? WHOLE : (['events'] as const);
        return (await this.#notOurs(job, ticketId)) ?? this.#finish(job, ticketId, parts);
      }
      case 'reopen':
        return (
          (await this.#notOurs(job, action.ticketId)) ?? this.#update(job, action.ticketId, action.parts)
        );
    }
  }

  /** Its messages and its history follow, where it is there. */
  async #complete(job: TicketJob, made: Made): Promise<TicketResult> {
    return 'end' in made ? made.end : this.#thread.carry(job, { ...made, parts: WHOLE });
  }

  /** It was created a while ago, by this process or an earlier one, and is not complete. People may have written to it since. */
  #finish(job: TicketJob, ticketId: string, parts: ThreadWork['parts'] = WHOLE): Promise<TicketResult> {
    this.#creator.exists(job);
    return this.#thread.carry(job, { ticketId, is: 'first', parts });
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
      found = await this.#creator.doubts?.look({ externalId, tag, ticket });
    } catch (error) {
      const { outcome, problem, ...stop } = readFailure(error, control.hard);
      if (outcome === 'unreadable') return undefined;
      job.slot.release();
      return ticketResult('pending', { problem, ...stop });
    }
    if (found?.is === 'held') {
      const sent = { at: clock.now(), tag };
      await ledger.put({ ...recordOf(ledger, externalId), state: 'inDoubt', fingerprints, origin, sent });
      return (await this.#creator.hold(job, found.problem)).end;
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

  /** Its export changed: the thread first, as a service may open a ticket again for a message; then its own fields. */
  async #update(job: TicketJob, ticketId: string, parts: readonly DeltaPart[]): Promise<TicketResult> {
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
}
