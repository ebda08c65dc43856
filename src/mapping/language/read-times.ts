/**
 * Source times to UTC ISO-8601 with milliseconds. An unknown form stays, so that checking names it. A time without a zone
 * becomes ISO without an offset, a skipped one ISO with its zone in brackets: checking refuses both.
 */

import {
  createZoneReader,
  offsetMillis,
  readEpoch,
  readTime,
  type TimeParts,
  timeParts,
  wallMillis,
} from '../../domain/written-time.ts';

interface TimeFormat {
  /** `auto`, `epoch`, or patterns; the first that fits. */
  readonly formats: readonly string[];
  readonly zone: string | undefined;
}

const MOST_HOURS_AHEAD = 14;

/** `dayFirst` is asked at each date such as `03/04/2025`, so a column may be decided after compiling. */
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
  return Number.isFinite(millis) && Math.abs(millis) <= 8.64e15 ? new Date(millis).toISOString() : raw;
}

/** Bounds the work on hostile cells. */
const LONGEST = 200;

/** Longest first, so that `MMMM` is not two `MM`. */
const TOKENS: readonly (readonly [letters: RegExp, source: string])[] = [
  [/^yyyy/, String.raw`(?<year>\d{4})`],
  [/^yy/, String.raw`(?<year>\d{2})`],
  [/^MMMM?/, String.raw`(?<month>\p{L}+\.?)`],
  [/^MM/, String.raw`(?<month>\d{2})`],
  [/^M/, String.raw`(?<month>\d{1,2})`],
  [/^dd/, String.raw`(?<day>\d{2})`],
  [/^d/, String.raw`(?<day>\d{1,2})`],
  [/^(?:HH|hh)/, String.raw`(?<hour>\d{2})`],
  [/^[Hh]/, String.raw`(?<hour>\d{1,2})`],
  [/^mm/, String.raw`(?<minute>\d{2})`],
  [/^ss/, String.raw`(?<second>\d{2})`],
  [/^S+/, String.raw`(?<fraction>\d+)`],
  [/^a/, String.raw`(?<half>[AaPp]\.?[Mm]\.?)`],
  [/^(?:XXX|X)/, String.raw`(?<offset>Z|[+-]\d{2}:?\d{2}|[+-]\d{2})`],
  [/^EEEE?/, String.raw`\p{L}+\.?`],
];

/**
 * Letters as in Unicode's date patterns; other signs and 'quoted text' are literal. Undefined for an unknown letter, or without
 * year, month and day.
 */
export function compileTimePattern(pattern: string): ((text: string) => TimeParts | undefined) | undefined {
  let source = '';
  for (let rest = pattern; rest !== ''; ) {
    const quoted = /^'([^']*)'/.exec(rest);
    const [letters, meant] = TOKENS.find(([each]) => each.test(rest)) ?? [];
    const char = rest[0] ?? '';
    if (quoted !== null) source += literal(quoted[1] || "'");
    else if (meant !== undefined) source += meant;
    else if (/\p{L}/u.test(char)) return undefined;
    else source += /\s/.test(char) ? String.raw`\s+` : literal(char);
    rest = rest.slice(quoted?.[0].length ?? letters?.exec(rest)?.[0].length ?? 1);
  }
  for (const part of ['year', 'month', 'day']) if (!source.includes(`?<${part}>`)) return undefined;
  let regex: RegExp;
  try {
    regex = new RegExp(`^${source}$`, 'u');
  } catch {
    return undefined; // the same part twice
  }
  return (text) => {
    const found = text.length > LONGEST ? undefined : regex.exec(text.trim())?.groups;
    return found && timeParts(found);
  };
}

function literal(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
