/**
 * The loop that carries a plan out: takes tickets, admits those that may start, gives each a slot, and settles the accounts.
 *
 * A reader takes tickets from the plan and offers them to the admission; a dispatcher starts those that are ready as slots come
 * free. The tickets that were taken and have no outcome yet (waiting for a contact, in flight, pausing over a doubt) are bounded,
 * and that bound is the backpressure to the plan and through it to the files. There is no barrier between batches.
 */
import { AppError } from '../domain/errors.ts';
import type { Limiter } from '../domain/limits.ts';
import type { PlannedTicket } from '../domain/ticket.ts';
import type { TargetFacts as KnownFacts } from '../domain/ticket-api.ts';
import { createFixedLimiter } from '../target/slots.ts';
import { Admission, type Admitted, KnownContacts } from './admission.ts';
import type { Proof } from './doubt.ts';
import { BatchProgress, type ErrorBudget, exceeded, type PushSignals, RunControl } from './run-control.ts';
import { TargetFacts } from './target-facts.ts';
import { TicketCarrier } from './ticket.ts';
import {
  type Creates,
  type PushDeps,
  Slot,
  type TicketJob,
  type TicketResult,
  ticketResult,
} from './ticket-job.ts';

/** Of the time-out: for so long a create without an answer may still be carried out. */
const LATE = 1.5;

export interface PushOptions {
  /** Tickets in flight, or what decides how many. */
  readonly concurrency: number | Limiter;
  readonly batchSize: number;
  /** Batches of the whole plan, where that is known; else events tell the highest number so far. */
  readonly batches?: number;
  readonly maxErrors?: ErrorBudget | undefined;
  /** How long what is in flight may go on after a stop, and how long a request may: milliseconds. */
  readonly timeoutMs: number;
  /** The name of the source, where its tickets carry their identity. */
  readonly source?: string | undefined;
  /** Tickets of earlier runs may have been created before tickets carried their identity. */
  readonly mayLackTag?: boolean | undefined;
  /** The target may have tickets that the checkpoint does not know: whose they are (ticket.ts). */
  readonly unknownTickets?: 'ours' | 'elsewhere' | undefined;
  /** The first pause before a ticket that is not found is looked for again, milliseconds; then twice as long. */
  readonly settleMs: number;
  /** How long the creates of a target that worked before may all end badly before the run stops, milliseconds. */
  readonly giveUpAfterMs: number;
  /** Whether messages carry the ids of their mails (target-facts.ts); default: off. */
  readonly messageIds?: boolean | undefined;
  /** What the source is called (domain/identity.ts), for the ids that are made. */
  readonly sourceName?: string | undefined;
  /** What is known of the target before; the first tickets show what is not. */
  readonly facts?: KnownFacts | undefined;
}

export interface PushResult {
  /** Tickets that were taken from the plan, by what came of them. Those never taken are in no count. */
  readonly tickets: { done: number; failed: number; inDoubt: number; pending: number };
  readonly messagesSent: number;
  readonly eventsSent: number;
  /** Tickets of which a delta changed own fields in the target. */
  readonly updated: number;
  /** Tickets whose create was in doubt in this run, however that ended. */
  readonly doubted: readonly string[];
  /** Those that were created last, in order. */
  readonly lastCreated: readonly string[];
  /** Why not everything was carried out. */
  readonly stoppedBy?: AppError;
}

/** Tickets that are looked ahead at, at least: enough to find some that share no contact. */
const LEAST_LOOKAHEAD = 256;
/** Tickets in doubt that are waited for at a time. */
const MOST_DOUBTS = 5_000;

/** So many are remembered, to see at the next run whether the target still has them. */
export const LAST_CREATED = 3;

/** Resolves however the run ends; rejects only for a defect, after everything in flight has ended. */
export async function push(
  work: AsyncIterable<PlannedTicket>,
  deps: PushDeps,
  options: PushOptions,
  signals: PushSignals,
): Promise<PushResult> {
  const run = new PushRun(deps, options, signals);
  try {
    return await run.execute(work);
  } finally {
    run.end();
  }
}

