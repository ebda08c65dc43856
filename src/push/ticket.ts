/**
 * Carries one ticket out: the order of disk writes and requests, on which "never twice, never lost" rests.
 *
 *   1. creating   durable    with the tag that finds it again; when nothing else has to be waited for any more
 *   2. POST       /tickets
 *   3. created    durable    its id in the helpdesk
 *   4. PUT        messages, events (thread.ts)
 *   5. done       durable
 *
 * A crash (of the process or the machine) between two steps leaves this, and the next run does that:
 *
 *   before 1      nothing, anywhere: it is created.
 *   1 to 2        `creating`, and nothing in the helpdesk. Whether the POST went out is unknown here, so the ticket
 *                 is in doubt (doubt.ts): late, and not twice.
 *   2 to 3        `creating`, and an unknown ticket in the helpdesk. In doubt as well; looking finds it. That is why 1 has
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
import { hasTag, identityTag, isAnotherTicket, isMarked, isMovedTicket } from '../domain/identity.ts';
import { adoptedRecord, failedRecord, recordOf } from '../domain/ledger.ts';
import type { TicketPayload } from '../domain/payload.ts';
import {
  normalizedEmail,
  reportedInstant,
  reportedObject,
  reportedString,
  sameInstant,
} from '../domain/snapshot.ts';
import type { DeltaPart, PlannedAction } from '../domain/ticket.ts';
import type { Snapshot } from '../domain/ticket-api.ts';
import { changesOf } from '../domain/ticket-fields.ts';
import { type CreateOptions, Creator, type Made } from './create.ts';
import { CreateGate } from './create-gate.ts';
import type { CustomerNames } from './customer-names.ts';
import type { DoubtSettler, Settlement } from './doubt.ts';
import { endOfRest, problemIn, RunEnds } from './failure-meaning.ts';
import { FieldsCarrier } from './fields.ts';
import { type CarryDeps, type TicketJob, type TicketResult, ticketResult } from './run-control.ts';
import { ThreadCarrier } from './thread.ts';
import { countIn, type ThreadWork } from './thread-now.ts';
import { ticketProblem } from './words.ts';

const WHOLE: ThreadWork['parts'] = ['messages', 'events'];

export interface CarryOptions extends CreateOptions {
  /** The helpdesk may have tickets of ours unknown to the checkpoint: each is looked for before it is created. */
  readonly mayHaveUnknown?: boolean | undefined;
  readonly giveUpAfterMs: number;
  readonly isDelta?: boolean | undefined;
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

  get doubts(): DoubtSettler {
    return this.#creator.doubts;
  }

  get names(): CustomerNames {
    return this.#creator.names;
  }

  /** Holds the job's slot. Throws RunEnds, a ledger that fails, or a defect. */
  async carry(job: TicketJob): Promise<TicketResult> {
    const sent = await this.#steps(job, job.planned.action);
    const end = this.#options.isDelta === true ? await this.#withNewFields(job, sent) : sent;
    const { outcome, ticketId, problem, messages, events } = end;
    if (ticketId !== undefined) this.#deps.facts.ended(ticketId);
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
        const look = await this.#look(job, ticketId);
        return look.end ?? this.#finish(job, ticketId, parts, look.count);
      }
      case 'reopen': {
        const look = await this.#look(job, action.ticketId);
        return look.end ?? this.#update(job, action.ticketId, action.parts, look.count);
      }
    }
  }

  async #complete(job: TicketJob, made: Made): Promise<TicketResult> {
    return 'end' in made ? made.end : this.#thread.carry(job, { ...made, parts: WHOLE });
  }

  /** Created earlier and incomplete. People may have written to it since. */
  #finish(
    job: TicketJob,
    ticketId: string,
    parts: ThreadWork['parts'] = WHOLE,
    count?: number,
  ): Promise<TicketResult> {
    this.#creator.exists(job);
    return this.#thread.carry(job, { ticketId, is: 'resumed', parts, count });
  }

  /** The helpdesk may have it: a repeated doubt, or an old copy of the checkpoint. Undefined: create it. */
  async #lookBefore(job: TicketJob): Promise<TicketResult | undefined> {
    const { ledger, control, clock, facts } = this.#deps;
    const { source, mayHaveUnknown } = this.#options;
    const { externalId, action, fingerprints, origin, ticket } = job.planned;
    const wasTried = action.do === 'create' && action.wasTried === true;
    const isLookedFor = wasTried || (mayHaveUnknown === true && job.creates === 0);
    if (!isLookedFor || !(await facts.isReadable())) return undefined;
    const tag = identityTag(source, externalId);
    let found: Settlement | undefined;
    try {
      found = await this.#creator.doubts.look({ externalId, tag, ticket });
    } catch (error) {
      const { code } = problemIn(error, control.hard);
      if (code === 'target-unreadable') return undefined;
      job.slot.release();
      return ticketResult('pending');
    }
    if (found?.is === 'held') {
      const sent = { at: clock.now(), tag };
      await ledger.put({ ...recordOf(ledger, externalId), state: 'inDoubt', fingerprints, origin, sent });
      return (await this.#creator.hold(job, found.problem)).end;
    }
    if (found?.is !== 'there') return undefined;
    const { ticketId } = found;
    await ledger.put(adoptedRecord(ledger, externalId, ticketId));
    return this.#finish(job, ticketId);
  }

  async #update(
    job: TicketJob,
    ticketId: string,
    parts: readonly DeltaPart[],
    count: number | undefined,
  ): Promise<TicketResult> {
    const thread = parts.filter((part) => part !== 'fields');
    const end =
      thread.length > 0
        ? await this.#thread.carry(job, { ticketId, is: 'delta', parts: thread, count })
        : ticketResult('done', { ticketId });
    return parts.includes('fields') ? this.#withFields(job, ticketId, end) : end;
  }

  /** A ticket that was begun with an earlier export has that export's fields. */
  async #withNewFields(job: TicketJob, end: TicketResult): Promise<TicketResult> {
    const { externalId, action, fingerprints: now } = job.planned;
    const { fields: then } = recordOf(this.#deps.ledger, externalId).fingerprints ?? {};
    const isCarried = action.do === 'reopen' || end.ticketId === undefined;
    if (isCarried || then === undefined || now.fields === undefined) return end;
    if (changesOf(then, now.fields).fields.length === 0) return end;
    return await this.#withFields(job, end.ticketId, end);
  }

  async #withFields(job: TicketJob, ticketId: string, end: TicketResult): Promise<TicketResult> {
    const { control } = this.#deps;
    if (end.outcome !== 'done' || end.isGone === true) return end;
    try {
      if (control.hard.aborted) return end;
      await job.slot.take(control);
      const { warnings = [], ...more } = await this.#fields.carry(job, ticketId);
      job.slot.release();
      const all = [...(end.warnings ?? []), ...warnings];
      const { messages, events } = end;
      return { ...more, messages, events, ...(all.length > 0 && { warnings: all }) };
    } catch (error) {
      if (!(error instanceof RunEnds)) throw error;
      control.stopFor(error);
      return end;
    }
  }

  /**
   * Is the helpdesk's ticket with its ID still ours? The address may lead to another workspace by now, and the number may be another
   * ticket's in this export: then it ends. `count`: of its messages.
   */
  async #look(
    job: TicketJob,
    ticketId: string,
  ): Promise<{ readonly end?: TicketResult; readonly count?: number | undefined }> {
    const { facts, ledger } = this.#deps;
    if (!facts.wasReadable) return {};
    const { externalId, origin, ticket } = job.planned;
    const read = await facts.readTicket(ticketId);
    const record = recordOf(ledger, externalId);
    const fails = async (kind: string) => {
      const problem = ticketProblem(kind, { ticket: ticketId });
      if (record.state !== 'done') await ledger.put(failedRecord(ledger, externalId, problem));
      return { end: ticketResult('failed', { ticketId, problem }) };
    };
    if ('failure' in read)
      return read.failure.is === 'gone' && record.state !== 'done' ? fails('missing-in-target:ticket') : {};
    const [found = { id: ticketId }] = read.found;
    const tag = identityTag(this.#options.source, externalId);
    const { time, requester } = agreement(found, ticket);
    if (!hasTag(found['tags'], tag)) {
      const isRemoved = time === true && requester !== false && !isMarked(found['tags']);
      if (!isRemoved || record.state !== 'done') return fails('not-ours-in-target:other');
      const warning = ticketProblem('not-ours-in-target:removed', { ticket: ticketId, tag });
      return { end: ticketResult('done', { ticketId, warnings: [warning] }) };
    }
    const isKnown = isAnotherTicket(record.origin, origin) !== undefined;
    const isOther = !isKnown && time === false && requester === false;
    // Without messages of ours to compare, a corrected time or requester keeps the subject.
    const isMoved = record.thread === undefined && isMovedTicket(record.origin, origin);
    if (isOther || (isMoved && hasOtherSubject(found, ticket))) return fails('another-ticket-now:target');
    return { count: countIn(found) };
  }
}

function hasOtherSubject({ subject }: Snapshot, ticket: TicketPayload): boolean {
  return typeof subject === 'string' && subject.trim() !== ticket.subject.trim();
}

/** Undefined: not shown. People may correct one of the two. */
function agreement(found: Snapshot, { createdAt, contact }: TicketPayload) {
  const at = reportedInstant(found, 'createdAt');
  const shown = reportedObject(found, 'contact');
  const email = shown && reportedString(shown, 'email');
  return {
    time: typeof at === 'number' ? sameInstant(createdAt, at) : undefined,
    requester:
      typeof email === 'string' && contact !== undefined
        ? normalizedEmail(email) === normalizedEmail(contact.email)
        : undefined,
  };
}
