/**
 * The loop that carries a plan out. A reader queues tickets; a dispatcher starts those whose contacts are free as slots come
 * free. Tickets taken and without an outcome are bounded, which holds the plan back.
 */
import { AppError } from '../domain/errors.ts';
import { recordOf } from '../domain/ledger.ts';
import type { PlannedTicket } from '../domain/ticket.ts';
import type { KnownFacts } from '../domain/ticket-api.ts';
import { Slots } from '../helpdesk/pacer.ts';
import { ContactLine, type HeldContacts } from './contacts.ts';
import * as runControl from './run-control.ts';
import { Settling } from './settling.ts';
import { TargetFacts } from './target-facts.ts';
import { type CarryOptions, TicketCarrier } from './ticket.ts';

/** Times the time-out: how long a create without an answer may still take effect. */
const LATE = 1.5;

export interface PushOptions extends CarryOptions {
  readonly concurrency: number;
  readonly maxErrors?: runControl.ErrorBudget | undefined;
  readonly timeoutMs: number;
  /** Known from earlier runs; the first tickets show the rest. */
  readonly facts?: KnownFacts | undefined;
}

export interface PushResult {
  /** Tickets taken from the plan, by outcome. */
  readonly tickets: { done: number; failed: number; inDoubt: number; pending: number };
  readonly messagesSent: number;
  readonly eventsSent: number;
  readonly updated: number;
  readonly doubted: readonly string[];
  readonly lastCreated: readonly string[];
  /** Customers who have another name in the helpdesk, which stays. */
  readonly namesKept: number;
  readonly stoppedBy?: AppError;
}

/** Tickets looked ahead at, at least: enough to find some that share no contact. */
const LEAST_LOOKAHEAD = 256;

interface Offer {
  readonly planned: PlannedTicket;
  readonly creates: number;
}

interface Ready {
  readonly item: Offer;
  readonly held: HeldContacts;
}

/** Resolves however the run ends; rejects only for a defect, after everything in flight has ended. */
export async function push(
  work: AsyncIterable<PlannedTicket>,
  deps: runControl.PushDeps,
  options: PushOptions,
  signals: runControl.PushSignals,
): Promise<PushResult> {
  const control = new runControl.RunControl(signals, deps.clock, options.timeoutMs);
  try {
    return await new PushRun(deps, options, control).execute(work);
  } finally {
    control.end();
  }
}

class PushRun {
  readonly #deps: runControl.PushDeps;
  readonly #options: PushOptions;
  readonly #control: runControl.RunControl;
  readonly #limiter: Slots;
  readonly #line = new ContactLine<Offer>();
  readonly #carrier: TicketCarrier;
  readonly #tickets = { done: 0, failed: 0, inDoubt: 0, pending: 0 };
  #inFlight = 0;
  #messagesSent = 0;
  #eventsSent = 0;
  #updated = 0;
  #isAllTaken = false;
  #isReading = false;
  readonly #settling = new Settling<Ready>(() => this.#changed());
  #kept: PlannedTicket | undefined;
  #change = Promise.withResolvers<void>();

  constructor(deps: runControl.PushDeps, options: PushOptions, control: runControl.RunControl) {
    this.#deps = deps;
    this.#options = options;
    this.#control = control;
    const { concurrency, facts: known = {}, source } = options;
    this.#limiter = new Slots(concurrency);
    const lateMs = LATE * options.timeoutMs;
    const facts = new TargetFacts({ ...deps, control, lateMs }, known, source);
    this.#carrier = new TicketCarrier({ ...deps, control, facts, creates: this.#settling, lateMs }, options);
  }

