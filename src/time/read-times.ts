/**
 * From what a source writes to what the API takes: UTC, ISO-8601 with milliseconds.
 *
 * What cannot be understood stays as it is, so that checking names the value that the person knows. A time without a
 * zone, where none is stated, becomes ISO without an offset; a time that the zone skips becomes ISO with the zone in
 * brackets. Checking refuses both, with the right reason.
 */
import { compileTimePattern } from './time-pattern.ts';
import { readEpoch, readTime, type TimeParts } from './time-text.ts';
import { utcMillis, ZoneClock } from './zone-clock.ts';

export interface TimeRules {
  /** `auto` (default), `epoch`, or patterns; the first that fits is taken. */
  readonly formats: readonly string[];
  /** Zone of times that state none. */
  readonly zone: string | undefined;
  /** For `03/04/2025`: decided for the whole column (day-order.ts). */
  readonly dayFirst: boolean | undefined;
}

export type ParseTime = (value: unknown) => unknown;

/** Offsets of RFC 2822's zone names, in minutes. Other abbreviations mean several zones and are not read. */
const NAMED_OFFSETS: Readonly<Record<string, number>> = {
  Z: 0,
  UTC: 0,
  GMT: 0,
  EST: -300,
  EDT: -240,
  CST: -360,
  CDT: -300,
  MST: -420,
  MDT: -360,
  PST: -480,
  PDT: -420,
};

/** Minutes east of UTC of `Z`, `+0200`, `UTC+02:00`, `EST`; undefined for anything else. */
export function offsetMinutes(text: string): number | undefined {
  const named = Object.hasOwn(NAMED_OFFSETS, text) ? NAMED_OFFSETS[text] : undefined;
  if (named !== undefined) return named;
  const found = /^(?:UTC|GMT)?\s?([+-])(\d{2}):?(\d{2})?$/.exec(text);
  if (found === null) return undefined;
  const minutes = Number(found[2]) * 60 + Number(found[3] ?? 0);
  return minutes > 14 * 60 || Number(found[3] ?? 0) > 59 ? undefined : found[1] === '-' ? -minutes : minutes;
}

/** Compiles the rules. `dayFirst` is asked at each unordered date, so that a column may be decided after compiling. */
export function compileTimes(
  rules: Omit<TimeRules, 'dayFirst'>,
  dayFirst: () => boolean | undefined,
): ParseTime {
  const clock = rules.zone === undefined ? undefined : new ZoneClock(rules.zone);
  const auto = rules.formats.includes('auto');
  const epoch = rules.formats.includes('epoch');
  const patterns = rules.formats.flatMap((format) => {
    const parse = format === 'auto' || format === 'epoch' ? undefined : compileTimePattern(format);
    return parse === undefined ? [] : [parse];
  });

  const fromParts = (parts: TimeParts, raw: unknown): unknown => {
    const wall = utcMillis(parts);
    if (wall === undefined) return raw;
    if (parts.offset !== undefined) {
      const offset = offsetMinutes(parts.offset);
      return offset === undefined ? raw : iso(wall - offset * 60_000, raw);
    }
    const local = new Date(wall).toISOString().slice(0, -1);
    if (clock === undefined) return local;
    const instant = clock.instant(parts);
    return instant === undefined ? raw : instant === 'gap' ? `${local}[${clock.zone}]` : iso(instant, raw);
  };

  const simple = auto && patterns.length === 0 && !epoch;
  const inUtc = rules.zone === 'UTC' || rules.zone === 'Etc/UTC';

  return (value) => {
    if (typeof value !== 'string' && typeof value !== 'number') return value;
    if (simple && typeof value === 'string') {
      const quick = plainUtc(value, inUtc);
      if (quick !== undefined) return quick;
    }
    const text = String(value).trim();
    for (const pattern of patterns) {
      const parts = pattern(text);
      if (parts !== undefined) return fromParts(parts, value);
    }
    if (epoch) {
      const millis = readEpoch(text);
      if (millis !== undefined) return iso(millis, value);
    }
    if (!auto) return value;
    const time = readTime(text);
    if (time === undefined) return value;
    if (time.kind === 'instant') return iso(time.millis, value);
    if (time.kind === 'parts') return fromParts(time.parts, value);
    const order = time.date.dots ? true : dayFirst();
    return order === undefined ? value : fromParts(time.date.withOrder(order), value);
  };
}

/**
 * The common case without a parse: `2025-03-04T05:06:07Z`, `2025-03-04 05:06:07.123` in UTC. Undefined for anything else,
 * impossible dates included: the long way decides about them.
 */
function plainUtc(text: string, inUtc: boolean): string | undefined {
  const { length } = text;
  if (length < 19 || length > 27) return undefined;
  const code = (at: number) => text.charCodeAt(at);
  const two = (at: number) => {
    const a = code(at) - 48;
    const b = code(at + 1) - 48;
    return a >= 0 && a <= 9 && b >= 0 && b <= 9 ? a * 10 + b : 99;
  };
  if (code(4) !== 45 || code(7) !== 45 || code(13) !== 58 || code(16) !== 58) return undefined;
  if (code(10) !== 84 && code(10) !== 32) return undefined;
  const century = two(0);
  const month = two(5);
  const day = two(8);
  // the days that not every month has are left to the long way
  if (century < 10 || century === 99 || two(2) === 99 || month < 1 || month > 12 || day < 1 || day > 28)
    return undefined;
  if (two(11) > 23 || two(14) > 59 || two(17) > 59) return undefined;
  let end = length;
  if (code(length - 1) === 90) end--;
  else if (!inUtc) return undefined;
  let millis = '000';
  if (end > 19) {
    if (code(19) !== 46 || end === 20) return undefined;
    for (let at = 20; at < end; at++) if (code(at) < 48 || code(at) > 57) return undefined;
    millis = `${text.slice(20, Math.min(end, 23))}00`.slice(0, 3);
  }
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${millis}Z`;
}

function iso(millis: number, raw: unknown): unknown {
  // beyond what Date holds
  return Number.isFinite(millis) && Math.abs(millis) <= 8.64e15 ? new Date(millis).toISOString() : raw;
}
