/** Times of `--since` and `--until`: a moment with its zone, or a whole day, month or year. */
import { Temporal } from 'temporal-polyfill';
import { bad, good, type Parsed, quoted } from './parsed.ts';

const PERIOD = /^(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?$/;
const MOMENT = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}/;
const WITH_ZONE = /(?:[zZ]|[+-]\d{2}(?::?\d{2})?)$/;

/** A period in time, milliseconds since the epoch: `begin` inclusive, `end` exclusive; equal for a moment. */
export interface Period {
  readonly begin: number;
  readonly end: number;
}

/**
 * `2024`, `2024-03`, `2024-03-31`, `2024-03-31T10:00:00Z`. Days and times without a zone are in `zone` (an IANA name);
 * without one, days begin at midnight UTC and a time without a zone is refused: it would be a guess.
 */
export function parsePeriod(text: string, zone: string | undefined): Parsed<Period> {
  try {
    const period = PERIOD.exec(text);
    if (period !== null) return good(wholePeriod(period, zone ?? 'UTC'));
    if (MOMENT.test(text)) {
      if (WITH_ZONE.test(text)) return good(moment(Temporal.Instant.from(text)));
      if (zone !== undefined)
        return good(moment(Temporal.PlainDateTime.from(text).toZonedDateTime(zone).toInstant()));
      return bad(
        `has no time zone: add Z or an offset such as +02:00, or set source.timezone, and is ${quoted(text)}`,
      );
    }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  return bad(
    `must be a time that exists, such as 2024-03-31 or 2024-03-31T10:00:00Z, and is ${quoted(text)}`,
  );
}

function moment(instant: Temporal.Instant): Period {
  return { begin: instant.epochMilliseconds, end: instant.epochMilliseconds };
}

function wholePeriod(match: RegExpExecArray, zone: string): Period {
  const [, year, month, day] = match;
  const first = Temporal.PlainDate.from(
    { year: Number(year), month: Number(month ?? 1), day: Number(day ?? 1) },
    { overflow: 'reject' },
  );
  const next = first.add(
    day !== undefined ? { days: 1 } : month !== undefined ? { months: 1 } : { years: 1 },
  );
  const midnight = (date: Temporal.PlainDate) => date.toZonedDateTime(zone).epochMilliseconds;
  return { begin: midnight(first), end: midnight(next) };
}
