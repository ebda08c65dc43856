/** One ticket on its way through the push, and what came of it. */
import type { Clock, Random } from '../domain/clock.ts';
import { identityTag } from '../domain/identity.ts';
import type { CreateIntent, Ledger, TicketProblem } from '../domain/ledger.ts';
import type { Limiter, LimiterSample } from '../domain/limits.ts';
import type { Emit } from '../domain/run-events.ts';
import type { PlannedTicket } from '../domain/ticket.ts';
import type { TargetFacts, TicketApi } from '../domain/ticket-api.ts';
import type { Admitted } from './admission.ts';
import type { MessageIds } from './message-ids.ts';
import type { RunControl } from './run-control.ts';
import type { TargetReader } from './target-reader.ts';

export interface PushDeps {
  readonly api: TicketApi;
  readonly ledger: Ledger;
  /** The newest name that the export has for a contact. */
  readonly names: { nameOf(email: string): string | undefined };
  readonly clock: Clock;
  readonly random: Random;
  readonly emit: Emit;
  /** Called once for each fact that the first tickets showed, for later runs. */
  readonly learnt?: ((facts: TargetFacts) => void) | undefined;
}

export interface TicketJob {
  readonly planned: PlannedTicket;
  /** Its contacts, reserved until they are known or given back. */
  readonly admitted: Pick<Admitted<unknown>, 'know' | 'release'>;
  readonly slot: Slot;
  /** Creates that were sent for it by this process. */
  creates: number;
}

export interface TicketResult {
  /** `pending`: nothing is wrong with it, and the next run goes on with it. */
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
  /** The run stops for this. */
  readonly stop?: unknown;
}

export interface CarryDeps extends PushDeps {
  readonly control: RunControl;
  readonly reader: TargetReader;
  readonly messageIds: MessageIds;
  readonly creates: Creates;
  /** For so long the target may still carry out a request whose outcome is unknown: the time-out and the margin, milliseconds. */
  readonly lateMs: number;
}

/** What the loop keeps of creates, and what a ticket in doubt needs of it. */
export interface Creates {
  /** It is in the target now. */
  created(job: TicketJob): void;
  /** From here to `closed` it waits, without a slot; nothing of its create can be under way after `dueAt` (monotonic clock). */
  opened(job: TicketJob, dueAt: number): void;
  due(): void;
  closed(job: TicketJob): void;
  /** Whether tickets are created yet, or may be, that prove what the list shows. */
  mayFollow(): boolean;
  /** How many tickets the target may have of this source without there being one too many. */
  mostTickets(): { readonly known: number; readonly most: number } | undefined;
}

export function ticketResult(
  outcome: TicketResult['outcome'],
  details: Partial<TicketResult> = {},
): TicketResult {
  return { messages: 0, events: 0, ...details, outcome };
}

/**
 * What is recorded before a create is sent, so that its ticket is recognised where the answer does not come: the intent to create it, `at` milliseconds since the epoch. `source`: the name of the source where its tickets carry
 * their identity.
 */
export function intentOf(
  { ticket, externalId }: PlannedTicket,
  at: number,
  source: string | undefined,
): CreateIntent {
  return {
    subject: ticket.subject,
    createdAt: ticket.createdAt,
    ...(ticket.contact === undefined ? {} : { email: ticket.contact.email }),
    ...(ticket.contactId === undefined ? {} : { contactId: ticket.contactId }),
    ...(source === undefined ? {} : { tag: identityTag(source, externalId) }),
    at,
  };
}

/** What the target takes it for where nothing is said (2.1). */
export function statusOf({ ticket }: PlannedTicket): string {
  return ticket.status ?? 'open';
}

/** The slot of one ticket: taken while it works, given back while it waits, and never given back twice. */
export class Slot {
  readonly #limiter: Limiter;
  readonly #onFree: (() => void) | undefined;
  #isHeld: boolean;

  /** `isHeld`: it was acquired already. `onFree` is called whenever it is given back. */
  constructor(limiter: Limiter, isHeld: boolean, onFree?: () => void) {
    this.#limiter = limiter;
    this.#isHeld = isHeld;
    this.#onFree = onFree;
  }

  async hold(signal: AbortSignal): Promise<void> {
    if (this.#isHeld) return;
    await this.#limiter.acquire(signal);
    this.#isHeld = true;
  }

  release(outcome: LimiterSample['outcome']): void {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    this.#limiter.release({ outcome });
    this.#onFree?.();
  }
}
