import { AppError } from '../domain/errors.ts';
import type { Problem } from '../domain/problem.ts';
import { type JsonObject, REASON, type RecordRef } from '../domain/source.ts';
import { type ExportFiles, isJsonObject, type ReadRecord, type SourceFile } from '../domain/source-file.ts';
import { compileTimes } from '../time/read-times.ts';
import { EVENT_ID, type FieldValues } from './usage-event.ts';

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
const KNOWN: ReadonlySet<string> = new Set([...Object.values(NAMES).flat(), EVENT_ID, REASON]);

export type UsageRows = ReturnType<typeof usageRows>;

/** Throws AppError `source` for a JSON document. */
export function usageRows(
  { files }: ExportFiles,
  { timezone, dayFirst }: { readonly timezone?: string | undefined; readonly dayFirst?: boolean | undefined },
  signal: AbortSignal,
) {
  const document = files.find(({ format }) => format === 'json');
  if (document !== undefined)
    throw new AppError('source', `${document.name} is one JSON document: usage events are CSV or JSONL.`, {
      hint: 'Write one event a line, for example with: jq -c .[] events.json > events.jsonl',
    });
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
    again: (ref: RecordRef) => files[ref.file]?.at(ref, undefined),
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
