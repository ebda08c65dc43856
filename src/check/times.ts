/** Times of a record: read, judged, and found where the record has none. */
import { AppError } from '../domain/errors.ts';
import { parseTime, plainInstant, utcIso } from '../time/iso-time.ts';
import { createZoneReader, type ZoneReader } from '../time/time-zone.ts';
import type { Candidate } from './fields.ts';
import { type Findings, type Place, shown } from './findings.ts';
import type { CheckRules, MissingTimes } from './rules.ts';

/** Milliseconds since the epoch; NaN for a value that is no time (the problem is told); undefined for none at all. */
export type FieldTime = number | undefined;

/** The clocks of two systems and the zones of one person explain a day, not more. */
const FUTURE_TOLERANCE = 86_400_000;
/** No helpdesk has records from before; such times come from zero dates of databases. */
const OLDEST = Date.UTC(1990, 0, 1);

export interface TimeRules {
  readonly missing: MissingTimes;
  readonly missingCreatedAt: number | undefined;
  /**
   * The time in a field, put into the candidate as it is sent. A value of another type than text is left to the schema.
   */
  read(candidate: Candidate, key: string, place: Place, findings: Findings): FieldTime;
  /** The time in a text of which there is nothing to be told, with the text as it is sent; undefined for any other. */
  readPlain(text: string): { readonly at: number; readonly text: string } | undefined;
}

/** Throws AppError `configuration` for a time zone or a time in the rules that does not exist. */
export function createTimeRules(rules: CheckRules): TimeRules {
  const zone = rules.timezone === undefined ? undefined : createZoneReader(rules.timezone);
  /** The clock as last read: what lies before it lies before now, so that it is asked for later times alone. */
  let seen = Number.NEGATIVE_INFINITY;
  const isInFuture = (at: number): boolean => {
    if (at <= seen + FUTURE_TOLERANCE) return false;
    seen = rules.now();
    return at > seen + FUTURE_TOLERANCE;
  };
  return {
    missing: rules.missingTimes ?? 'reject',
    missingCreatedAt: fixedTime(rules.missingCreatedAt),
    readPlain: (text) => {
      const at = plainInstant(text);
      return at === undefined || at < OLDEST || isInFuture(at) ? undefined : { at, text: utcIso(at, text) };
    },
    read: (candidate, key, place, findings) => {
      const value = candidate[key];
      if (value === undefined) return undefined;
      if (typeof value !== 'string') return Number.NaN;
      const at = readInstant(value, key, place, findings, zone);
      if (at === undefined) return Number.NaN;
      candidate[key] = utcIso(at, value);
      if (isInFuture(at))
        findings.warning(
          place,
          key,
          'time-in-future',
          `${shown(value)} is in the future; it is sent as it is, so correct it in the export if it is wrong (or this computer's clock).`,
        );
      else if (at < OLDEST)
        findings.warning(
          place,
          key,
          'very-old-time',
          `${shown(value)} is before 1990; it is sent as it is, so check that it is meant.`,
        );
      return at;
    },
  };
}

function readInstant(
  text: string,
  key: string,
  place: Place,
  findings: Findings,
  zone: ZoneReader | undefined,
): number | undefined {
  const time = parseTime(text);
  if (time.kind === 'instant') return time.ms;
  if (time.kind === 'invalid') {
    findings.error(
      place,
      key,
      'invalid-time',
      `${shown(text)} ${time.reason}; write it like 2024-05-31T14:30:00Z.`,
    );
    return undefined;
  }
  if (zone === undefined) {
    const what = time.kind === 'date' ? 'is a date without a time' : 'has no time zone';
    findings.error(
      place,
      key,
      'time-without-zone',
      `${shown(text)} ${what}; write it like 2024-05-31T14:30:00Z, or name the zone of the export in the settings.`,
    );
    return undefined;
  }
  const instant = zone(time.ms);
  if (instant === undefined)
    findings.error(
      place,
      key,
      'invalid-time',
      `${shown(text)} does not exist in the time zone of the export, as clocks went forward; correct it.`,
    );
  return instant;
}

function fixedTime(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const time = parseTime(text);
  if (time.kind !== 'instant')
    throw new AppError('configuration', `${shown(text)}, for tickets without a time, is not a UTC time.`, {
      hint: 'Write it like 2024-05-31T14:30:00Z.',
    });
  return time.ms;
}

/** A record that needs a time, in source order. */
export interface TimedCandidate {
  readonly place: Place;
  readonly candidate: Candidate;
  at: FieldTime;
}

/**
 * The ticket's `createdAt`: its own, else the earliest time of its messages, else the one that the rules give to such
 * tickets. Told as missing only where no other problem is to blame for it.
 */
export function findCreatedAt(
  own: FieldTime,
  candidate: Candidate,
  messages: readonly TimedCandidate[],
  rules: TimeRules,
  place: Place,
  findings: Findings,
): number | undefined {
  if (own !== undefined) return Number.isNaN(own) ? undefined : own;
  let earliest = Number.POSITIVE_INFINITY;
  let unreadable = false;
  for (const { at } of messages) {
    if (at === undefined) continue;
    if (Number.isNaN(at)) unreadable = true;
    else if (at < earliest) earliest = at;
  }
  const found = Number.isFinite(earliest) ? earliest : rules.missingCreatedAt;
  if (found !== undefined) candidate['createdAt'] = new Date(found).toISOString();
  else if (!unreadable)
    findings.error(
      place,
      'createdAt',
      'missing-time',
      'The ticket has no createdAt and no message with a time to take it from; add one of them to the export.',
    );
  return found;
}

/** Gives a time to the messages or events that have none, as the rules say, or tells what is missing. */
export function fillTimes(
  items: readonly TimedCandidate[],
  createdAt: number | undefined,
  rules: TimeRules,
  findings: Findings,
): void {
  let previous = createdAt;
  for (const item of items) {
    if (item.at === undefined) {
      const found = rules.missing === 'previous' ? previous : createdAt;
      if (rules.missing === 'reject')
        findings.error(
          item.place,
          'occurredAt',
          'missing-time',
          'occurredAt is missing; add it to the export, or say in the settings which time to take (missingTimes).',
        );
      else if (found !== undefined) {
        item.at = found;
        item.candidate['occurredAt'] = new Date(found).toISOString();
      }
    }
    if (item.at !== undefined && !Number.isNaN(item.at)) previous = item.at;
  }
}
