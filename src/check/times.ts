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
      const data = { value: quotedValue(rules.timeCell?.(value) ?? value) };
      if (typeof found !== 'number') {
        report(key, found.kind, { ...data, why: found.why ?? '' });
        return Number.NaN;
      }
      candidate[key] = new Date(found).toISOString();
      if (found < OLDEST) report(key, 'very-old-time', data);
      else if (found > rules.now() + FUTURE_TOLERANCE) report(key, 'time-in-future', data);
      return found;
    },
  };
}

function readInstant(
  text: string,
  zone: ZoneReader | undefined,
): number | { readonly kind: string; readonly why?: string } {
  const time = parseTime(text);
  if (time.kind === 'instant') return time.ms;
  if (time.kind === 'invalid') return { kind: 'invalid-time:written', why: time.reason };
  if (zone === undefined) return { kind: `time-without-zone:${time.kind === 'date' ? 'date' : 'time'}` };
  return zone(time.ms) ?? { kind: 'invalid-time:skipped' };
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
  else if (times.length === 0) report('createdAt', 'missing-time:ticket');
  return found;
}

export function fillTimes(
  items: readonly TimedCandidate[],
  createdAt: number | undefined,
  rules: TimeRules,
): void {
  let previous = createdAt;
  for (const item of items) {
    if (item.at === undefined && rules.missing === 'reject') item.report('occurredAt', 'missing-time:item');
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
    if (at !== undefined && at < createdAt) report(`${end}At`, `${end}-before-created`);
  }
  for (const [what, items] of Object.entries({ message: messages, event: events })) {
    const early = items.filter(({ at }) => at !== undefined && at < createdAt);
    const [earliest] = early.toSorted((a, b) => (a.at ?? 0) - (b.at ?? 0));
    earliest?.report('occurredAt', `${what}-before-ticket`, { early: early.length });
  }
}
