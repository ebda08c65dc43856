/**
 * Wall-clock times of a named zone as instants.
 *
 * A time that the clocks skip in spring does not exist: it is refused, never moved. Of a time that happens twice in
 * autumn the first is meant; the source does not say which, and the order of messages is kept by their place.
 */
import { Temporal } from 'temporal-polyfill';
import { nearest } from '../domain/nearest.ts';

export interface WallTime {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  readonly millisecond: number;
}

const DAY = 86_400_000;
/** Days whose offset is remembered; an export's times cluster, so a small memory serves. */
const REMEMBERED_DAYS = 20_000;

/** Milliseconds since the epoch of a wall time read as UTC; undefined for an impossible date (30 February, hour 25). */
export function utcMillis(time: WallTime): number | undefined {
  const { year, month, day, hour, minute, second, millisecond } = time;
  if (month < 1 || month > 12 || day < 1 || day > daysIn(year, month)) return undefined;
  // 24:00 and leap seconds are written by no export that is meant; they are refused
  if (hour > 23 || minute > 59 || second > 59) return undefined;
  const date = Date.UTC(year, month - 1, day, hour, minute, second, millisecond);
  // Date.UTC reads the years 0 to 99 as 19xx
  return year < 100 ? undefined : date;
}

function daysIn(year: number, month: number): number {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

/** Converts wall times of one zone; offsets are looked up once a day of the calendar. */
export class ZoneClock {
  readonly zone: string;
  /** Offset in ms by day since the epoch; NaN for a day on which it changes. */
  readonly #offsets = new Map<number, number>();

  /** Throws RangeError for an unknown zone: ask `isZone` before. */
  constructor(zone: string) {
    this.zone = zone;
    if (!isZone(zone)) throw new RangeError(`There is no time zone ${zone}`);
  }

  /** The instant in ms, `gap` where clocks skipped this time, undefined where the date is impossible. */
  instant(time: WallTime): number | 'gap' | undefined {
    const local = utcMillis(time);
    if (local === undefined) return undefined;
    const day = Math.floor(local / DAY);
    let offset = this.#offsets.get(day);
    if (offset === undefined) {
      // a margin of a day on both sides: offsets reach 14 hours
      const before = this.#offsetAt((day - 1) * DAY);
      const after = this.#offsetAt((day + 2) * DAY);
      offset = before === after ? before : Number.NaN;
      if (this.#offsets.size >= REMEMBERED_DAYS) this.#offsets.clear();
      this.#offsets.set(day, offset);
    }
    if (!Number.isNaN(offset)) return local - offset;
    const plain = new Temporal.PlainDateTime(
      time.year,
      time.month,
      time.day,
      time.hour,
      time.minute,
      time.second,
      time.millisecond,
    );
    const earlier = plain.toZonedDateTime(this.zone, { disambiguation: 'earlier' });
    return earlier.toPlainDateTime().equals(plain) ? earlier.epochMilliseconds : 'gap';
  }

  #offsetAt(millis: number): number {
    return (
      Temporal.Instant.fromEpochMilliseconds(millis).toZonedDateTimeISO(this.zone).offsetNanoseconds / 1e6
    );
  }
}

/** Whether this names a zone: IANA (`Europe/Berlin`), `UTC`, or an offset (`+02:00`). */
export function isZone(name: string): boolean {
  try {
    Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(name);
    return true;
  } catch {
    return false;
  }
}

/** The zone that a person probably meant, for messages. */
export function nearestZone(name: string): string | undefined {
  const zones = Intl.supportedValuesOf('timeZone');
  const city = zones.find((zone) =>
    zone.toLowerCase().endsWith(`/${name.toLowerCase().replace(/\s+/g, '_')}`),
  );
  return city ?? nearest(name, zones);
}
