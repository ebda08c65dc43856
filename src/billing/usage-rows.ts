import { hash } from 'node:crypto';
import type { Problem } from '../domain/problem.ts';
import type { JsonObject } from '../domain/source.ts';
import {
  type ExportFiles,
  isJsonObject,
  type ReadRecord,
  type SourceFile,
  textOf,
} from '../domain/source-file.ts';
import { stop } from '../domain/text/stops.ts';
import { parseTime } from '../domain/written-time.ts';
import { compileTimes } from '../mapping/language/read-times.ts';
import type { UsageEventPayload } from './app-api.ts';

export interface UsageRow {
  readonly record: ReadRecord;
  readonly file: SourceFile;
  /** Undefined for an unreadable record. */
  readonly values: FieldValues | undefined;
}

/** The API's own names, also with underscores. */
const NAMES = {
  eventName: ['eventName', 'event_name'],
  customerId: ['customerId', 'customer_id'],
  eventId: ['eventId', 'event_id'],
  timestamp: ['timestamp'],
  properties: ['properties'],
} as const;
const KNOWN: ReadonlySet<string> = new Set([...Object.values(NAMES).flat()]);

export type UsageRows = ReturnType<typeof usageRows>;

export function usageRows(
  { files }: ExportFiles,
  { timezone, dayFirst }: { readonly timezone?: string | undefined; readonly dayFirst?: boolean | undefined },
  signal: AbortSignal,
) {
  const document = files.find(({ format }) => format === 'json');
  if (document !== undefined) throw stop('usage-document', { name: document.name });
  const timeOf = compileTimes({ formats: ['auto'], zone: timezone }, () => dayFirst);
  const unused = new Map<string, { readonly file: string; readonly column: string; filled: number }>();
  const see = (file: string, object: JsonObject) => {
    for (const [column, value] of Object.entries(object)) {
      if (KNOWN.has(column) || isEmpty(value)) continue;
      const found = unused.get(`${file} ${column}`) ?? { file, column, filled: 0 };
      found.filled++;
      unused.set(`${file} ${column}`, found);
    }
  };
  return {
    files,
    *read(): Generator<UsageRow> {
      for (const file of files)
        for (const records of file.records(undefined, signal))
          for (const record of records) {
            const { object } = record;
            if (object !== undefined) see(file.name, object);
            yield { record, file, values: object && valuesOf(object, timeOf) };
          }
    },
    unused: () =>
      [...unused.values()].map(
        ({ column, file, filled }): Problem => ({
          severity: 'warning',
          code: 'unused-column',
          ...{ file, line: 1, column, field: column },
          message: `The column "${column}" is not sent (filled in ${filled} rows of ${file}). To send it, name it properties.${column}.`,
          count: 1,
        }),
      ),
  };
}

function valuesOf(object: JsonObject, timeOf: (value: unknown) => unknown): FieldValues {
  const first = (names: readonly string[]) =>
    names.map((name) => object[name]).find((value) => !isEmpty(value));
  return {
    eventName: first(NAMES.eventName),
    customerId: first(NAMES.customerId),
    eventId: first(NAMES.eventId),
    timestamp: timeOf(first(NAMES.timestamp)),
    properties: propertiesIn(object['properties']),
  };
}

/** An object, its JSON in a cell, or columns such as `properties.total`. */
function propertiesIn(value: unknown): unknown {
  if (typeof value === 'string') {
    try {
      return JSON.parse(value);
    } catch {
      return value;
    }
  }
  if (!isJsonObject(value)) return value;
  const filled = Object.entries(value).filter(([, part]) => part !== '');
  return filled.length === 0 ? undefined : Object.fromEntries(filled);
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}

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

/** Made of a row's values. Rejects note it with the row's number among equal ones; a corrected row loses that. */
export function rowIds(object: JsonObject, reason: string) {
  const made = `row-${hash('sha256', JSON.stringify(object, withSortedKeys), 'hex').slice(0, 32)}`;
  const given = NOTED.exec(reason)?.[1];
  return { made, given: given === made || given?.startsWith(`${made}-`) ? given : undefined };
}

/** As rejects begin the reason of an event whose ID was made. */
const NOTED = /^(row-[\da-f]{32}(?:-\d+)?): /;

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
