/**
 * Settles a create of unknown outcome by reading the target: looks, pauses without holding a slot, looks again, and decides by
 * the table in settle-decision.ts. Writes nothing; whoever called records what came of it.
 */
import type { Clock, Random } from '../domain/clock.ts';
import type { CreateIntent, Ledger, TicketProblem } from '../domain/ledger.ts';
import type { TicketApi } from '../domain/ticket-api.ts';
import { type ReadFailure, readFailure } from './failure-meaning.ts';
import type { ListTrust, Reading } from './list-trust.ts';
import { lookFor } from './look.ts';
import type { RunControl } from './run-control.ts';
import { decideDoubt, isSettled, LOOKS, pauseAfter, type SettleRules } from './settle-decision.ts';
import type { Slot } from './slot.ts';

export type Settlement =
  | { readonly outcome: 'adopted'; readonly ticketId: string }
  | { readonly outcome: 'absent' }
  | { readonly outcome: 'held'; readonly problem: TicketProblem }
  /** The target cannot be read at all, which holds for every other doubt of this run too. */
  | { readonly outcome: 'unreadable'; readonly problem: TicketProblem }
  /** The run stopped meanwhile; the doubt stands as it was recorded. `stop`: it stops for what this reading met. */
  | { readonly outcome: 'stopped'; readonly stop?: unknown };

export interface SettleDeps {
  readonly api: TicketApi;
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly random: Random;
  readonly control: RunControl;
  readonly trust: ListTrust;
  readonly rules: SettleRules;
}

/** The slot is held when this ends with `adopted` or `absent`, since there is more to send then. */
export async function settleByReading(
  externalId: string,
  intent: CreateIntent,
  slot: Slot,
  deps: SettleDeps,
): Promise<Settlement> {
  const { control, clock, random, rules } = deps;
  for (let looks = 1; ; looks += 1) {
    const step = control.isStopping ? undefined : await withSlot(slot, control);
    if (step === undefined) return { outcome: 'stopped' };
    const settlement = await oneLook(externalId, intent, looks, deps);
    if (settlement !== undefined) return settlement;
    slot.release('ignore');
    const pauseMs = pauseAfter(looks, rules) * (1 + random() / 4);
    if (!(await slept(clock, pauseMs, control.taking))) return { outcome: 'stopped' };
  }
}

/** Undefined: look again after a pause. */
async function oneLook(
  externalId: string,
  intent: CreateIntent,
  looks: number,
  deps: SettleDeps,
): Promise<Settlement | undefined> {
  const { ledger, clock, control, trust, rules } = deps;
  const reading = readingOf(deps);
  const isTaken = (ticketId: string) => {
    const owner = ledger.ownerOf(ticketId);
    return owner !== undefined && owner !== externalId;
  };
  const sinceIntentMs = Math.max(0, clock.now() - intent.at);
  try {
    const found = await lookFor(intent, reading, isTaken, isSettled(looks, sinceIntentMs, rules));
    const decision = decideDoubt({ ...found, looks, sinceIntentMs }, rules);
    switch (decision.do) {
      case 'adopt':
        return { outcome: 'adopted', ticketId: decision.ticketId };
      case 'hold':
        return { outcome: 'held', problem: holdProblem(decision.because, found) };
      case 'look-again':
        return undefined;
      case 'believe-absent':
        if (await trust.covers(intent.at, reading, ledger)) return { outcome: 'absent' };
        return looks < LOOKS ? undefined : { outcome: 'held', problem: holdProblem('hidden', found) };
    }
  } catch (error) {
    return settlementOfFailure(readFailure(error, control.hard), looks);
  }
}

function settlementOfFailure(failure: ReadFailure, looks: number): Settlement | undefined {
  switch (failure.outcome) {
    case 'stopped':
      return { outcome: 'stopped', ...('stop' in failure ? { stop: failure.stop } : {}) };
    case 'unreadable':
      return { outcome: 'unreadable', problem: failure.problem };
    case 'again':
      return looks < LOOKS ? undefined : { outcome: 'held', problem: failure.problem };
  }
}

function readingOf({ api, control }: SettleDeps): Reading {
  return {
    search: (search) => api.findTickets({ search }, control.hard),
    read: async (ticketId) => {
      try {
        return await api.readTicket(ticketId, control.hard);
      } catch (error) {
        if (readFailure(error, control.hard).outcome === 'unreadable') return undefined;
        throw error;
      }
    },
  };
}

function holdProblem(
  because: 'several' | 'unclear' | 'hidden',
  found: { readonly same: readonly string[]; readonly untold: readonly string[] },
): TicketProblem {
  switch (because) {
    case 'several':
      return {
        code: 'several-matches',
        message: `Several tickets of the target look like this one (${someOf(found.same)}): choose one with "helpdesk-import resolve --adopt".`,
      };
    case 'unclear':
      return {
        code: 'unclear-match',
        message: `The target has a ticket that may be this one (${someOf(found.untold)}) but does not tell its subject, time and contact: settle it with "helpdesk-import resolve".`,
      };
    case 'hidden':
      return {
        code: 'list-incomplete',
        message:
          'The target does not list the tickets that were created last, so it cannot tell whether this one exists: settle it with "helpdesk-import resolve".',
      };
  }
}

function someOf(ids: readonly string[]): string {
  const shown = ids.slice(0, 3).join(', ');
  return ids.length > 3 ? `${shown} and ${ids.length - 3} more` : shown;
}

async function withSlot(slot: Slot, control: RunControl): Promise<true | undefined> {
  try {
    await slot.hold(control.taking);
    return true;
  } catch (error) {
    if (control.isStopping) return undefined;
    throw error;
  }
}

/** False when the signal ended it. */
export async function slept(clock: Clock, ms: number, signal: AbortSignal): Promise<boolean> {
  try {
    await clock.sleep(ms, signal);
    return true;
  } catch (error) {
    if (signal.aborted) return false;
    throw error;
  }
}
