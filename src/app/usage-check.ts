/** Whether a candidate may be sent as a usage event (specification, 2.6; public facts): all that is wrong with it at once. Pure. */
import type { UsageEventPayload } from '../app-api/usage-event.ts';
import type { Problem } from '../domain/problem.ts';
import { textOf } from '../mapping/compile/values.ts';
import type { MissingTimestamp } from '../settings/app-api-settings.ts';
import { parseTime, utcIso } from '../time/iso-time.ts';
import type { MappedUsageEvent } from './usage-mapper.ts';

export interface UsageCheckRules {
  readonly missingTimestamp: MissingTimestamp;
  /** Milliseconds since the epoch. */
  now(): number;
  fileName(file: number): string;
}

export interface CheckedUsageEvent {
  /** Without its event id; absent when any problem is an error. */
  readonly payload: Omit<UsageEventPayload, 'eventId'> | undefined;
  /** As the row has it. */
  readonly eventId: string | undefined;
  /** Milliseconds since the epoch, where it is known. */
  readonly atMs: number | undefined;
  readonly problems: readonly Problem[];
}

/** No service is known to take longer ones, and what is longer is no id. */
const LONGEST_ID = 255;
/** Clocks of two machines differ by so much at most before it is told, milliseconds. */
const CLOCK_SKEW_MS = 5 * 60_000;

export function checkUsageEvent(mapped: MappedUsageEvent, rules: UsageCheckRules): CheckedUsageEvent {
  const { values, row } = mapped;
  const problems: Problem[] = [...mapped.problems];
  const place = { file: rules.fileName(row.ref.file), line: row.ref.line };
  const add = (severity: Problem['severity'], code: string, field: string, message: string) => {
    // What the mapping complained about already is not there for that reason.
    if (code.startsWith('missing') && problems.some((problem) => problem.field === field)) return;
    problems.push({ severity, code, ...place, field, message, count: 1 });
  };
  const name = (field: 'eventName' | 'customerId' | 'eventId'): string | undefined => {
    const value = values[field];
    const text = textOf(value).trim();
    if (typeof value === 'object' && value !== null)
      add('error', 'invalid-type', field, `The ${field} is a list or an object; it must be a text.`);
    else if (text.length > LONGEST_ID)
      add(
        'error',
        'too-long',
        field,
        `The ${field} has ${text.length} characters; ${LONGEST_ID} are allowed.`,
      );
    else if (text !== '') return text;
    else if (field !== 'eventId')
      add('error', 'missing-field', field, `The event has no ${field}; every usage event needs one.`);
    return undefined;
  };
  const eventName = name('eventName');
  const customerId = name('customerId');
  const eventId = name('eventId');
  const atMs = checkTime(values.timestamp, rules, add);
  const properties = checkProperties(values.properties, add);
  const isRejected = problems.some(({ severity }) => severity === 'error');
  const payload =
    isRejected || eventName === undefined || customerId === undefined
      ? undefined
      : {
          eventName,
          customerId,
          ...(atMs === undefined ? {} : { timestamp: utcIso(atMs, textOf(values.timestamp)) }),
          ...(properties === undefined ? {} : { properties }),
        };
  return { payload, eventId, atMs, problems };
}

type Add = (severity: Problem['severity'], code: string, field: string, message: string) => void;

function checkTime(value: unknown, rules: UsageCheckRules, add: Add): number | undefined {
  const text = textOf(value).trim();
  if (text === '') {
    if (rules.missingTimestamp === 'reject')
      add(
        'error',
        'missing-time',
        'timestamp',
        'The event has no timestamp, so it would count from today on; map one, or set appApi.missingTimestamp to send.',
      );
    return undefined;
  }
  const time = parseTime(text);
  if (time.kind === 'instant') {
    if (time.ms > rules.now() + CLOCK_SKEW_MS)
      add(
        'warning',
        'time-in-future',
        'timestamp',
        `The time ${text} lies in the future: the event counts from then on.`,
      );
    return time.ms;
  }
  const shown = text.slice(0, 80);
  if (time.kind === 'invalid')
    add('error', 'invalid-time', 'timestamp', `The timestamp "${shown}" ${time.reason}.`);
  else
    add(
      'error',
      'time-without-zone',
      'timestamp',
      `The time ${shown} has no time zone: set source.timezone (an IANA name such as Europe/Berlin).`,
    );
  return undefined;
}

function checkProperties(value: unknown, add: Add): Readonly<Record<string, unknown>> | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value === 'object' && !Array.isArray(value)) return value as Record<string, unknown>;
  add(
    'error',
    'invalid-properties',
    'properties',
    `The properties are no object with names and values: ${textOf(value).slice(0, 60)}.`,
  );
  return undefined;
}
