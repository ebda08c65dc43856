/**
 * ISO-8601 times, strictly: what is written is what is meant, or it is an error. `Date.parse` would shift 30 February
 * to March and read a time without a zone in the zone of this machine.
 */

/** `instant`: a point in time. `local`, `date`: without a zone; `ms` is what it would be if it were UTC. */
export type ParsedTime =
  | { readonly kind: 'instant' | 'local' | 'date'; readonly ms: number }
  | { readonly kind: 'invalid'; readonly reason: string };

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** Years 0000 to 9999: what an ISO-8601 time can say without special agreement. */
const EARLIEST = Date.parse('0000-01-01T00:00:00.000Z');
const LATEST = Date.parse('9999-12-31T23:59:59.999Z');

/**
 * Date, then optionally `T` or a space and a time of at least hours and minutes, then optionally an offset: `Z`,
 * `+02:00`, `+0200` or `+02`. Separators may be left out (basic format), in a date all or none. Digits of a second
 * beyond milliseconds are cut off.
 */
const ISO =
  /^(\d{4})(-?)(\d\d)\2(\d\d)(?:[Tt ](\d\d):?(\d\d)(?::?(\d\d)(?:[.,](\d{1,12}))?)?(?: ?([Zz]|[+-]\d\d(?::?\d\d)?))?)?$/;

/** Reads any spelling of a time. White space around it is ignored. */
export function parseTime(text: string): ParsedTime {
  const quick = plainInstant(text);
  if (quick !== undefined) return { kind: 'instant', ms: quick };
  const match = ISO.exec(text.trim());
  if (match === null) return { kind: 'invalid', reason: 'is not an ISO-8601 time' };
  const [, year, , month, day, hour, minute, second, fraction, offset] = match;
  const date = dayStart(Number(year), Number(month), Number(day));
  if (date === undefined) return { kind: 'invalid', reason: 'is a date that does not exist' };
  if (hour === undefined) return { kind: 'date', ms: date };
  const time = timeOfDay(Number(hour), Number(minute), Number(second ?? 0));
  if (time === undefined) return { kind: 'invalid', reason: 'has a time of day that does not exist' };
  const ms = date + time + Number((fraction ?? '').slice(0, 3).padEnd(3, '0'));
  if (offset === undefined) return { kind: 'local', ms };
  const shift = offsetMs(offset);
  if (shift === undefined) return { kind: 'invalid', reason: 'has an offset from UTC that does not exist' };
  const instant = ms - shift;
  if (instant < EARLIEST || instant > LATEST)
    return { kind: 'invalid', reason: 'is outside of the years 0000 to 9999' };
  return { kind: 'instant', ms: instant };
}

/** Whether a text is a point in time, whatever its spelling. */
export function isInstant(text: string): boolean {
  return plainInstant(text) !== undefined || parseTime(text).kind === 'instant';
}

/** UTC ISO-8601 with milliseconds, as times are sent. `text` is what was parsed into `ms`. */
export function utcIso(ms: number, text: string): string {
  // Where a parsed text has its T and its last colon here, it has the plain spelling throughout.
  if (text.charCodeAt(text.length - 1) === Z && text.charCodeAt(10) === T && text.charCodeAt(16) === COLON) {
    if (text.length === 24 && text.charCodeAt(19) === DOT) return text;
    if (text.length === 20) return `${text.slice(0, 19)}.000Z`;
  }
  return new Date(ms).toISOString();
}

const Z = 90;
const DOT = 46;
const DASH = 45;
const PLUS = 43;
const COLON = 58;
const T = 84;

/**
 * `2024-05-06T07:08:09Z`, with milliseconds or with an offset like `+02:00`: what most exports have, without a regular
 * expression. Undefined for all else, impossible times included.
 */
export function plainInstant(text: string): number | undefined {
  if (
    text.charCodeAt(4) !== DASH ||
    text.charCodeAt(7) !== DASH ||
    text.charCodeAt(10) !== T ||
    text.charCodeAt(13) !== COLON ||
    text.charCodeAt(16) !== COLON
  )
    return undefined;
  const date = dayStart(
    twoDigits(text, 0) * 100 + twoDigits(text, 2),
    twoDigits(text, 5),
    twoDigits(text, 8),
  );
  const time = timeOfDay(twoDigits(text, 11), twoDigits(text, 14), twoDigits(text, 17));
  if (date === undefined || time === undefined) return undefined;
  let ms = date + time;
  let end = 19;
  if (text.charCodeAt(19) === DOT) {
    ms += twoDigits(text, 20) * 10 + digit(text, 22);
    end = 23;
  }
  const shift = plainOffset(text, end);
  if (Number.isNaN(ms) || shift === undefined) return undefined;
  ms -= shift;
  return ms >= EARLIEST && ms <= LATEST ? ms : undefined;
}

/** `Z` or `+02:00` from `at` to the end of the text. */
function plainOffset(text: string, at: number): number | undefined {
  const sign = text.charCodeAt(at);
  if (sign === Z) return text.length === at + 1 ? 0 : undefined;
  if ((sign !== PLUS && sign !== DASH) || text.length !== at + 6 || text.charCodeAt(at + 3) !== COLON)
    return undefined;
  const hours = twoDigits(text, at + 1);
  const minutes = twoDigits(text, at + 4);
  if (!(hours <= 23 && minutes <= 59)) return undefined;
  const ahead = hours * HOUR + minutes * MINUTE;
  return sign === PLUS ? ahead : -ahead;
}

/** NaN where there is none. */
function digit(text: string, at: number): number {
  const code = text.charCodeAt(at) - 48;
  return code >= 0 && code <= 9 ? code : Number.NaN;
}

function twoDigits(text: string, at: number): number {
  return digit(text, at) * 10 + digit(text, at + 1);
}

const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Milliseconds since the epoch of 00:00 UTC, or undefined for a day that no calendar has. */
function dayStart(year: number, month: number, day: number): number | undefined {
  const leap = month === 2 && year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const days = (DAYS[month - 1] ?? 0) + (leap ? 1 : 0);
  // Written so that NaN (no digits) fails too.
  if (!(year >= 0 && day >= 1 && day <= days)) return undefined;
  // Date.UTC takes the years 0 to 99 for 1900 to 1999.
  return year < 100 ? new Date(0).setUTCFullYear(year, month - 1, day) : Date.UTC(year, month - 1, day);
}

/** 24:00 and leap seconds are refused: the first is ambiguous and the second has no place in the service's times. */
function timeOfDay(hour: number, minute: number, second: number): number | undefined {
  if (!(hour <= 23 && minute <= 59 && second <= 59)) return undefined;
  return hour * HOUR + minute * MINUTE + second * 1000;
}

function offsetMs(offset: string): number | undefined {
  if (offset === 'Z' || offset === 'z') return 0;
  const hours = Number(offset.slice(1, 3));
  const minutes = offset.length > 3 ? Number(offset.slice(-2)) : 0;
  if (hours > 23 || minutes > 59) return undefined;
  const ms = hours * HOUR + minutes * MINUTE;
  return offset.startsWith('-') ? -ms : ms;
}