class PushRun {
  readonly #deps: PushDeps;
  readonly #options: PushOptions;
  readonly #control: RunControl;
  readonly #limiter: Limiter;
  readonly #admission = new Admission<Offer>(new KnownContacts());
  readonly #carrier: TicketCarrier;
  readonly #batches: BatchProgress;
  readonly #changed = new Condition();
  readonly #tickets = { done: 0, failed: 0, inDoubt: 0, pending: 0 };
  #inFlight = 0;
  #messagesSent = 0;
  #eventsSent = 0;
  #updated = 0;
  #isAllTaken = false;
  /** The plan is asked for the next ticket at this moment. */
  #isReading = false;
  /** Tickets in doubt that wait. */
  readonly #doubts = new Set<TicketJob>();
  /** Those of them that wait for the proof that they do not exist. */
  readonly #unproven = new Map<TicketJob, (proof: Proof | undefined) => void>();
  readonly #doubted = new Set<string>();
  /** Tickets whose create is under way or about to be. */
  readonly #creating = new Set<TicketJob>();
  /** Creates that were offered and have not begun. */
  #uncreated = 0;
  /** The last ones that were created in this run. */
  readonly #lastCreated: string[] = [];
  /** The last ticket, which waits until nothing is being created and no doubt is young: so it is created after all of them. */
  #last: Admitted<Offer> | undefined;
  /** Read, and not yet offered. */
  #kept: PlannedTicket | undefined;

