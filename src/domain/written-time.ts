import { AppError } from './errors.ts';
import { nearest } from './nearest.ts';

/** Times as exports write them; the order of day and month is not guessed here. */

export interface TimeParts {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  readonly millisecond: number;
  /** Undefined without a zone. */
  readonly offset?: string | undefined;
}

/** As written: the column decides which is the day. */
interface UnorderedDate {
  readonly first: number;
  readonly second: number;
  /** Dots mean day first. */
  readonly dots: boolean;
  withOrder(dayFirst: boolean): TimeParts;
}

type ReadTime =
  | { kind: 'instant'; millis: number }
  | { kind: 'parts'; parts: TimeParts }
  | { kind: 'unordered'; date: UnorderedDate };

const CLOCK = String.raw`(?<hour>\d{1,2})[:.h](?<minute>\d{2})(?:[:.](?<second>\d{2})(?:[.,](?<fraction>\d{1,9}))?)?\s*(?<half>[AaPp]\.?\s?[Mm]\.?)?\s*(?<offset>Z|[A-Z]{3,4}|(?:UTC|GMT)?\s?[+-]\d{2}:?\d{2})?`;
const AT = String.raw`(?:\s*,\s*|\s*T|\s+)(?:(?:at|um|à|a las|alle|às|om|klokken)\s+)?`;
const LATER = String.raw`(?:${AT}${CLOCK}(?:\s*Uhr)?)?`;
const YEAR = String.raw`(?<year>\d{4}|\d{2})`;

const PATTERNS: readonly RegExp[] = [
  /^(?<year>[+-]?\d{4,6})[-/](?<month>\d{1,2})[-/](?<day>\d{1,2})(?:(?:\s*[T,]\s*|\s+)(?<hour>\d{1,2}):(?<minute>\d{2})(?::(?<second>\d{2})(?:[.,](?<fraction>\d{1,9}))?)?\s*(?<offset>Z|[A-Za-z]{3,4}|(?:UTC|GMT)?[+-]\d{2}(?::?\d{2})?)?)?$/,
  /^(?<year>\d{4})(?<month>\d{2})(?<day>\d{2})(?:T?(?<hour>\d{2})(?<minute>\d{2})(?<second>\d{2}))?(?<offset>Z)?$/,
  new RegExp(String.raw`^(?<first>\d{1,2})(?<sign>[/.-])(?<then>\d{1,2})\k<sign>${YEAR}${LATER}$`),
  new RegExp(
    String.raw`^(?:\p{L}+\.?,?\s+)?(?<day>\d{1,2})(?:st|nd|rd|th|er|\.)?[\s/.-]*(?:de\s+|di\s+)?(?<month>\p{L}+)\.?[\s/.,-]*(?:de\s+|del\s+)?${YEAR}${LATER}$`,
    'u',
  ),
  new RegExp(
    String.raw`^(?:\p{L}+[.,]{0,2}\s+)?(?<month>\p{L}+)\.?\s+(?<day>\d{1,2})(?:st|nd|rd|th)?,?\s+(?<year>\d{4})(?:${AT}${CLOCK})?$`,
    'u',
  ),
  // As C and shells write it: `Mon Jan 1 08:25:40 UTC 2024`
  /^(?:\p{L}{2,9}\.?,?\s{1,3})?(?<month>\p{L}{3,10})\.?\s{1,3}(?<day>\d{1,2})\s(?<hour>\d{1,2}):(?<minute>\d{2})(?::(?<second>\d{2}))?(?:\s(?<offset>Z|[A-Z]{3,4}|[+-]\d{4}))?\s(?<year>\d{4})$/u,
];
const ZONE_NAME = /\s\([\p{L} ]{3,50}\)$/u;
/** Bounds the work on hostile cells. */
const LONGEST = 64;
const LONGEST_NAMED = 100;

