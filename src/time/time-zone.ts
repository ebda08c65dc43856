/**
 * Times without a zone, read in a zone that the user names. Where clocks go forward a time that no clock showed is an
 * error; where they go back a time that clocks showed twice is taken for the first of the two.
 */
import { AppError } from '../domain/errors.ts';

/**
 * From a local time (milliseconds as if it were UTC) to milliseconds since the epoch, or undefined where the clocks of
 * the zone skipped it.
 */
export type ZoneReader = (localMs: number) => number | undefined;

const DAY = 86_400_000;

/** Days whose offset is remembered; far more than a run of neighbouring records needs. */
const DAYS_KEPT = 4096;

/** Throws AppError `configuration` for a zone that does not exist. */
export function createZoneReader(zone: string): ZoneReader {
  const offsetAt = offsetReader(zone);
  /** Day → the offset that holds from the day before to the day after; undefined: it changes on the way. */
  const steady = new Map<number, number | undefined>();
  return (localMs) => {
    const day = Math.floor(localMs / DAY);
    let offset = steady.get(day);
    if (offset === undefined && !steady.has(day)) {
      const before = offsetAt((day - 1) * DAY);
      offset = before === offsetAt((day + 2) * DAY) ? before : undefined;
      if (steady.size >= DAYS_KEPT) steady.clear();
      steady.set(day, offset);
    }
    return offset === undefined ? nearChange(localMs, offsetAt) : localMs - offset;
  };
}

/** The offset before the change comes first, so of two readings the earlier one stands. */
function nearChange(localMs: number, offsetAt: (ms: number) => number): number | undefined {
  for (const offset of [offsetAt(localMs - DAY), offsetAt(localMs + DAY)]) {
    const instant = localMs - offset;
    if (offsetAt(instant) === offset) return instant;
  }
  return undefined;
}

/** Milliseconds that the zone's clocks are ahead of UTC at an instant. */
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
