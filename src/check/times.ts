import { AppError } from '../domain/errors.ts';
import type { MissingTimes } from '../domain/limits.ts';
import { createZoneReader, parseTime, type ZoneReader } from '../domain/written-time.ts';
import { quotedValue } from './advice.ts';
import type { Candidate, CheckRules } from './fields.ts';
import type { Reporter } from './findings.ts';

/** Milliseconds since the epoch; NaN for a wrong value (reported); undefined if missing. */
export type FieldTime = number | undefined;

/** Clocks and zones explain a day, not more. */
const FUTURE_TOLERANCE = 86_400_000;
/** Earlier times are zero dates of databases. */
const OLDEST = Date.UTC(1990, 0, 1);

export interface TimeRules {
  readonly missing: MissingTimes;
  readonly missingCreatedAt: number | undefined;
  read(candidate: Candidate, key: string, report: Reporter): FieldTime;
}

export function createTimeRules(rules: CheckRules): TimeRules {
  const zone = rules.timezone === undefined ? undefined : createZoneReader(rules.timezone);
  return {
    missing: rules.missingTimes ?? 'reject',
    missingCreatedAt: fixedTime(rules.missingCreatedAt),
    read: (candidate, key, report) => {
      const value = candidate[key];
      if (value === undefined) return undefined;
      if (typeof value !== 'string') return Number.NaN;
      const found = readInstant(value, zone);
      if (typeof found !== 'number') {
        report.error(key, found.code, `${quotedValue(value)} ${found.why}`);
        return Number.NaN;
      }
      candidate[key] = new Date(found).toISOString();
      if (found < OLDEST)
        report.warning(
          key,
          'very-old-time',
          `${quotedValue(value)} is before 1990; it is sent as it is, so check that it is intended.`,
        );
      else if (found > rules.now() + FUTURE_TOLERANCE)
        report.warning(
          key,
          'time-in-future',
          `${quotedValue(value)} is in the future; it is sent as it is, so correct it in the export if it is wrong (or this computer's clock).`,
        );
      return found;
    },
  };
}

const AS = 'write it like 2024-05-31T14:30:00Z';

function readInstant(
  text: string,
  zone: ZoneReader | undefined,
): number | { readonly code: string; readonly why: string } {
  const time = parseTime(text);
  if (time.kind === 'instant') return time.ms;
  if (time.kind === 'invalid') return { code: 'invalid-time', why: `${time.reason}; ${AS}.` };
  if (zone === undefined) {
    const what = time.kind === 'date' ? 'is a date without a time' : 'has no time zone';
    const why = `${what}; ${AS}, or name the zone of the export in the settings.`;
    return { code: 'time-without-zone', why };
  }
  const why = 'does not exist in the time zone of the export, as clocks went forward; correct it.';
  return zone(time.ms) ?? { code: 'invalid-time', why };
}

function fixedTime(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const time = parseTime(text);
  if (time.kind === 'instant') return time.ms;
  throw new AppError(
    'configuration',
    `${quotedValue(text)}, for tickets without a time, is not a UTC time.`,
    {
      hint: 'Write it like 2024-05-31T14:30:00Z.',
    },
  );
}

export interface TimedCandidate {
  readonly report: Reporter;
  readonly candidate: Candidate;
  at: FieldTime;
  isAssumed?: true;
}

/** Its own, else the earliest of its messages, else the rules'. Missing only if no other problem explains it. */
export function findCreatedAt(
  own: FieldTime,
  candidate: Candidate,
  messages: readonly TimedCandidate[],
  rules: TimeRules,
  report: Reporter,
): number | undefined {
  if (own !== undefined) return Number.isNaN(own) ? undefined : own;
  const times = messages.flatMap(({ at }) => at ?? []);
  const readable = times.filter((at) => !Number.isNaN(at));
  const found = readable.length > 0 ? readable.reduce((a, b) => Math.min(a, b)) : rules.missingCreatedAt;
  if (found !== undefined) candidate['createdAt'] = new Date(found).toISOString();
  else if (times.length === 0)
    report.error(
      'createdAt',
      'missing-time',
      'The ticket has no createdAt and no message with a time to take it from; add one of them to the export.',
    );
  return found;
}

export function fillTimes(
  items: readonly TimedCandidate[],
  createdAt: number | undefined,
  rules: TimeRules,
): void {
  let previous = createdAt;
  for (const item of items) {
    if (item.at === undefined && rules.missing === 'reject')
      item.report.error(
        'occurredAt',
        'missing-time',
        'occurredAt is missing; add it to the export, or say in the settings which time to take (missingTimes).',
      );
    else if (item.at === undefined && previous !== undefined) {
      item.at = previous;
      item.isAssumed = true;
      item.candidate['occurredAt'] = new Date(previous).toISOString();
    }
    if (item.at !== undefined && !Number.isNaN(item.at)) previous = item.at;
  }
}

interface TicketTimes {
  readonly createdAt: number;
  readonly resolvedAt: FieldTime;
  readonly closedAt: FieldTime;
}

/** Genuine exports contradict themselves (merges, moves, clocks), so these are warnings, one of a kind for each ticket. */
export function checkChronology(
  ticket: TicketTimes,
  messages: readonly TimedCandidate[],
  events: readonly TimedCandidate[],
  report: Reporter,
): void {
  const { createdAt } = ticket;
  for (const end of ['resolved', 'closed'] as const) {
    const at = ticket[`${end}At`];
    if (at !== undefined && at < createdAt)
      report.warning(
        `${end}At`,
        `${end}-before-created`,
        `The ticket was ${end} before it was created; both times are sent as they are, so check which one is wrong.`,
      );
  }
  for (const [what, one, items] of [
    ['message', 'A message is', messages],
    ['event', 'An event is', events],
  ] as const) {
    const early = items.filter(({ at }) => at !== undefined && at < createdAt);
    const [earliest] = early.toSorted((a, b) => (a.at ?? 0) - (b.at ?? 0));
    const subject = early.length === 1 ? one : `${early.length} ${what}s are`;
    earliest?.report.warning(
      'occurredAt',
      `${what}-before-ticket`,
      `${subject} from before the ticket was created; the times are sent as they are, so check createdAt.`,
    );
  }
}
