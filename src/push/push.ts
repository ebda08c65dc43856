/**
 * The loop that carries a plan out: takes tickets, starts those whose contacts are free, gives each a slot, and settles the accounts.
 *
 * A reader takes tickets from the plan and puts them in line; a dispatcher starts those that are ready as slots come
 * free. The tickets that were taken and have no outcome yet (waiting for a contact, in flight, pausing over a doubt) are bounded,
 * and that bound is the backpressure to the plan. There is no barrier between batches.
 */
import { AppError } from '../domain/errors.ts';
import type { PlannedTicket } from '../domain/ticket.ts';
import type { TargetFacts as KnownFacts } from '../domain/ticket-api.ts';
import { Slots } from '../target/slots.ts';
import { ContactLine, type HeldContacts } from './contacts.ts';
import {
  type Creates,
  type ErrorBudget,
  exceeded,
  type Proof,
  type PushDeps,
  type PushSignals,
  RunControl,
  Slot,
  type TicketJob,
  type TicketResult,
  ticketResult,
} from './run-control.ts';
import { TargetFacts } from './target-facts.ts';
import { type CarryOptions, TicketCarrier } from './ticket.ts';

/** Of the time-out: for so long a create without an answer may still be carried out. */
const LATE = 1.5;

export interface PushOptions extends CarryOptions {
  /** Tickets in flight. */
  readonly concurrency: number;
  readonly batchSize: number;
  /** Batches of the whole plan, where that is known; else events tell the highest number so far. */
  readonly batches?: number;
  readonly maxErrors?: ErrorBudget | undefined;
  /** How long what is in flight may go on after a stop, and how long a request may: milliseconds. */
  readonly timeoutMs: number;
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
  /** The tickets created last, oldest first. */
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

/** A ticket that waits for its turn, and how often this run has sent a create of it. */
interface Offer {
  readonly planned: PlannedTicket;
  readonly creates: number;
}

/** Resolves however the run ends; rejects only for a defect, after everything in flight has ended. */
export async function push(
  work: AsyncIterable<PlannedTicket>,
  deps: PushDeps,
  options: PushOptions,
  signals: PushSignals,
): Promise<PushResult> {
  const control = new RunControl(signals, deps.clock, options.timeoutMs);
  try {
    return await new PushRun(deps, options, control).execute(work);
  } finally {
    control.end();
  }
}

class PushRun implements Creates {
  readonly #deps: PushDeps;
  readonly #options: PushOptions;
  readonly #control: RunControl;
  readonly #limiter: Slots;
  readonly #line = new ContactLine<Offer>();
  readonly #carrier: TicketCarrier;
  readonly #tickets = { done: 0, failed: 0, inDoubt: 0, pending: 0 };
  /** Of the batch that goes on, a batch being so many tickets that have an outcome. */
  #batch = { number: 1, done: 0, failed: 0, inDoubt: 0 };
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
  readonly #lastCreated: string[] = [];
  /** The last ticket, which waits until nothing is being created and no doubt is young: so it is created after all of them. */
  #last: { readonly item: Offer; readonly held: HeldContacts } | undefined;
  /** Read, and not yet offered. */
  #kept: PlannedTicket | undefined;
  #change = Promise.withResolvers<void>();

  constructor(deps: PushDeps, options: PushOptions, control: RunControl) {
    this.#deps = deps;
    this.#options = options;
    this.#control = control;
    const { concurrency, facts: known = {}, messageIds, sourceName } = options;
    this.#limiter = new Slots(concurrency);
    const facts = new TargetFacts(
      { api: deps.api, control, learnt: deps.learnt },
      messageIds === true ? known : { ...known, takesMessageIds: false },
      sourceName,
    );
    const lateMs = LATE * options.timeoutMs;
    this.#carrier = new TicketCarrier({ ...deps, control, facts, creates: this, lateMs }, options);
  }

