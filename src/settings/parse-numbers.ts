/** Numbers as people write them on a command line, each with a sentence for what is none. */
import { bad, good, type Parsed, type Parser, quoted } from './parsed.ts';

/** At most `requests` requests in any window of `seconds`. */
export interface Rate {
  readonly requests: number;
  readonly seconds: number;
}

/** Stop when more tickets than this are rejected or failed. */
export type MaxErrors =
  | { readonly kind: 'count'; readonly count: number }
  | { readonly kind: 'percent'; readonly percent: number };

/** Part `index` of `count`, from 1. */
export interface Shard {
  readonly index: number;
  readonly count: number;
}

const DIGITS = /^\d{1,15}$/;
const DECIMAL = /^\d{1,12}(\.\d{1,6})?$/;

/** A whole number within bounds. */
export function wholeNumber(least: number, most = Number.MAX_SAFE_INTEGER): Parser<number> {
  const range =
    most === Number.MAX_SAFE_INTEGER
      ? `a whole number of at least ${least}`
      : `a whole number from ${least} to ${most}`;
  return (text) => {
    const number = DIGITS.test(text) ? Number(text) : Number.NaN;
    return number >= least && number <= most ? good(number) : bad(`must be ${range}, and is ${quoted(text)}`);
  };
}

/** `8` or `auto`. */
export function parseConcurrency(text: string): Parsed<number | 'auto'> {
  if (text === 'auto') return good('auto' as const);
  const number = wholeNumber(1, 1024)(text);
  return 'value' in number
    ? number
    : bad(`must be "auto" or a whole number from 1 to 1024, and is ${quoted(text)}`);
}

/** `1000/60`: requests, a slash, seconds. */
export function parseRate(text: string): Parsed<Rate> {
  const match = /^(\d{1,9})\s*\/\s*(\d{1,6}(?:\.\d{1,3})?)$/.exec(text);
  const requests = Number(match?.[1] ?? 0);
  const seconds = Number(match?.[2] ?? 0);
  if (requests >= 1 && seconds > 0) return good({ requests, seconds });
  return bad(
    `must be requests/seconds, such as 1000/60 for a thousand requests in any minute, and is ${quoted(text)}`,
  );
}

/** `50` tickets or `5%` of those that were tried. */
export function parseMaxErrors(text: string): Parsed<MaxErrors> {
  const percent = /^(\d{1,3}(?:\.\d{1,4})?)\s*%$/.exec(text)?.[1];
  if (percent !== undefined && Number(percent) <= 100)
    return good({ kind: 'percent' as const, percent: Number(percent) });
  if (DIGITS.test(text)) return good({ kind: 'count' as const, count: Number(text) });
  return bad(`must be a number of tickets, such as 50, or a share from 0% to 100%, and is ${quoted(text)}`);
}

const UNITS: Readonly<Record<string, number>> = { '': 1, ms: 0.001, s: 1, m: 60, min: 60, h: 3600 };

/** Seconds: `30`, or with a unit `500ms`, `30s`, `10m`, `1h`. */
export function durationInSeconds(least: number, most: number): Parser<number> {
  return (text) => {
    const match = /^([\d.]+)\s*(ms|s|m|min|h)?$/.exec(text);
    const amount = match?.[1] ?? '';
    const seconds = DECIMAL.test(amount) ? Number(amount) * (UNITS[match?.[2] ?? ''] ?? 1) : Number.NaN;
    if (seconds >= least && seconds <= most) return good(seconds);
    return bad(`must be seconds from ${least} to ${most}, such as 30 or 10m, and is ${quoted(text)}`);
  };
}

/** Where a CI or a cluster says which of its parallel jobs this is, in the order of preference. */
const PARALLEL_JOBS = [
  { index: 'JOB_COMPLETION_INDEX', count: 'JOB_COMPLETIONS', first: 0 },
  { index: 'CI_NODE_INDEX', count: 'CI_NODE_TOTAL', first: 1 },
  { index: 'CIRCLE_NODE_INDEX', count: 'CIRCLE_NODE_TOTAL', first: 0 },
  { index: 'BUILDKITE_PARALLEL_JOB', count: 'BUILDKITE_PARALLEL_JOB_COUNT', first: 0 },
] as const;

/** `2/4`: part 2 of 4; or `auto`, which takes both from the environment of a parallel job. */
export function parseShard(text: string, env: Readonly<Record<string, string | undefined>>): Parsed<Shard> {
  if (text === 'auto') {
    for (const { index, count, first } of PARALLEL_JOBS) {
      const [at, of] = [env[index], env[count]];
      if (at === undefined || of === undefined || !DIGITS.test(at) || !DIGITS.test(of)) continue;
      return parseShard(`${Number(at) - first + 1}/${of}`, {});
    }
    const names = PARALLEL_JOBS.map(({ index, count }) => `${index} and ${count}`).join(', ');
    return bad(`is "auto", and the environment does not say which part this is (looked for ${names})`);
  }
  const match = /^(\d{1,5})\s*\/\s*(\d{1,5})$/.exec(text);
  const [index, count] = [Number(match?.[1] ?? 0), Number(match?.[2] ?? 0)];
  if (index >= 1 && index <= count) return good({ index, count });
  return bad(
    `must be part/parts counted from 1, such as 2/4 for the second of four, or "auto", and is ${quoted(text)}`,
  );
}
