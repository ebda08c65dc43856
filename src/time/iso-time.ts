/** Strict ISO-8601: `Date.parse` would shift 30 February, and read a time without a zone in this machine's zone. */
import { dayStart, millisecondsOf, offsetMillis, timeOfDay } from './written-time.ts';

/** `local`, `date`: without a zone; `ms` as if in UTC. */
export type ParsedTime =
  | { readonly kind: 'instant' | 'local' | 'date'; readonly ms: number }
  | { readonly kind: 'invalid'; readonly reason: string };

const EARLIEST = Date.parse('0000-01-01T00:00:00.000Z');
const LATEST = Date.parse('9999-12-31T23:59:59.999Z');

/**
 * A date; `T` or a space and at least hours and minutes; an offset: `Z`, `+02:00`, `+0200` or `+02`. In a date both separators
 * or none. Digits beyond milliseconds are cut.
 */
const ISO =
  /^(\d{4})(-?)(\d\d)\2(\d\d)(?:[Tt ](\d\d):?(\d\d)(?::?(\d\d)(?:[.,](\d{1,12}))?)?(?: ?([Zz]|[+-]\d\d(?::?\d\d)?))?)?$/;

const PLAIN = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{3})?Z$/;

export function isPlainTime(text: string): boolean {
  return PLAIN.test(text);
}

export function parseTime(text: string): ParsedTime {
  const match = ISO.exec(text.trim());
  if (match === null) return { kind: 'invalid', reason: noTime(text.trim()) };
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

/** Day 25,569 of a spreadsheet is 1 January 1970. */
const EPOCH_DAY = 25_569;

function noTime(text: string): string {
  const [, zone] = /^\d{4}-\d\d-\d\dT[\d:.]+\[(.+)\]$/.exec(text) ?? [];
  if (zone !== undefined)
    return `did not exist in ${zone}, as the clocks went forward: check the zone of the export`;
  if (!/^[2-6]\d{4}(?:[.,]\d+)?$/.test(text)) return 'is not an ISO-8601 time';
  const date = new Date((Number.parseInt(text, 10) - EPOCH_DAY) * DAY).toISOString().slice(0, 10);
  return `looks like the day number of a spreadsheet (${date}): format the column as a date, and save the file again`;
}

export function isInstant(text: string): boolean {
  return parseTime(text).kind === 'instant';
}
