/** How long a plan takes at least, by the rate budget alone. */

export interface Budget {
  readonly requests: number;
  readonly seconds: number;
}

/**
 * Seconds from the first request to the last one, when requests are sent evenly: the budget that allows the fewest in
 * the long run decides, and the first request waits for nothing. Undefined without a budget. What the target takes to
 * answer comes on top only where it is slower than the budget.
 */
export function estimateSeconds(requests: number, budgets: readonly Budget[]): number | undefined {
  if (budgets.length === 0) return undefined;
  const secondsEach = Math.max(...budgets.map(({ requests: most, seconds }) => seconds / most));
  return Math.max(0, requests - 1) * secondsEach;
}
