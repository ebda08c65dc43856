/** What became of a ticket, kept apart everywhere (contract, "Words"). */
export const OUTCOMES = ['done', 'rejected', 'failed', 'inDoubt', 'skipped', 'pending'] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** Counts by outcome. Invariant: read = done + rejected + failed + inDoubt + skipped + pending. */
export type OutcomeCounts = Record<Outcome, number> & { read: number };

export function emptyCounts(): OutcomeCounts {
  return { read: 0, done: 0, rejected: 0, failed: 0, inDoubt: 0, skipped: 0, pending: 0 };
}
