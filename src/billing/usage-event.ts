/** Whether a row may be sent (docs/core-api.md, 2.6). Pure. */
import { hash } from 'node:crypto';
import type { Problem } from '../domain/problem.ts';
import { type JsonObject, REASON } from '../domain/source.ts';
import { textOf } from '../domain/source-file.ts';
import type { UsageEventPayload } from '../target/app-api.ts';
import { parseTime } from '../time/iso-time.ts';

/** As in the row. */
export type FieldValues = Readonly<
  Record<'eventName' | 'customerId' | 'eventId' | 'timestamp' | 'properties', unknown>
>;

export interface CheckedEvent {
  /** Absent after an error. */
  readonly event?: Omit<UsageEventPayload, 'eventId'> | undefined;
  readonly eventId: string | undefined;
  readonly problems: readonly Problem[];
}

const LONGEST_ID = 255;
/** Clocks of two machines may differ by this, milliseconds. */
const CLOCK_SKEW_MS = 5 * 60_000;

type Complain = (code: string, message: string, severity?: Problem['severity']) => undefined;

export function checkEvent(
  { eventName, customerId, eventId, timestamp, properties }: FieldValues,
  place: Pick<Problem, 'file' | 'line'>,
  now: number,
): CheckedEvent {
  const problems: Problem[] = [];
  const about =
    (field: string): Complain =>
    (code, message, severity = 'error') => {
      problems.push({ severity, code, ...place, field, message, count: 1 });
      return undefined;
    };
  const name = checkText(eventName, 'eventName', about('eventName'));
  const customer = checkText(customerId, 'customerId', about('customerId'));
  const id = checkText(eventId, 'eventId', about('eventId'));
  const at = checkTime(timestamp, now, about('timestamp'));
  const details = checkProperties(properties, about('properties'));
  if (name === undefined || customer === undefined || problems.some(({ severity }) => severity === 'error'))
    return { eventId: id, problems };
  const event = { eventName: name, customerId: customer, timestamp: at, properties: details };
  return { event, eventId: id, problems };
}

function checkText(value: unknown, field: string, complain: Complain): string | undefined {
  const text = textOf(value).trim();
  if (typeof value === 'object' && value !== null)
    return complain('invalid-type', `The ${field} is a list or an object; it must be a text.`);
  if (text.length > LONGEST_ID)
    return complain('too-long', `The ${field} has ${text.length} characters; ${LONGEST_ID} are allowed.`);
  if (text !== '') return text;
  return field === 'eventId' ? undefined : complain('missing-field', `The event has no ${field}.`);
}

function checkTime(value: unknown, now: number, complain: Complain): string | undefined {
  const text = textOf(value).trim();
  if (text === '') return complain('missing-time', 'The event has no timestamp and would count from today.');
  const time = parseTime(text);
  const shown = text.slice(0, 80);
  if (time.kind === 'invalid') return complain('invalid-time', `The timestamp "${shown}" ${time.reason}.`);
  if (time.kind !== 'instant')
    return complain('time-without-zone', `The time ${shown} has no time zone. Set source.timezone.`);
  if (time.ms > now + CLOCK_SKEW_MS)
    complain(
      'time-in-future',
      `The time ${shown} is in the future: the event counts from then on.`,
      'warning',
    );
  return new Date(time.ms).toISOString();
}

function checkProperties(value: unknown, complain: Complain): UsageEventPayload['properties'] {
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value === 'object' && !Array.isArray(value)) return value as Record<string, unknown>;
  return complain('invalid-properties', `The properties are not an object: ${textOf(value).slice(0, 60)}.`);
}

/** In rejects: the ID that was made for a row. */
export const EVENT_ID = '_eventId';
export const MADE = 'row-';

/**
 * Made of a row's values, and of its number among equal rows in rejects. A corrected row loses that, so it equals the row of a
 * corrected export.
 */
export function rowIds({ [EVENT_ID]: noted, [REASON]: _, ...own }: JsonObject) {
  const given = textOf(noted).trim();
  const text = JSON.stringify(own, withSortedKeys);
  const made = `${MADE}${hash('sha256', text, 'hex').slice(0, 32)}`;
  return { made, given: given === made || given.startsWith(`${made}-`) ? given : undefined };
}

/** The order of columns and empty ones do not matter. */
function withSortedKeys(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, part]) => !isAbsent(part))
      .toSorted(([one], [other]) => (one < other ? -1 : 1)),
  );
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}
