/** Local times in a zone. A time that the clocks skip is refused, never moved; of one that occurs twice the first is used. */
import { AppError } from '../domain/errors.ts';
import { nearest } from '../domain/nearest.ts';

/** From milliseconds as if in UTC; undefined if the clocks skip the time. */
export type ZoneReader = (localMs: number) => number | undefined;

const DAY = 86_400_000;

const DAYS_KEPT = 4096;

/** Throws AppError `configuration`. */
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
