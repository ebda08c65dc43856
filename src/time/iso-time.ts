/**
 * ISO-8601 times, strictly. `Date.parse` would shift 30 February to March, and read a time without a zone in this machine's zone.
 */
import { dayStart, millisecondsOf, offsetMillis, timeOfDay } from './written-time.ts';

/** `instant`: a point in time. `local`, `date`: without a zone; `ms` as if in UTC. */
export type ParsedTime =
  | { readonly kind: 'instant' | 'local' | 'date'; readonly ms: number }
  | { readonly kind: 'invalid'; readonly reason: string };

/** Years 0000 to 9999, as ISO-8601 allows without agreement. */
const EARLIEST = Date.parse('0000-01-01T00:00:00.000Z');
const LATEST = Date.parse('9999-12-31T23:59:59.999Z');

/**
 * Date, then optionally `T` or a space and a time of at least hours and minutes, then optionally an offset: `Z`,
 * `+02:00`, `+0200` or `+02`. Separators may be left out (basic format), in a date both or neither. Digits of a second
 * beyond milliseconds are cut off.
 */
const ISO =
  /^(\d{4})(-?)(\d\d)\2(\d\d)(?:[Tt ](\d\d):?(\d\d)(?::?(\d\d)(?:[.,](\d{1,12}))?)?(?: ?([Zz]|[+-]\d\d(?::?\d\d)?))?)?$/;

/** The usual spelling, in which times are sent. */
const PLAIN = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{3})?Z$/;

export function isPlainTime(text: string): boolean {
  return PLAIN.test(text);
}

/** Reads any spelling of a time. Ignores outer white space. */
export function parseTime(text: string): ParsedTime {
  const match = ISO.exec(text.trim());
  if (match === null) return { kind: 'invalid', reason: 'is not an ISO-8601 time' };
  const [, year, , month, day, hour, minute, second, fraction, offset] = match;
  const date = dayStart(Number(year), Number(month), Number(day));
  if (date === undefined) return { kind: 'invalid', reason: 'is a date that does not exist' };
  if (hour === undefined) return { kind: 'date', ms: date };
  const time = timeOfDay(Number(hour), Number(minute), Number(second ?? 0));
  if (time === undefined) return { kind: 'invalid', reason: 'has a time of day that does not exist' };
  const ms = date + time + millisecondsOf(fraction);
  if (offset === undefined) return { kind: 'local', ms };
  const shift = offsetMillis(offset.toUpperCase(), 24);
  if (shift === undefined || Math.abs(shift) >= DAY)
    return { kind: 'invalid', reason: 'has an offset from UTC that does not exist' };
  const instant = ms - shift;
  if (instant < EARLIEST || instant > LATEST)
    return { kind: 'invalid', reason: 'is outside of the years 0000 to 9999' };
  return { kind: 'instant', ms: instant };
}

const DAY = 86_400_000;

/** Whether a text is a point in time, whatever its spelling. */
export function isInstant(text: string): boolean {
  return parseTime(text).kind === 'instant';
}
