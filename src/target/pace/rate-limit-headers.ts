/**
 * What a service says about its limits in the headers of an answer, as far as it is a reason to go slower. It is never
 * a reason to go faster than the settings allow.
 *
 * Read are `RateLimit` and `RateLimit-Policy` in the structured form (`"default";r=5;t=10`, `"default";q=100;w=60`) and
 * in the older one (`limit=100, remaining=5, reset=10`, `100;w=60`), and the older triples `RateLimit-*`, `X-RateLimit-*`
 * and `X-Rate-Limit-*` of Limit, Remaining and Reset. Reset is in seconds or, where it is as large as a date, a time since the epoch.
 */
import type { Rate } from '../../domain/limits.ts';

export type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

export interface RateLimitNews {
  /** What the service grants: `requests` in `seconds`. */
  readonly policies: readonly Rate[];
  readonly limit?: number | undefined;
  readonly remaining?: number | undefined;
  /** Milliseconds from the answer until `remaining` is renewed. */
  readonly resetMs?: number | undefined;
}

/** How the next requests should go; nothing where the service says nothing that matters. */
export interface Slowdown {
  /** Nothing is sent for so long, milliseconds. */
  readonly holdMs?: number | undefined;
  /** At least so long between two requests, milliseconds, … */
  readonly spacingMs?: number | undefined;
  /** … for so long, milliseconds; without it for as long as the service says so. */
  readonly forMs?: number | undefined;
}

const TRIPLES = ['ratelimit-', 'x-ratelimit-', 'x-rate-limit-'] as const;
const NAMES = [
  'ratelimit',
  'ratelimit-policy',
  ...TRIPLES.flatMap((prefix) => [`${prefix}limit`, `${prefix}remaining`]),
];

/** Whether there is anything to parse; hardly any answer of most services has such headers. */
export function saysRateLimit(headers: Headers): boolean {
  for (const name of NAMES) if (headers[name] !== undefined) return true;
  return false;
}

/**
 * @param answerDate time of the answer by the service's own clock, milliseconds: a reset given as a time is measured
 *   against it
 */
export function parseRateLimit(headers: Headers, answerDate: number): RateLimitNews | undefined {
  if (!saysRateLimit(headers)) return undefined;
  const policies = parsePolicies(text(headers['ratelimit-policy']));
  const combined = parseRemaining(text(headers['ratelimit']));
  const limit = combined.get('limit') ?? first(headers, 'limit');
  const remaining = combined.get('r') ?? combined.get('remaining') ?? first(headers, 'remaining');
  const reset = combined.get('t') ?? combined.get('reset') ?? first(headers, 'reset');
  if (policies.length === 0 && limit === undefined && remaining === undefined) return undefined;
  return {
    policies,
    limit,
    remaining,
    resetMs: reset === undefined ? undefined : resetMs(reset, answerDate),
  };
}

/**
 * A policy that is stricter than our own spacing sets the spacing. A remainder of zero holds everything until the reset.
 * A small remainder spreads what is left over the time until the reset, but only where the limit is none that we
 * keep ourselves: within a window that we keep, running low is what using it fully looks like.
 * @param spacingMs between two requests by our own budgets
 */
export function slowdown(
  news: RateLimitNews,
  budgets: readonly Rate[],
  spacingMs: number,
): Slowdown | undefined {
  const policySpacing = Math.max(0, ...news.policies.map((p) => (p.seconds * 1000) / p.requests));
  const stricter = policySpacing > spacingMs * 1.001 ? { spacingMs: policySpacing } : undefined;
  const { remaining, resetMs: reset, limit } = news;
  if (remaining === undefined || reset === undefined || reset <= 0) return stricter;
  if (remaining <= 0) return { ...stricter, holdMs: reset };
  const known =
    news.policies.length > 0 || (limit !== undefined && budgets.some((budget) => budget.requests === limit));
  const low = limit === undefined ? remaining < 20 : remaining < limit / 5;
  const spread = reset / remaining;
  if (known || !low || spread <= Math.max(spacingMs, policySpacing)) return stricter;
  return { spacingMs: spread, forMs: reset };
}

function parsePolicies(value: string): Rate[] {
  return value.split(',').flatMap((item) => {
    const parameters = parseParameters(item);
    const requests = parameters.get('q') ?? parameters.get('');
    const seconds = parameters.get('w');
    if (requests === undefined || seconds === undefined || requests < 1 || seconds <= 0) return [];
    return [{ requests: Math.floor(requests), seconds }];
  });
}

/** Of several windows the one with the least left. */
function parseRemaining(value: string): Map<string, number> {
  // The older form separates its parameters by commas, the structured one separates windows by them.
  if (!/;\s*r=/.test(value)) return parseParameters(value);
  const left = (window: Map<string, number>) => window.get('r') ?? Number.POSITIVE_INFINITY;
  return value
    .split(',')
    .map(parseParameters)
    .reduce((least, window) => (left(window) < left(least) ? window : least));
}

/** `"name";r=5;t=10`, `limit=10, remaining=5` and `100;w=60` (the bare number under the key ''). The smallest value stands. */
function parseParameters(value: string): Map<string, number> {
  const found = new Map<string, number>();
  for (const part of value.split(/[;,]/)) {
    const [left = '', right] = part.split('=', 2);
    const [key, number] = right === undefined ? ['', left] : [left.trim().toLowerCase(), right];
    const parsed = count(number);
    if (parsed === undefined) continue;
    found.set(key, Math.min(parsed, found.get(key) ?? Number.POSITIVE_INFINITY));
  }
  return found;
}

function first(headers: Headers, name: string): number | undefined {
  for (const prefix of TRIPLES) {
    // Several windows in one header ("1000, 1000;w=60"): the first number is the one that counts now.
    const parsed = count(text(headers[prefix + name]).split(/[;,]/, 1)[0] ?? '');
    if (parsed !== undefined) return parsed;
  }
  return undefined;
}

function resetMs(reset: number, answerDate: number): number {
  if (reset > 1e11) return Math.max(0, reset - answerDate);
  if (reset > 1e8) return Math.max(0, reset * 1000 - answerDate);
  return reset * 1000;
}

function text(value: string | readonly string[] | undefined): string {
  return typeof value === 'string' ? value : (value ?? []).join(', ');
}

function count(value: string): number | undefined {
  const trimmed = value.trim();
  return /^\d{1,15}(?:\.\d{1,9})?$/.test(trimmed) ? Number(trimmed) : undefined;
}
