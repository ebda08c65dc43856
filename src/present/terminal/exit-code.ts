/** With which code the process ends (contract, "Exit codes"): a pure decision over what a run came to. */
import { type AppError, ERROR_CODES } from '../../domain/errors.ts';
import type { OutcomeCounts } from '../../domain/ticket-state.ts';

export interface RunResult {
  readonly tickets: OutcomeCounts;
  /** What stopped the run, if anything did; several where one led to another. */
  readonly stoppedBy?: readonly AppError[];
  /** Whether rows of tickets are lost of which nobody knows whose they are. */
  readonly lostRows?: boolean;
  /** Whether a check of the trial failed. */
  readonly failedChecks?: boolean;
  /** The target has a ticket more than once. */
  readonly duplicates?: boolean;
}

/**
 * Where several apply, the first of these. A defect comes before all: nothing else that is said can be relied on then.
 * 2 comes next: what the run was told, or what it read, cannot be relied on, so that no count of tickets is the whole of it.
 */
const PRECEDENCE: readonly number[] = [1, 2, 130, 143, 5, 6, 4, 3];

export function exitCodeOf({
  tickets,
  stoppedBy = [],
  failedChecks = false,
  duplicates = false,
  lostRows = false,
}: RunResult): number {
  const codes = new Set<number>(stoppedBy.map(({ code }) => ERROR_CODES[code]));
  if (tickets.inDoubt > 0 || duplicates) codes.add(4);
  if (tickets.rejected > 0 || tickets.failed > 0 || failedChecks || lostRows) codes.add(3);
  return PRECEDENCE.find((code) => codes.has(code)) ?? 0;
}