  async execute(work: AsyncIterable<PlannedTicket>): Promise<PushResult> {
    this.#control.taking.addEventListener('abort', () => this.#changed(), { once: true });
    const spent = runControl.exceeded(this.#options.maxErrors, 0);
    if (spent !== undefined) this.#control.stop(spent);
    const tickets = work[Symbol.asyncIterator]();
    this.#read(tickets).catch((error: unknown) => this.#control.stop(error));
    await this.#dispatch();
    while (this.#inFlight > 0) await this.#change.promise;
    this.#tickets.pending +=
      this.#line.waiting + (this.#settling.holdsLast ? 1 : 0) + (this.#kept === undefined ? 0 : 1);
    // Lets the plan close its files. Not awaited: one busy with the next ticket ends behind it.
    const closed = this.#isAllTaken ? undefined : tickets.return?.().catch(() => undefined);
    if (!this.#isReading) await closed;
    await this.#deps.ledger.flush().catch((error: unknown) => this.#control.stop(error));
    const { reason, isStopping } = this.#control;
    if (isStopping && !(reason instanceof AppError)) throw reason;
    return {
      tickets: this.#tickets,
      messagesSent: this.#messagesSent,
      eventsSent: this.#eventsSent,
      updated: this.#updated,
      doubted: [...this.#settling.doubted],
      lastCreated: this.#settling.lastCreated,
      namesKept: this.#carrier.names.kept,
      ...(reason instanceof AppError && { stoppedBy: reason }),
    };
  }

  /** Wakes all waiters. A change is not kept: look first, then wait, in the same turn. */
  #changed(): void {
    this.#change.resolve();
    this.#change = Promise.withResolvers<void>();
  }

  /** Offers a ticket once it is known whether another follows: the last one waits for doubts. */
  async #read(tickets: AsyncIterator<PlannedTicket>): Promise<void> {
    while (!this.#control.isStopping) {
      const held = this.#inFlight - this.#settling.doubts + this.#line.waiting;
      const isFull = held >= Math.max(4 * this.#limiter.limit, LEAST_LOOKAHEAD);
      if (isFull || this.#settling.isFull) {
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
    const { action, contacts, ticket } = offer.planned;
    if (action.do === 'create') {
      this.#settling.offered();
      if (ticket.contact !== undefined) this.#carrier.names.expect(ticket.contact.email);
    }
    this.#line.offer(offer, action.do === 'finish' && action.from === 'events' ? [] : contacts);
    this.#changed();
  }

  async #dispatch(): Promise<void> {
    const { doubts: settler } = this.#carrier;
    const settling = this.#settling;
    while (!this.#control.isStopping) {
      if (this.#isIdle && this.#isAllTaken && settling.doubts === 0) break;
      if (this.#isIdle && settling.doubts > 0 && settling.isQuiet) {
        await settling.prove((doubts) => settler.prove(doubts));
        continue;
      }
      const isLastDue = settling.holdsLast && settling.isQuiet;
      if ((!this.#line.hasReady && !isLastDue) || !this.#limiter.tryAcquire()) {
        await this.#change.promise;
        continue;
      }
      const next = isLastDue ? settling.takeLast() : this.#line.take();
      if (next === undefined) continue;
      const isCreate = next.item.planned.action.do === 'create';
      if (isCreate && this.#isAllTaken && settling.keepsLast(next)) this.#limiter.release();
      else void this.#carry(next);
    }
    settling.end();
  }

  get #isIdle(): boolean {
    const { isFull, holdsLast, isCreating } = this.#settling;
    return (this.#isAllTaken || isFull) && this.#line.waiting === 0 && !holdsLast && !isCreating;
  }

  /** Never rejects: what the carrier throws stops the run. */
  async #carry({ item: { planned, creates }, held: contacts }: Ready): Promise<void> {
    const slot = new runControl.Slot(this.#limiter, () => this.#changed());
    const job: runControl.TicketJob = { planned, contacts, slot, creates };
    this.#settling.begun(job);
    this.#inFlight += 1;
    try {
      const end = await this.#carrier.carry(job).catch((error: unknown) => this.#cutShort(planned, error));
      slot.release();
      contacts.release();
      const isAgain = end.again === true && !this.#control.isStopping;
      if (isAgain) this.#offer({ planned: { ...planned, action: { do: 'create' } }, creates: job.creates });
      else this.#settle(planned, end);
    } catch (defect) {
      // A listener that throws is a defect.
      this.#control.stop(defect);
    }
    this.#settling.ended(job);
    this.#inFlight -= 1;
    this.#changed();
  }

  /** The run ends with this ticket under way. */
  #cutShort({ externalId }: PlannedTicket, error: unknown): runControl.TicketResult {
    this.#control.stopFor(error);
    const { state, ticketId, problem } = recordOf(this.#deps.ledger, externalId);
    if (state === 'creating' || state === 'inDoubt') return runControl.ticketResult('inDoubt', { problem });
    return runControl.ticketResult(state === 'done' ? 'done' : 'pending', { ticketId });
  }

  #settle({ externalId }: PlannedTicket, end: runControl.TicketResult): void {
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
    const spent =
      outcome === 'failed' ? runControl.exceeded(this.#options.maxErrors, this.#tickets.failed) : undefined;
    if (spent !== undefined) this.#control.stop(spent);
  }
}