  constructor(deps: PushDeps, options: PushOptions, signals: PushSignals) {
    this.#deps = deps;
    this.#options = options;
    this.#control = new RunControl(signals, deps.clock, options.timeoutMs);
    this.#limiter =
      typeof options.concurrency === 'number' ? createFixedLimiter(options.concurrency) : options.concurrency;
    const control = this.#control;
    const { facts: known = {}, messageIds, sourceName } = options;
    const facts = new TargetFacts(
      { api: deps.api, control, learnt: deps.learnt },
      messageIds === true ? known : { ...known, takesMessageIds: false },
      sourceName,
    );
    const creates = this.#creates();
    const lateMs = LATE * options.timeoutMs;
    this.#carrier = new TicketCarrier({ ...deps, control, facts, creates, lateMs }, options);
    this.#batches = new BatchProgress(options.batchSize, (batch, counts) => {
      const tickets = counts.done + counts.failed + counts.inDoubt;
      deps.emit({ type: 'batch', batch, batches: Math.max(options.batches ?? batch, batch), ...counts });
      deps.ledger.batchSettled(batch, tickets).catch((error: unknown) => this.#control.stop(error));
    });
  }

  async execute(work: AsyncIterable<PlannedTicket>): Promise<PushResult> {
    const onStop = () => this.#changed.notify();
    this.#control.taking.addEventListener('abort', onStop, { once: true });
    const spent = exceeded(this.#options.maxErrors, 0);
    if (spent !== undefined) this.#control.stop(spent);
    const tickets = work[Symbol.asyncIterator]();
    this.#read(tickets).catch((error: unknown) => this.#control.stop(error));
    await this.#dispatch();
    while (this.#inFlight > 0) await this.#changed.wait();
    this.#tickets.pending +=
      this.#admission.waiting + (this.#last === undefined ? 0 : 1) + (this.#kept === undefined ? 0 : 1);
    if (!this.#isAllTaken) await this.#giveUp(tickets);
    this.#batches.end();
    await this.#deps.ledger.flush().catch((error: unknown) => this.#control.stop(error));
    return this.#result();
  }

  end(): void {
    this.#control.end();
  }

  /** Offers a ticket when it is known whether there is one behind it: the last one of all waits for doubts. */
  async #read(tickets: AsyncIterator<PlannedTicket>): Promise<void> {
    while (!this.#control.isStopping) {
      const held = this.#inFlight - this.#doubts.size + this.#admission.waiting;
      if (held >= this.#lookahead() || this.#doubts.size >= MOST_DOUBTS) {
        await this.#changed.wait();
        continue;
      }
      this.#isReading = true;
      const next = await tickets.next();
      this.#isReading = false;
      if (this.#control.isStopping) return;
      if (next.done === true) {
        this.#isAllTaken = true;
        this.#offerKept();
        break;
      }
      this.#offerKept();
      this.#kept = next.value;
    }
    this.#changed.notify();
  }

  #offerKept(): void {
    const planned = this.#kept;
    this.#kept = undefined;
    if (planned !== undefined) this.#offer({ planned, creates: 0 });
  }

  #offer(offer: Offer): void {
    const { planned } = offer;
    if (planned.action.do === 'create') this.#uncreated += 1;
    this.#admission.offer(offer, keysOf(planned));
    this.#changed.notify();
  }

  /** Lets the plan close its files. One that is busy with the next ticket ends behind it, which is not waited for. */
  async #giveUp(tickets: AsyncIterator<PlannedTicket>): Promise<void> {
    const closed = tickets.return?.().catch(() => undefined);
    if (!this.#isReading) await closed;
  }

  /** Looks again whenever a slot comes free, a ticket ends or another one is offered. */
  async #dispatch(): Promise<void> {
    while (!this.#control.isStopping) {
      if (this.#isIdle && this.#isAllTaken && this.#doubts.size === 0) return;
      if (this.#isIdle && this.#unproven.size > 0 && this.#unproven.size === this.#doubts.size) {
        await this.#prove();
        continue;
      }
      const isLastDue = this.#last !== undefined && this.#mayEnd;
      if ((!this.#admission.hasReady && !isLastDue) || !this.#limiter.tryAcquire()) {
        await this.#changed.wait();
        continue;
      }
      const admitted = isLastDue ? this.#last : this.#admission.take();
      if (admitted === undefined) continue;
      if (isLastDue) this.#last = undefined;
      else if (this.#isLast(admitted.item) && !this.#mayEnd) {
        this.#limiter.release({ outcome: 'ignore' });
        this.#last = admitted;
        continue;
      }
      void this.#carry(admitted);
    }
    for (const answer of this.#unproven.values()) answer(undefined);
  }

  /** Nothing is being created, and nothing comes before the doubts are settled. */
  get #isIdle(): boolean {
    const isTaken = this.#isAllTaken || this.#doubts.size >= MOST_DOUBTS;
    return isTaken && this.#admission.waiting === 0 && this.#last === undefined && this.#creating.size === 0;
  }

  #isLast({ planned }: Offer): boolean {
    return planned.action.do === 'create' && this.#isAllTaken && this.#uncreated === 1;
  }

  get #mayEnd(): boolean {
    return this.#creating.size === 0 && this.#unproven.size === this.#doubts.size;
  }

  /** Once for all doubts that are open: what the list proves, while nothing is being created. */
  async #prove(): Promise<void> {
    const waiting = [...this.#unproven.values()];
    this.#unproven.clear();
    const proof = await this.#carrier.doubts?.prove(waiting.length);
    for (const answer of waiting) answer(proof);
  }

  /** Never rejects: what the carrier throws stops the run. */
  async #carry(admitted: Admitted<Offer>): Promise<void> {
    const { planned, creates } = admitted.item;
    const job: TicketJob = { planned, admitted, slot: new Slot(this.#limiter, this.#onFree), creates };
    const { action } = planned;
    if (action.do === 'create') this.#uncreated -= 1;
    if (action.do === 'create' || action.do === 'settle') this.#creating.add(job);
    this.#inFlight += 1;
    let end: TicketResult;
    try {
      end = await this.#carrier.carry(job);
    } catch (stop) {
      // The ledger failed, or it is a defect. On disk the ticket is as it was before its last step.
      const mayExist = job.creates > 0 || action.do === 'settle';
      end = ticketResult(mayExist ? 'inDoubt' : 'pending', { stop });
    }
    job.slot.release('ignore');
    job.admitted.release();
    this.#creating.delete(job);
    this.#inFlight -= 1;
    const isAgain = end.again === true && !this.#control.isStopping;
    try {
      if (isAgain) this.#offer({ planned: { ...planned, action: { do: 'create' } }, creates: job.creates });
      else this.#settle(planned, end);
    } catch (defect) {
      // A listener that throws is a defect.
      this.#control.stop(defect);
    }
    this.#changed.notify();
  }

  #settle(planned: PlannedTicket, end: TicketResult): void {
    const { outcome, ticketId, problem, warnings } = end;
    this.#tickets[outcome] += 1;
    this.#messagesSent += end.messages;
    this.#eventsSent += end.events;
    if (end.updated === true) this.#updated += 1;
    this.#deps.emit({
      type: 'ticket',
      externalId: planned.externalId,
      outcome,
      ...(ticketId === undefined ? {} : { ticketId }),
      ...(problem === undefined ? {} : { problem }),
      ...(warnings === undefined ? {} : { warnings }),
    });
    if (outcome !== 'pending') this.#batches.settled(outcome);
    if ('stop' in end) this.#control.stop(end.stop);
    const spent = outcome === 'failed' ? exceeded(this.#options.maxErrors, this.#tickets.failed) : undefined;
    if (spent !== undefined) this.#control.stop(spent);
  }

  #creates(): Creates {
    return {
      created: (job) => {
        if (!this.#creating.delete(job)) return;
        this.#lastCreated.push(job.planned.externalId);
        if (this.#lastCreated.length > LAST_CREATED) this.#lastCreated.shift();
        this.#changed.notify();
      },
      opened: (job) => {
        this.#creating.delete(job);
        this.#doubts.add(job);
        this.#doubted.add(job.planned.externalId);
        this.#changed.notify();
      },
      proof: (job) => {
        if (this.#control.isStopping) return Promise.resolve(undefined);
        return new Promise((resolve) => {
          this.#unproven.set(job, resolve);
          this.#changed.notify();
        });
      },
      closed: (job) => {
        this.#doubts.delete(job);
        this.#unproven.delete(job);
        this.#creating.add(job);
      },
    };
  }

  #lookahead(): number {
    return Math.max(4 * this.#limiter.limit, LEAST_LOOKAHEAD);
  }

  readonly #onFree = () => this.#changed.notify();

  #result(): PushResult {
    const result = {
      tickets: this.#tickets,
      messagesSent: this.#messagesSent,
      eventsSent: this.#eventsSent,
      updated: this.#updated,
      doubted: [...this.#doubted],
      lastCreated: this.#lastCreated,
    };
    if (!this.#control.isStopping) return result;
    const { reason } = this.#control;
    if (reason instanceof AppError) return { ...result, stoppedBy: reason };
    throw reason;
  }
}

/** A ticket that may start when its keys are free, and how often this run has sent a create of it. */
interface Offer {
  readonly planned: PlannedTicket;
  readonly creates: number;
}

/** What a ticket reserves: the contacts of what is still to be sent for it. */
function keysOf({ action, contacts }: PlannedTicket): readonly string[] {
  return action.do === 'finish' && action.from === 'events' ? [] : contacts;
}

/** Wakes those that wait for "something changed". Rings are not kept: look first, then wait, in the same turn. */
export class Condition {
  #waiting: PromiseWithResolvers<void> | undefined;

  notify(): void {
    this.#waiting?.resolve();
    this.#waiting = undefined;
  }

  wait(): Promise<void> {
    this.#waiting ??= Promise.withResolvers<void>();
    return this.#waiting.promise;
  }
}
