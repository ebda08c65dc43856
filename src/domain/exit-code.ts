import { type AppError, ERROR_CODES } from './errors.ts';
import { OUTCOMES, type Outcome, type OutcomeCounts } from './ticket-state.ts';

interface RunResult {
  readonly tickets: OutcomeCounts;
  /** One may lead to another. */
  readonly stoppedBy?: readonly AppError[];
  /** A check of the trial failed, rows were lost, or the export is older than the import. */
  readonly isFlawed?: boolean;
  readonly duplicates?: boolean;
  readonly mustReachAll?: boolean;
}

const CODES: Partial<Readonly<Record<Outcome, number>>> = { rejected: 3, failed: 3, inDoubt: 4 };

/** If several apply, the first. After an internal error nothing else is reliable; after 2 the counts are incomplete. */
const PRECEDENCE: readonly number[] = [1, 2, 130, 143, 5, 6, 4, 3];

export function exitCodeOf({
  tickets,
  stoppedBy = [],
  isFlawed,
  duplicates,
  mustReachAll,
}: RunResult): number {
  const codes = new Set<number>(stoppedBy.map(({ code }) => ERROR_CODES[code]));
  for (const outcome of OUTCOMES) if (tickets[outcome] > 0) codes.add(CODES[outcome] ?? 0);
  if (duplicates) codes.add(4);
  if (isFlawed) codes.add(3);
  if (mustReachAll && tickets.pending > 0) codes.add(ERROR_CODES.unreachable);
  return PRECEDENCE.find((code) => codes.has(code)) ?? 0;
}
