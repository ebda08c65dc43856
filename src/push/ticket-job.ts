/** One ticket on its way through the push, and what came of it. */
import type { Clock, Random } from '../domain/clock.ts';
import type { Ledger, TicketProblem } from '../domain/ledger.ts';
import type { Emit } from '../domain/run-events.ts';
import type { PlannedTicket } from '../domain/ticket.ts';
import type { TargetFacts as KnownFacts, TicketApi } from '../domain/ticket-api.ts';
import type { Slots } from '../target/slots.ts';
import type { HeldContacts } from './contacts.ts';
import type { Proof } from './doubt.ts';
import type { RunControl } from './run-control.ts';
import type { TargetFacts } from './target-facts.ts';

export interface PushDeps {
  readonly api: TicketApi;
  readonly ledger: Ledger;
  /** The newest name that the export has for a contact. */
  readonly names: { nameOf(email: string): string | undefined };
  readonly clock: Clock;
  readonly random: Random;
  readonly emit: Emit;
  /** Called once for each fact that the first tickets showed, for later runs. */
  readonly learnt?: ((facts: KnownFacts) => void) | undefined;
}

export interface CarryDeps extends PushDeps {
  readonly control: RunControl;
  readonly facts: TargetFacts;
  readonly creates: Creates;
  /** For so long the target may still carry out a request whose outcome is unknown: the time-out and a margin, milliseconds. */
  readonly lateMs: number;
}

export interface TicketJob {
  readonly planned: PlannedTicket;
  /** Its contacts, held until they are known or given back. */
  readonly contacts: HeldContacts;
  readonly slot: Slot;
  /** Creates that were sent for it by this process. */
  creates: number;
}

export interface TicketResult {
  readonly outcome: 'done' | 'failed' | 'inDoubt' | 'pending';
  /** It is known not to exist, and is to be created anew by this run: this was not its end. */
  readonly again?: boolean;
  readonly ticketId?: string;
  readonly problem?: TicketProblem;
  /** What a person should know although nothing went wrong. */
  readonly warnings?: readonly TicketProblem[];
  /** Messages and events of the export that the target has now, and had not before. */
  readonly messages: number;
  readonly events: number;
  /** A delta changed fields of the ticket itself. */
  readonly updated?: boolean | undefined;
  /** People deleted it in the target. */
  readonly isGone?: true;
  /** The run stops for this. */
  readonly stop?: unknown;
}

export function ticketResult(
  outcome: TicketResult['outcome'],
  details: Partial<TicketResult> = {},
): TicketResult {
  return { messages: 0, events: 0, ...details, outcome };
}

/** What the loop keeps of creates. */
export interface Creates {
  /** It is in the target now. */
  created(job: TicketJob): void;
  /** From here to `closed` its outcome is unknown, and it waits without a slot. */
  opened(job: TicketJob): void;
  /** Resolves when nothing is being created, with what the list of the target proves then; with undefined when the run stops. */
  proof(job: TicketJob): Promise<Proof | undefined>;
  closed(job: TicketJob): void;
}

/** The slot of one ticket, acquired already: held while it works, given back while it waits, and never given back twice. */
export class Slot {
  readonly #limiter: Slots;
  readonly #onFree: () => void;
  #isHeld = true;

  constructor(limiter: Slots, onFree: () => void = () => undefined) {
    this.#limiter = limiter;
    this.#onFree = onFree;
  }

  /** Whether it is held: not where the run stops before it is free. */
  async taken({ taking }: Pick<RunControl, 'taking'>): Promise<boolean> {
    if (this.#isHeld) return true;
    try {
      await this.#limiter.acquire(taking);
    } catch (error) {
      if (taking.aborted) return false;
      throw error;
    }
    this.#isHeld = true;
    return true;
  }

  release(): void {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    this.#limiter.release();
    this.#onFree();
  }
}