/** Undefined for an unknown form. Impossible dates come out unchanged. */
export function readTime(written: string): ReadTime | undefined {
  if (written.length > LONGEST_NAMED) return undefined;
  const text = written.length > 30 && written.endsWith(')') ? written.replace(ZONE_NAME, '') : written;
  if (text.length > LONGEST) return undefined;
  const millis = /^-?\d+(?:[.,]\d+)?$/.test(text) ? readEpoch(text) : undefined;
  if (millis !== undefined) return { kind: 'instant', millis };
  for (const pattern of PATTERNS) {
    const found = pattern.exec(text)?.groups;
    if (found === undefined) continue;
    if (found['sign'] !== undefined) return { kind: 'unordered', date: unordered(found) };
    const parts = timeParts(found);
    if (parts !== undefined) return { kind: 'parts', parts };
  }
  return undefined;
}

export type TimeGroups = Readonly<Record<string, string | undefined>>;

function unordered(found: TimeGroups): UnorderedDate {
  const [first, second] = [Number(found['first']), Number(found['then'])];
  const withOrder = (dayFirst: boolean) => {
    const [day, month] = dayFirst ? [first, second] : [second, first];
    return { ...(timeParts({ ...found, month: '1' }) as TimeParts), day, month };
  };
  return { first, second, dots: found['sign'] === '.', withOrder };
}

export function timeParts(found: TimeGroups): TimeParts | undefined {
  const name = found['month'] ?? '';
  const month = /^\d/.test(name) ? Number(name) : monthNumber(name);
  if (month === undefined) return undefined;
  const number = (part: string) => Number(found[part] ?? 0);
  return {
    year: fullYear(found['year'] ?? ''),
    month,
    day: number('day'),
    hour: hourOf(number('hour'), found['half']),
    minute: number('minute'),
    second: number('second'),
    millisecond: millisecondsOf(found['fraction']),
    offset: found['offset'],
  };
}

/** By length: seconds (9, 10 digits), milli- (12, 13), micro- (15, 16) and nanoseconds (18, 19) since 1970. */
export function readEpoch(text: string): number | undefined {
  const { length } = text.replace('-', '').split(/[.,]/)[0] ?? '';
  const number = Number(text.replace(',', '.'));
  if (!Number.isFinite(number)) return undefined;
  if (length === 9 || length === 10) return Math.floor(number * 1000 + 1e-4);
  if (length === 12 || length === 13) return Math.floor(number);
  if (length === 15 || length === 16) return Math.floor(number / 1000);
  return length === 18 || length === 19 ? Math.floor(number / 1e6) : undefined;
}

