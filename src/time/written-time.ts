/** Times as exports write them, taken apart; which of day and month stands first is not guessed here. */

/** Two numbers before the year, in the order in which they stand: the column decides which is the day. */
interface UnorderedDate {
  readonly first: number;
  readonly second: number;
  /** Dots between mean day first wherever they are used. */
  readonly dots: boolean;
  withOrder(dayFirst: boolean): TimeParts;
}

type ReadTime =
  | { kind: 'instant'; millis: number }
  | { kind: 'parts'; parts: TimeParts }
  | { kind: 'unordered'; date: UnorderedDate };

const ISO =
  /^([+-]?\d{4,6})[-/](\d{1,2})[-/](\d{1,2})(?:(?:\s*[T,]\s*|\s+)(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?\s*(Z|[A-Za-z]{3,4}|(?:UTC|GMT)?[+-]\d{2}(?::?\d{2})?)?)?$/;
const CLOCK = String.raw`(\d{1,2})[:.h](\d{2})(?:[:.](\d{2})(?:[.,](\d{1,9}))?)?\s*([AaPp]\.?\s?[Mm]\.?)?\s*(Z|[A-Z]{3,4}|(?:UTC|GMT)?\s?[+-]\d{2}:?\d{2})?`;
const BETWEEN = String.raw`(?:\s*,\s*|\s*T|\s+)(?:(?:at|um|à|a las|alle|às|om|klokken)\s+)?`;
const NUMERIC = new RegExp(
  String.raw`^(\d{1,2})([/.-])(\d{1,2})\2(\d{4}|\d{2})(?:${BETWEEN}${CLOCK}(?:\s*Uhr)?)?$`,
);
const DAY_MONTH = new RegExp(
  String.raw`^(?:\p{L}+\.?,?\s+)?(\d{1,2})(?:st|nd|rd|th|er|\.)?[\s/.-]*(?:de\s+|di\s+)?(\p{L}+)\.?[\s/.,-]*(?:de\s+|del\s+)?(\d{4}|\d{2})(?:${BETWEEN}${CLOCK}(?:\s*Uhr)?)?$`,
  'u',
);
const MONTH_DAY = new RegExp(
  String.raw`^(?:\p{L}+[.,]{0,2}\s+)?(\p{L}+)\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(\d{4})(?:${BETWEEN}${CLOCK})?$`,
  'u',
);
/** As programs in C and shells write it: `Mon Jan  1 08:25:40 UTC 2024`. */
export const YEAR_LAST =
  /^(?:\p{L}{2,9}\.?,?\s{1,3})?(\p{L}{3,10})\.?\s{1,3}(\d{1,2})\s(\d{1,2}):(\d{2})(?::(\d{2}))?(?:\s(Z|[A-Z]{3,4}|[+-]\d{4}))?\s(\d{4})$/u;
/** A program in JavaScript says the zone twice. */
const ZONE_NAME = /\s\([\p{L} ]{3,50}\)$/u;
const COMPACT = /^(\d{4})(\d{2})(\d{2})(?:T?(\d{2})(\d{2})(\d{2}))?(Z)?$/;
/** No time is longer; the cut bounds the work on hostile cells. */
const LONGEST = 64;
const LONGEST_NAMED = 100;

/** Undefined when the text is no time that is known. Impossible dates come out as they stand. */
export function readTime(written: string): ReadTime | undefined {
  if (written.length > LONGEST_NAMED) return undefined;
  const text = written.length > 30 && written.endsWith(')') ? written.replace(ZONE_NAME, '') : written;
  if (text.length > LONGEST) return undefined;
  const iso = ISO.exec(text);
  if (iso !== null) {
    const [, year, month, day, hour, minute, second, fraction, offset] = iso;
    return parts(year ?? '', Number(month), Number(day), [hour, minute, second, fraction, undefined, offset]);
  }
  const epoch = /^-?\d+(?:[.,]\d+)?$/.test(text) ? readEpoch(text) : undefined;
  if (epoch !== undefined) return { kind: 'instant', millis: epoch };
  const serial = serialParts(text);
  if (serial !== undefined) return { kind: 'parts', parts: serial };
  const compact = COMPACT.exec(text);
  if (compact !== null) {
    const [, year, month, day, hour, minute, second, offset] = compact;
    return parts(year ?? '', Number(month), Number(day), [
      hour,
      minute,
      second,
      undefined,
      undefined,
      offset,
    ]);
  }
  const numeric = NUMERIC.exec(text);
  if (numeric !== null) {
    const [, a, sign, b, year, ...clock] = numeric;
    const first = Number(a);
    const second = Number(b);
    const withOrder = (dayFirst: boolean) =>
      timeParts(year ?? '', dayFirst ? second : first, dayFirst ? first : second, clock);
    return { kind: 'unordered', date: { first, second, dots: sign === '.', withOrder } };
  }
  const dayMonth = DAY_MONTH.exec(text);
  if (dayMonth !== null) {
    const [, day, name, year, ...clock] = dayMonth;
    const month = monthNumber(name ?? '');
    if (month !== undefined) return parts(year ?? '', month, Number(day), clock);
  }
  const monthDay = MONTH_DAY.exec(text);
  if (monthDay !== null) {
    const [, name, day, year, ...clock] = monthDay;
    const month = monthNumber(name ?? '');
    if (month !== undefined) return parts(year ?? '', month, Number(day), clock);
  }
  const yearLast = YEAR_LAST.exec(text);
  if (yearLast !== null) {
    const [, name, day, hour, minute, second, zone, year] = yearLast;
    const month = monthNumber(name ?? '');
    if (month !== undefined)
      return parts(year ?? '', month, Number(day), [hour, minute, second, undefined, undefined, zone]);
  }
  return undefined;
}

const SERIAL = /^\d{5}(?:[.,]\d{1,12})?$/;
/** 1970 to 2064, as days of a spreadsheet. */
const SERIALS = { first: 25_569, last: 60_000 };

/** Days since the end of 1899, as a spreadsheet keeps times; without a zone. */
function serialParts(text: string): TimeParts | undefined {
  const days = SERIAL.test(text) ? Number(text.replace(',', '.')) : 0;
  if (days < SERIALS.first || days > SERIALS.last) return undefined;
  const at = new Date(Math.round((days - SERIALS.first) * 86_400) * 1000);
  return {
    year: at.getUTCFullYear(),
    month: at.getUTCMonth() + 1,
    day: at.getUTCDate(),
    hour: at.getUTCHours(),
    minute: at.getUTCMinutes(),
    second: at.getUTCSeconds(),
    millisecond: 0,
  };
}

/** Seconds (9 or 10 digits), milliseconds (12, 13), micro- (15, 16) and nanoseconds (18, 19) since 1970, by length. */
export function readEpoch(text: string): number | undefined {
  const [whole = ''] = text.replace('-', '').split(/[.,]/);
  const number = Number(text.replace(',', '.'));
  if (!Number.isFinite(number)) return undefined;
  if (whole.length === 9 || whole.length === 10) return Math.floor(number * 1000 + 1e-4);
  if (whole.length === 12 || whole.length === 13) return Math.floor(number);
  if (whole.length === 15 || whole.length === 16) return Math.floor(number / 1000);
  if (whole.length === 18 || whole.length === 19) return Math.floor(number / 1e6);
  return undefined;
}

type Clock = readonly (string | undefined)[];

function parts(year: string, month: number, day: number, clock: Clock): ReadTime {
  return { kind: 'parts', parts: timeParts(year, month, day, clock) };
}

function timeParts(year: string, month: number, day: number, clock: Clock): TimeParts {
  const [hour, minute, second, fraction, half, offset] = clock;
  return {
    year: fullYear(year),
    month,
    day,
    hour: hourOf(Number(hour ?? 0), half),
    minute: Number(minute ?? 0),
    second: Number(second ?? 0),
    millisecond: millisecondsOf(fraction),
    offset,
  };
}

// Parts of a written time: days that exist, names of months, halves of a day, offsets from UTC.

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

export interface TimeParts {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  readonly millisecond: number;
  /** `Z`, `+02:00`, `+0200`, `UTC`, `EST`; undefined when the text states no zone. */
  readonly offset?: string | undefined;
}

/** Milliseconds since the epoch of 00:00 UTC, or undefined for a day that no calendar has. */
export function dayStart(year: number, month: number, day: number): number | undefined {
  if (!(month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month))) return undefined;
  // Date.UTC takes the years 0 to 99 for 1900 to 1999.
  return year < 100 ? new Date(0).setUTCFullYear(year, month - 1, day) : Date.UTC(year, month - 1, day);
}

