/** One ticket on its way through the push, and what came of it. */
import type { Clock, Random } from '../domain/clock.ts';
import type { Ledger, TicketProblem } from '../domain/ledger.ts';
import type { PlannedTicket } from '../domain/planned.ts';
import type { Emit } from '../domain/run-events.ts';
import type { TicketApi } from '../domain/ticket-api.ts';
import type { Admitted } from './admission.ts';
import type { RunControl } from './run-control.ts';
import type { Slot } from './slot.ts';
import type { TargetReader } from './target-reader.ts';

export interface PushDeps {
  readonly api: TicketApi;
  readonly ledger: Ledger;
  /** The newest name that the export has for a contact. */
  readonly names: { nameOf(email: string): string | undefined };
  readonly clock: Clock;
  readonly random: Random;
  readonly emit: Emit;
}

export type OnInDoubt = 'hold' | 'lookup' | 'retry';

export interface TicketJob {
  readonly planned: PlannedTicket;
  /** What it looks like (identity.ts), where it may be created. */
  readonly likeness: string | undefined;
  /** Its contacts and its likeness, reserved until they are known or given back. */
  readonly admitted: Pick<Admitted<unknown>, 'know' | 'release'>;
  readonly slot: Slot;
  /** Creates that were sent for it by this process. */
  creates: number;
}

export interface Fate {
  /** `pending`: nothing is wrong with it, and the next run goes on with it. */
  readonly outcome: 'done' | 'failed' | 'inDoubt' | 'pending';
  readonly ticketId?: string;
  readonly problem?: TicketProblem;
  /** What a person should know although nothing went wrong. */
  readonly warnings?: readonly TicketProblem[];
  /** Messages and events of the export that the target has now, and had not before. */
  readonly messages: number;
  readonly events: number;
  /** The run stops for this. */
  readonly stop?: unknown;
}

export interface CarryDeps extends PushDeps {
  readonly control: RunControl;
  readonly reader: TargetReader;
}

export function fate(outcome: Fate['outcome'], details: Partial<Fate> = {}): Fate {
  return { messages: 0, events: 0, ...details, outcome };
}
