/** Times of `--since` and `--until`: a moment with its zone, or a whole day, month or year. */
import { parseTime } from '../time/iso-time.ts';
import { createZoneReader } from '../time/zone.ts';
import { bad, good, type Parsed, quoted } from './parsed.ts';

const PERIOD = /^(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?$/;
const MOMENT = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}/;

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
  const [whole, year, month, day] = PERIOD.exec(text) ?? [];
  const time = parseTime(whole === undefined ? text : `${year}-${month ?? '01'}-${day ?? '01'}`);
  if (whole !== undefined && time.kind === 'date') {
    const last = new Date(time.ms);
    if (day !== undefined) last.setUTCDate(last.getUTCDate() + 1);
    else if (month !== undefined) last.setUTCMonth(last.getUTCMonth() + 1);
    else last.setUTCFullYear(last.getUTCFullYear() + 1);
    return good({ begin: instantIn(zone ?? 'UTC', time.ms), end: instantIn(zone ?? 'UTC', last.getTime()) });
  }
  if (whole === undefined && MOMENT.test(text)) {
    if (time.kind === 'instant') return moment(time.ms);
    if (time.kind === 'local' && zone !== undefined) return moment(instantIn(zone, time.ms));
    if (time.kind === 'local')
      return bad(
        `has no time zone: add Z or an offset such as +02:00, or set source.timezone, and is ${quoted(text)}`,
      );
  }
  return bad(
    `must be a time that exists, such as 2024-03-31 or 2024-03-31T10:00:00Z, and is ${quoted(text)}`,
  );
}

function moment(at: number): Parsed<Period> {
  return good({ begin: at, end: at });
}

/** Of a time that the clocks skipped the next one that they showed: a day may begin an hour late. */
function instantIn(zone: string, localMs: number): number {
  const read = createZoneReader(zone);
  for (let local = localMs; ; local += 15 * 60_000) {
    const instant = read(local);
    if (instant !== undefined) return instant;
  }
}
