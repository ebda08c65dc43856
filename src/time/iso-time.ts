/** Strict ISO-8601: `Date.parse` would shift 30 February, and read a time without a zone in this machine's zone. */

import { AppError } from '../domain/errors.ts';
import { nearest } from '../domain/nearest.ts';
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

/** From milliseconds as if in UTC; undefined if the clocks skip the time. */
export type ZoneReader = (localMs: number) => number | undefined;

const DAYS_KEPT = 4096;

/** Of a time that occurs twice the first is used. Throws AppError `configuration`. */
export function createZoneReader(zone: string): ZoneReader {
  const offsetAt = offsetReader(zone);
  const steady = new Map<number, number>();
  return (localMs) => {
    const day = Math.floor(localMs / DAY);
    let offset = steady.get(day);
    if (offset === undefined) {
      const before = offsetAt((day - 1) * DAY);
      offset = before === offsetAt((day + 2) * DAY) ? before : Number.NaN;
      if (steady.size >= DAYS_KEPT) steady.clear();
      steady.set(day, offset);
    }
    return Number.isNaN(offset) ? nearChange(localMs, offsetAt) : localMs - offset;
  };
}

/** The offset before the change comes first, so that the earlier reading is used. */
function nearChange(localMs: number, offsetAt: (ms: number) => number): number | undefined {
  for (const offset of [offsetAt(localMs - DAY), offsetAt(localMs + DAY)]) {
    const instant = localMs - offset;
    if (offsetAt(instant) === offset) return instant;
  }
  return undefined;
}

function offsetReader(zone: string): (ms: number) => number {
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' });
  } catch (cause) {
    throw new AppError('configuration', `"${zone}" is not a time zone.`, {
      hint: 'Name a zone of the IANA list, for example "Europe/Berlin" or "UTC".',
      cause,
    });
  }
  return (ms) => {
    const name = format.formatToParts(ms).find((part) => part.type === 'timeZoneName')?.value ?? '';
    const [, sign, hours, minutes, seconds] = /^GMT([+-])(\d\d):(\d\d)(?::(\d\d))?$/.exec(name) ?? [];
    const ahead = (Number(hours ?? 0) * 3600 + Number(minutes ?? 0) * 60 + Number(seconds ?? 0)) * 1000;
    return sign === '-' ? -ahead : ahead;
  };
}

export function isZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en-US', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

export function nearestZone(name: string): string | undefined {
  const zones = Intl.supportedValuesOf('timeZone');
  const city = `/${name.toLowerCase().replace(/\s+/g, '_')}`;
  return zones.find((zone) => zone.toLowerCase().endsWith(city)) ?? nearest(name, zones);
}