/** For comparison, if zone and order are unknown: day first, unless that is impossible or the clock has AM and PM. */
export function roughInstant(text: string): number | undefined {
  const time = readTime(text.trim());
  if (time === undefined || time.kind === 'instant') return time?.millis;
  const hasHalves = /[ap]\.?\s?m\.?\s*$/i.test(text);
  const parts =
    time.kind === 'parts'
      ? time.parts
      : time.date.withOrder(time.date.dots || (time.date.second <= 12 && !hasHalves));
  const wall = wallMillis(parts);
  return wall === undefined ? undefined : wall - (offsetMillis(parts.offset ?? 'Z', 24) ?? 0);
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** Undefined for an impossible day. */
export function dayStart(year: number, month: number, day: number): number | undefined {
  // Date.UTC takes the years 0 to 99 for 1900 to 1999.
  const date = new Date(new Date(0).setUTCFullYear(year, month - 1, day));
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day ? date.getTime() : undefined;
}

/** 24:00 is ambiguous, and leap seconds do not exist in the service's times. */
export function timeOfDay(hour: number, minute: number, second: number): number | undefined {
  return hour <= 23 && minute <= 59 && second <= 59
    ? hour * HOUR + minute * MINUTE + second * 1000
    : undefined;
}

/** As if in UTC; undefined for an impossible time. */
export function wallMillis(parts: TimeParts): number | undefined {
  const date = parts.year < 100 ? undefined : dayStart(parts.year, parts.month, parts.day);
  const time = timeOfDay(parts.hour, parts.minute, parts.second);
  return date === undefined || time === undefined ? undefined : date + time + parts.millisecond;
}

/** RFC 2822, in hours. Other abbreviations mean several zones and are not read. */
const NAMED_OFFSETS: ReadonlyMap<string, number> = new Map(
  Object.entries({
    Z: 0,
    UTC: 0,
    GMT: 0,
    EST: -5,
    EDT: -4,
    CST: -6,
    CDT: -5,
    MST: -7,
    MDT: -6,
    PST: -8,
    PDT: -7,
  }),
);

/** Milliseconds east of UTC; undefined beyond `mostHours`. */
export function offsetMillis(text: string, mostHours: number): number | undefined {
  const named = NAMED_OFFSETS.get(text);
  if (named !== undefined) return named * HOUR;
  const [, sign, hours, minutes = '0'] = /^(?:UTC|GMT)?\s?([+-])(\d{2}):?(\d{2})?$/.exec(text) ?? [];
  const offset = Number(hours) * HOUR + Number(minutes) * MINUTE;
  if (sign === undefined || Number(minutes) > 59 || offset > mostHours * HOUR) return undefined;
  return sign === '-' ? -offset : offset;
}

/** 00 to 69 are 20xx, 70 to 99 are 19xx. */
function fullYear(text: string): number {
  const year = Number(text);
  if (text.length > 2) return year;
  return year < 70 ? 2000 + year : 1900 + year;
}

/** 12 AM is 0; an hour above 12 with AM or PM is impossible: 99. */
function hourOf(hour: number, half: string | undefined): number {
  if (half === undefined) return hour;
  if (hour < 1 || hour > 12) return 99;
  return (hour % 12) + (/^p/i.test(half) ? 12 : 0);
}

/** Cut, not rounded: time never moves into the next second. */
export function millisecondsOf(fraction: string | undefined): number {
  return fraction === undefined ? 0 : Number(`${fraction}00`.slice(0, 3));
}

const LANGUAGES = ['en', 'de', 'es', 'fr', 'it', 'nl', 'pt'];
const OTHER_NAMES = { febr: 2, maerz: 3, mrz: 3, aou: 8, setiembre: 9 };
let names: ReadonlyMap<string, number> | undefined;

/** Accents, dots and case do not count. */
function monthNumber(word: string): number | undefined {
  names ??= monthNames();
  return names.get(plainWord(word));
}

function monthNames(): ReadonlyMap<string, number> {
  const formats = LANGUAGES.flatMap((language) =>
    (['long', 'short'] as const).map(
      (month) => new Intl.DateTimeFormat(language, { month, day: 'numeric', timeZone: 'UTC' }),
    ),
  );
  const found = new Map(Object.entries(OTHER_NAMES));
  for (const format of formats)
    for (let month = 1; month <= 12; month++) {
      const parts = format.formatToParts(Date.UTC(2024, month - 1, 1));
      found.set(plainWord(parts.find(({ type }) => type === 'month')?.value ?? ''), month);
    }
  return found;
}

function plainWord(word: string): string {
  return word
    .normalize('NFD')
    .replace(/[\u0300-\u036f.]/g, '')
    .toLowerCase();
}

/** Strict ISO-8601: `Date.parse` would shift 30 February, and read a time without a zone in this machine's zone. */

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
  if (date === undefined) return { kind: 'invalid', reason: NO_DAY };
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

const NO_DAY = 'is a date that does not exist';

/** Day 25,569 of a spreadsheet is 1 January 1970. */
const EPOCH_DAY = 25_569;

function noTime(text: string): string {
  const [, zone] = /^\d{4}-\d\d-\d\dT[\d:.]+\[(.+)\]$/.exec(text) ?? [];
  if (zone !== undefined)
    return `did not exist in ${zone}, as the clocks went forward: check the zone of the export`;
  const [, first, second, year] = (/^(\d\d?)[./-](\d\d?)[./-](\d{4})(?!\d)/.exec(text) ?? []).map(Number);
  if (first !== undefined && second !== undefined && year !== undefined)
    if (dayStart(year, first, second) === undefined && dayStart(year, second, first) === undefined)
      return NO_DAY;
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

/** A time that occurs twice is the first one. Throws AppError `configuration`. */
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
