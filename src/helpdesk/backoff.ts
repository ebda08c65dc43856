/** How long to wait: as long as the service asks, or exponentially with jitter, so that requests do not come back together. */

import { AppError } from '../domain/errors.ts';
import type { Random } from '../domain/ports.ts';
import { countOf } from '../domain/printable.ts';
import { stop } from '../domain/text/stops.ts';
import { headerOf, type Reply } from './http.ts';

/** How long the helpdesk may make no progress before the run stops. */
export const GIVE_UP_AFTER_MS = 600_000;

export interface BackoffRules {
  readonly firstMs: number;
  readonly maxMs: number;
}

const RETRY_BACKOFF: BackoffRules = { firstMs: 500, maxMs: 30_000 };

function backoffCeiling(retry: number, rules: BackoffRules): number {
  return Math.min(rules.maxMs, rules.firstMs * 2 ** Math.min(31, Math.max(0, retry - 1)));
}

export function backoff(retry: number, random: Random): number {
  return random() * backoffCeiling(retry, RETRY_BACKOFF);
}

/** Between half the bound and the bound: for a prober without competitors. */
export function steadyBackoff(retry: number, random: Random, rules: BackoffRules): number {
  const ceiling = backoffCeiling(retry, rules);
  return ceiling / 2 + (random() * ceiling) / 2;
}

/** Ten digits of seconds are no real pause. */
const SECONDS = /^\d{1,9}(?:\.\d{1,9})?$/;
const HTTP_DATE = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*, .* GMT$/;

/**
 * `Retry-After` (RFC 9110, 10.2.3) in milliseconds; undefined if absent or senseless. @param answerDate the answer's `Date`: a
 * date is measured against the clock that wrote it, else against `now`
 */
export function retryAfterMs(
  value: string | undefined,
  answerDate: string | undefined,
  now: number,
): number | undefined {
  const text = value?.trim() ?? '';
  if (SECONDS.test(text)) return Math.ceil(Number(text) * 1000);
  const until = httpDate(text);
  return until === undefined ? undefined : Math.max(0, until - (httpDate(answerDate?.trim() ?? '') ?? now));
}

function httpDate(text: string): number | undefined {
  const ms = HTTP_DATE.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(ms) ? undefined : ms;
}

export function askedPause(reply: Reply, now: number): number {
  if (reply.type === 'breakdown') return 0;
  return retryAfterMs(headerOf(reply, 'retry-after'), headerOf(reply, 'date'), now) ?? 0;
}

export function causeOf(reply: Reply): string {
  return reply.type === 'answer' ? (reply.cut ?? `status ${reply.status}`) : reply.message;
}

/** Seconds under a minute, whole minutes above. */
export function inTimeUnits(ms: number): string {
  const [count, unit] =
    ms < 59_500 ? [Math.round(ms / 1_000), 'second'] : [Math.round(ms / 60_000), 'minute'];
  return countOf(count, unit);
}

export function stopReason(stopping: AbortSignal): AppError {
  if (stopping.reason instanceof AppError) return stopping.reason;
  return stop('interrupted');
}

/** The work continues for other callers. Leaves no listener. */
export async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  work.catch(() => {});
  signal.throwIfAborted();
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
