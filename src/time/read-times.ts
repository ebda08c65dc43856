/**
 * From what a source writes to what the API takes: UTC, ISO-8601 with milliseconds.
 *
 * What cannot be understood stays as it is, so that checking names the value that the person knows. A time without a
 * zone, where none is stated, becomes ISO without an offset; a time that the zone skips becomes ISO with the zone in
 * brackets. Checking refuses both, with the right reason.
 */
import { offsetMillis, type TimeParts, wallMillis } from './calendar.ts';
import { compileTimePattern } from './time-pattern.ts';
import { readEpoch, readTime } from './time-text.ts';
import { createZoneReader } from './zone.ts';

export interface TimeFormat {
  /** `auto`, `epoch`, or patterns; the first that fits is taken. */
  readonly formats: readonly string[];
  /** Zone of times that state none. */
  readonly zone: string | undefined;
}

/** No clock is further ahead of UTC. */
const MOST_HOURS_AHEAD = 14;

/**
 * Compiles the rules. `dayFirst` is asked at each date such as `03/04/2025`, so that the order may be decided for a whole
 * column after compiling.
 */
export function compileTimes(
  { formats, zone }: TimeFormat,
  dayFirst: () => boolean | undefined,
): (value: unknown) => unknown {
  const inZone = zone === undefined ? undefined : createZoneReader(zone);
  const auto = formats.includes('auto');
  const epoch = formats.includes('epoch');
  const patterns = formats
    .filter((format) => format !== 'auto' && format !== 'epoch')
    .flatMap((format) => compileTimePattern(format) ?? []);

  const fromParts = (parts: TimeParts, raw: unknown): unknown => {
    const wall = wallMillis(parts);
    if (wall === undefined) return raw;
    if (parts.offset !== undefined) {
      const offset = offsetMillis(parts.offset, MOST_HOURS_AHEAD);
      return offset === undefined ? raw : iso(wall - offset, raw);
    }
    const local = new Date(wall).toISOString().slice(0, -1);
    if (inZone === undefined) return local;
    const instant = inZone(wall);
    return instant === undefined ? `${local}[${zone}]` : iso(instant, raw);
  };

  return (value) => {
    if (typeof value !== 'string' && typeof value !== 'number') return value;
    const text = String(value).trim();
    for (const pattern of patterns) {
      const parts = pattern(text);
      if (parts !== undefined) return fromParts(parts, value);
    }
    const millis = epoch ? readEpoch(text) : undefined;
    if (millis !== undefined) return iso(millis, value);
    const time = auto ? readTime(text) : undefined;
    if (time === undefined) return value;
    if (time.kind === 'instant') return iso(time.millis, value);
    if (time.kind === 'parts') return fromParts(time.parts, value);
    const order = time.date.dots ? true : dayFirst();
    return order === undefined ? value : fromParts(time.date.withOrder(order), value);
  };
}

function iso(millis: number, raw: unknown): unknown {
  // beyond what Date holds
  return Number.isFinite(millis) && Math.abs(millis) <= 8.64e15 ? new Date(millis).toISOString() : raw;
}
