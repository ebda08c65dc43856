/** Times as exports write them, taken apart; which of day and month stands first is not guessed here. */
import { fullYear, hourOf, millisecondsOf, monthNumber, type TimeParts } from './calendar.ts';

/** Two numbers before the year, in the order in which they stand: the column decides which is the day. */
export interface UnorderedDate {
  readonly first: number;
  readonly second: number;
  /** Dots between mean day first wherever they are used. */
  readonly dots: boolean;
  withOrder(dayFirst: boolean): TimeParts;
}

export type ReadTime =
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
  String.raw`^(?:\p{L}+\.?,\s+)?(\p{L}+)\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(\d{4})(?:${BETWEEN}${CLOCK})?$`,
  'u',
);
const COMPACT = /^(\d{4})(\d{2})(\d{2})(?:T?(\d{2})(\d{2})(\d{2}))?(Z)?$/;
/** No time is longer; the cut bounds the work on hostile cells. */
const LONGEST = 64;

/** Undefined when the text is no time that is known. Impossible dates come out as they stand. */
export function readTime(text: string): ReadTime | undefined {
  if (text.length > LONGEST) return undefined;
  const iso = ISO.exec(text);
  if (iso !== null) {
    const [, year, month, day, hour, minute, second, fraction, offset] = iso;
    return parts(year ?? '', Number(month), Number(day), [hour, minute, second, fraction, undefined, offset]);
  }
  const epoch = /^-?\d+(?:[.,]\d+)?$/.test(text) ? readEpoch(text) : undefined;
  if (epoch !== undefined) return { kind: 'instant', millis: epoch };
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
  return undefined;
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
