/**
 * How long to wait before trying again: exponential, bounded, with full jitter (uniform between zero and the bound), so
 * that requests that failed together do not come back together; or for as long as the service asks.
 */
import type { Random } from '../domain/clock.ts';
import { AppError } from '../domain/errors.ts';
import { headerOf, type Reply } from './http.ts';

/** How long a target may make no progress, for whatever reason, before the run stops. */
export const GIVE_UP_AFTER_MS = 600_000;

export interface BackoffRules {
  /** Upper bound of the first wait, milliseconds. */
  readonly firstMs: number;
  /** No wait is longer, milliseconds. */
  readonly maxMs: number;
}

const RETRY_BACKOFF: BackoffRules = { firstMs: 500, maxMs: 30_000 };

/** Upper bound of the wait before attempt `retry` (1 for the first time that something is sent again). */
function backoffCeiling(retry: number, rules: BackoffRules): number {
  return Math.min(rules.maxMs, rules.firstMs * 2 ** Math.min(31, Math.max(0, retry - 1)));
}

export function backoff(retry: number, random: Random): number {
  return random() * backoffCeiling(retry, RETRY_BACKOFF);
}

/**
 * The same growth without the risk of hardly any wait: between half the bound and the bound. For one prober that
 * no other client competes with, where zero would only be a second failure at once.
 */
export function steadyBackoff(retry: number, random: Random, rules: BackoffRules): number {
  const ceiling = backoffCeiling(retry, rules);
  return ceiling / 2 + (random() * ceiling) / 2;
}

/** Ten digits of seconds are three hundred years: that is no real pause. */
const SECONDS = /^\d{1,9}(?:\.\d{1,9})?$/;
const HTTP_DATE = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*, .* GMT$/;

/**
 * `Retry-After`, seconds or an HTTP date (RFC 9110, 10.2.3), as milliseconds from the moment of the answer; undefined for an
 * absent or senseless value. It is never shortened here.
 * @param answerDate the answer's own `Date` header: a date is measured against the clock that wrote it
 * @param now this machine's wall clock in milliseconds, where the answer has no usable `Date`
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

/** The pause that a reply asks for, milliseconds. */
export function askedPause(reply: Reply, now: number): number {
  if (reply.type === 'breakdown') return 0;
  return retryAfterMs(headerOf(reply, 'retry-after'), headerOf(reply, 'date'), now) ?? 0;
}

/** Why a request is sent again: a phrase for a person. */
export function causeOf(reply: Reply): string {
  return reply.type === 'answer' ? (reply.cut ?? `status ${reply.status}`) : reply.message;
}

/** For a person: seconds under a minute, whole minutes above. */
export function inTimeUnits(ms: number): string {
  const [count, unit] =
    ms < 59_500 ? [Math.round(ms / 1_000), 'second'] : [Math.round(ms / 60_000), 'minute'];
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}

/** Why waiting for a target ends. */
export function stopReason(stopping: AbortSignal): AppError {
  if (stopping.reason instanceof AppError) return stopping.reason;
  return new AppError('interrupted', 'The import was interrupted.', {
    hint: 'Run the same command again: it continues where it stopped.',
  });
}

/** Waits for work, or until this caller has had enough; the work goes on for the others. Leaves no listener. */
export async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  // Abandoned work may still fail; that is not an unhandled error.
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