  async execute(work: AsyncIterable<PlannedTicket>): Promise<PushResult> {
    this.#control.taking.addEventListener('abort', () => this.#changed(), { once: true });
    const spent = exceeded(this.#options.maxErrors, 0);
    if (spent !== undefined) this.#control.stop(spent);
    const tickets = work[Symbol.asyncIterator]();
    this.#read(tickets).catch((error: unknown) => this.#control.stop(error));
    await this.#dispatch();
    while (this.#inFlight > 0) await this.#change.promise;
    this.#tickets.pending +=
      this.#line.waiting + (this.#last === undefined ? 0 : 1) + (this.#kept === undefined ? 0 : 1);
    // Lets the plan close its files. One that is busy with the next ticket ends behind it, which is not waited for.
    const closed = this.#isAllTaken ? undefined : tickets.return?.().catch(() => undefined);
    if (!this.#isReading) await closed;
    this.#endBatch();
    await this.#deps.ledger.flush().catch((error: unknown) => this.#control.stop(error));
    const { reason, isStopping } = this.#control;
    if (isStopping && !(reason instanceof AppError)) throw reason;
    return {
      tickets: this.#tickets,
      messagesSent: this.#messagesSent,
      eventsSent: this.#eventsSent,
      updated: this.#updated,
      doubted: [...this.#doubted],
      lastCreated: this.#lastCreated,
      ...(reason instanceof AppError && { stoppedBy: reason }),
    };
  }

  created(job: TicketJob): void {
    if (!this.#creating.delete(job)) return;
    this.#lastCreated.push(job.planned.externalId);
    if (this.#lastCreated.length > LAST_CREATED) this.#lastCreated.shift();
    this.#changed();
  }

  opened(job: TicketJob): void {
    this.#creating.delete(job);
    this.#doubts.add(job);
    this.#doubted.add(job.planned.externalId);
    this.#changed();
  }

  proof(job: TicketJob): Promise<Proof | undefined> {
    if (this.#control.isStopping) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      this.#unproven.set(job, resolve);
      this.#changed();
    });
  }

  closed(job: TicketJob): void {
    this.#doubts.delete(job);
    this.#unproven.delete(job);
    this.#creating.add(job);
  }

  /** Wakes those that wait for a change. A change is not kept: look first, then wait, in the same turn. */
  #changed(): void {
    this.#change.resolve();
    this.#change = Promise.withResolvers<void>();
  }

  /** Offers a ticket when it is known whether there is one behind it: the last one of all waits for doubts. */
  async #read(tickets: AsyncIterator<PlannedTicket>): Promise<void> {
    while (!this.#control.isStopping) {
      const held = this.#inFlight - this.#doubts.size + this.#line.waiting;
      const isFull = held >= Math.max(4 * this.#limiter.limit, LEAST_LOOKAHEAD);
      if (isFull || this.#doubts.size >= MOST_DOUBTS) {
        await this.#change.promise;
        continue;
      }
      this.#isReading = true;
      const next = await tickets.next();
      this.#isReading = false;
      if (this.#control.isStopping) return;
      const planned = this.#kept;
      this.#kept = next.done === true ? undefined : next.value;
      this.#isAllTaken = next.done === true;
      if (planned !== undefined) this.#offer({ planned, creates: 0 });
      if (this.#isAllTaken) break;
    }
    this.#changed();
  }

  #offer(offer: Offer): void {
    const { action, contacts } = offer.planned;
    if (action.do === 'create') this.#uncreated += 1;
    this.#line.offer(offer, action.do === 'finish' && action.from === 'events' ? [] : contacts);
    this.#changed();
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
      if ((!this.#line.hasReady && !isLastDue) || !this.#limiter.tryAcquire()) {
        await this.#change.promise;
        continue;
      }
      const next = isLastDue ? this.#last : this.#line.take();
      if (next === undefined) continue;
      const isLast = next.item.planned.action.do === 'create' && this.#isAllTaken && this.#uncreated === 1;
      if (isLastDue) this.#last = undefined;
      if (isLast && !this.#mayEnd) {
        this.#limiter.release();
        this.#last = next;
      } else void this.#carry(next.item, next.held);
    }
    for (const answer of this.#unproven.values()) answer(undefined);
  }

  /** Nothing is being created, and nothing comes before the doubts are settled. */
  get #isIdle(): boolean {
    const isTaken = this.#isAllTaken || this.#doubts.size >= MOST_DOUBTS;
    return isTaken && this.#line.waiting === 0 && this.#last === undefined && this.#creating.size === 0;
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
  async #carry({ planned, creates }: Offer, contacts: HeldContacts): Promise<void> {
    const slot = new Slot(this.#limiter, () => this.#changed());
    const job: TicketJob = { planned, contacts, slot, creates };
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
    slot.release();
    contacts.release();
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
    this.#changed();
  }

  #settle({ externalId }: PlannedTicket, end: TicketResult): void {
    const { outcome, ticketId, problem, warnings } = end;
    this.#tickets[outcome] += 1;
    this.#messagesSent += end.messages;
    this.#eventsSent += end.events;
    if (end.updated === true) this.#updated += 1;
    this.#deps.emit({
      type: 'ticket',
      externalId,
      outcome,
      ...(ticketId !== undefined && { ticketId }),
      ...(problem !== undefined && { problem }),
      ...(warnings !== undefined && { warnings }),
    });
    if (outcome !== 'pending') {
      this.#batch[outcome] += 1;
      const { done, failed, inDoubt } = this.#batch;
      if (done + failed + inDoubt >= this.#options.batchSize) this.#endBatch();
    }
    if ('stop' in end) this.#control.stop(end.stop);
    const spent = outcome === 'failed' ? exceeded(this.#options.maxErrors, this.#tickets.failed) : undefined;
    if (spent !== undefined) this.#control.stop(spent);
  }

  /** The last batch may be smaller. */
  #endBatch(): void {
    const { number: batch, ...counts } = this.#batch;
    const tickets = counts.done + counts.failed + counts.inDoubt;
    if (tickets === 0) return;
    this.#batch = { number: batch + 1, done: 0, failed: 0, inDoubt: 0 };
    const batches = Math.max(this.#options.batches ?? batch, batch);
    this.#deps.emit({ type: 'batch', batch, batches, ...counts });
    this.#deps.ledger.batchSettled(batch, tickets).catch((error: unknown) => this.#control.stop(error));
  }
}
