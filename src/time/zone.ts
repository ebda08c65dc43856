/**
 * Times without a zone, read in a given zone. A time that the clocks skip in spring is refused, never moved. Of a time that occurs twice in
 * autumn the first is used.
 */
import { AppError } from '../domain/errors.ts';
import { nearest } from '../domain/nearest.ts';

/**
 * From a local time (milliseconds as if in UTC) to milliseconds since the epoch; undefined if the zone's clocks skip it.
 */
export type ZoneReader = (localMs: number) => number | undefined;

const DAY = 86_400_000;

/** Days with a cached offset: computing one is slow, and an export's times cluster. */
const DAYS_KEPT = 4096;

/** Throws AppError `configuration` for an unknown zone. */
export function createZoneReader(zone: string): ZoneReader {
  const offsetAt = offsetReader(zone);
  /** Day → its offset; NaN if the offset changes near the day. */
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

/** Tries the offset before the change first, so that of two readings the earlier is used. */
function nearChange(localMs: number, offsetAt: (ms: number) => number): number | undefined {
  for (const offset of [offsetAt(localMs - DAY), offsetAt(localMs + DAY)]) {
    const instant = localMs - offset;
    if (offsetAt(instant) === offset) return instant;
  }
  return undefined;
}

/** The zone's offset from UTC at an instant, milliseconds. */
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

/** Whether this names a zone: IANA (`Europe/Berlin`), `UTC`, or an offset (`+02:00`). */
export function isZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en-US', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** The probable zone, for messages. */
export function nearestZone(name: string): string | undefined {
  const zones = Intl.supportedValuesOf('timeZone');
  const city = `/${name.toLowerCase().replace(/\s+/g, '_')}`;
  return zones.find((zone) => zone.toLowerCase().endsWith(city)) ?? nearest(name, zones);
}
