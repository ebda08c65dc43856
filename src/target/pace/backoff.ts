/**
 * How long to wait before trying again: exponential, bounded, with full jitter (uniform between zero and the bound), so
 * that requests that failed together do not come back together.
 */
import type { Random } from '../../domain/clock.ts';

export interface BackoffRules {
  /** Upper bound of the first wait, milliseconds. */
  readonly firstMs: number;
  /** No wait is longer, milliseconds. */
  readonly maxMs: number;
}

export const RETRY_BACKOFF: BackoffRules = { firstMs: 500, maxMs: 30_000 };

/** Upper bound of the wait before attempt `retry` (1 for the first time that something is sent again). */
export function backoffCeiling(retry: number, rules: BackoffRules): number {
  // 2^31 exceeds every sensible bound; beyond it the power would only lose precision.
  return Math.min(rules.maxMs, rules.firstMs * 2 ** Math.min(31, Math.max(0, retry - 1)));
}

export function backoff(retry: number, random: Random, rules: BackoffRules = RETRY_BACKOFF): number {
  return random() * backoffCeiling(retry, rules);
}

/**
 * The same growth without the risk of hardly any wait: between half the bound and the bound. For one prober that
 * nobody competes with, where zero would only be a second failure at once.
 */
export function steadyBackoff(retry: number, random: Random, rules: BackoffRules): number {
  const ceiling = backoffCeiling(retry, rules);
  return ceiling / 2 + (random() * ceiling) / 2;
}
