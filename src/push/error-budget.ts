/** How many tickets may be rejected or fail before the run stops (`--max-errors`). Pure. */
import { AppError } from '../domain/errors.ts';

export type ErrorLimit = { readonly count: number } | { readonly percent: number };

/** The number of tickets that may go wrong out of `total`. A share of a ticket is none. */
export function allowedErrors(limit: ErrorLimit, total: number): number {
  return 'count' in limit ? limit.count : Math.floor((limit.percent / 100) * total);
}

export interface ErrorBudget {
  /** Tickets that may be rejected or fail; one more stops the run. */
  readonly allowed: number;
  /** Tickets that were rejected before the push began. */
  readonly already: number;
}

/** AppError `error-budget` when the budget is exceeded. `what`: the records that are counted, in the plural. */
export function exceeded(
  budget: ErrorBudget | undefined,
  failed: number,
  what = 'tickets',
): AppError | undefined {
  if (budget === undefined || budget.already + failed <= budget.allowed) return undefined;
  return new AppError(
    'error-budget',
    `${budget.already + failed} ${what} were rejected or failed, more than the ${budget.allowed} allowed by --max-errors.`,
    {
      hint: 'Look at the problems and the rejects; then run the same command again: it goes on where it stopped.',
    },
  );
}