function daysIn(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

/** 24:00 and leap seconds are refused: the first is ambiguous and the second has no place in the service's times. */
export function timeOfDay(hour: number, minute: number, second: number): number | undefined {
  return hour <= 23 && minute <= 59 && second <= 59
    ? hour * HOUR + minute * MINUTE + second * 1000
    : undefined;
}

/** Milliseconds since the epoch as if it were UTC; undefined for an impossible time. */
export function wallMillis({
  year,
  month,
  day,
  hour,
  minute,
  second,
  millisecond,
}: TimeParts): number | undefined {
  const date = year < 100 ? undefined : dayStart(year, month, day);
  const time = timeOfDay(hour, minute, second);
  return date === undefined || time === undefined ? undefined : date + time + millisecond;
}

/** Offsets of RFC 2822's zone names, in hours. Other abbreviations mean several zones and are not read. */
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

/** Milliseconds east of UTC of `Z`, `+02`, `+0200`, `UTC+02:00`, `EST`; undefined for anything else, and beyond `mostHours`. */
export function offsetMillis(text: string, mostHours: number): number | undefined {
  const named = NAMED_OFFSETS.get(text);
  if (named !== undefined) return named * HOUR;
  const [, sign, hours, minutes = '0'] = /^(?:UTC|GMT)?\s?([+-])(\d{2}):?(\d{2})?$/.exec(text) ?? [];
  const offset = Number(hours) * HOUR + Number(minutes) * MINUTE;
  if (sign === undefined || Number(minutes) > 59 || offset > mostHours * HOUR) return undefined;
  return sign === '-' ? -offset : offset;
}

/** Two-digit years: 00 to 69 are 20xx, 70 to 99 are 19xx. */
export function fullYear(text: string): number {
  const year = Number(text);
  if (text.length > 2) return year;
  return year < 70 ? 2000 + year : 1900 + year;
}

/** 12 AM is 0, 12 PM is 12; an hour above 12 with AM or PM is impossible and comes out as 99. */
export function hourOf(hour: number, half: string | undefined): number {
  if (half === undefined) return hour;
  if (hour < 1 || hour > 12) return 99;
  return (hour % 12) + (/^p/i.test(half) ? 12 : 0);
}

/** Milliseconds of a fraction of a second, cut, not rounded: time never moves into the next second. */
export function millisecondsOf(fraction: string | undefined): number {
  return fraction === undefined ? 0 : Number(`${fraction}00`.slice(0, 3));
}

/** In English, German, Spanish, French, Italian, Dutch and Portuguese; accents and dots are taken off before comparing. */
const MONTH_NAMES = [
  'january januar enero janvier gennaio januari janeiro jan ene janv gen',
  'february februar febrero fevrier febbraio februari fevereiro feb fev fevr febr',
  'march marz maerz marzo mars maart marco mar mrz mrt',
  'april abril avril aprile apr abr avr',
  'may mai mayo maggio mei maio mag',
  'june juni junio juin giugno junho jun giu',
  'july juli julio juillet luglio julho jul juil lug',
  'august agosto aout augustus aug ago aou',
  'september septiembre septembre settembre setembro sep sept set setiembre',
  'october oktober octubre octobre ottobre outubro oct okt ott out',
  'november noviembre novembre novembro nov',
  'december dezember diciembre decembre dicembre dezembro dec dez dic',
].map((line) => new Set(line.split(' ')));

/** 1 to 12, or undefined for a word that names no month. */
export function monthNumber(word: string): number | undefined {
  const plain = word
    .normalize('NFD')
    .replace(/[\u0300-\u036f.]/g, '')
    .toLowerCase();
  return MONTH_NAMES.findIndex((names) => names.has(plain)) + 1 || undefined;
}
