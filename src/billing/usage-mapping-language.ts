/** How a row becomes a usage event: `appApi.usageEvents` in the settings file, in the expressions of the mapping language. */
import * as z from 'zod';
import { type Expression, expression, plainIssues, strict } from '../mapping/language/expression.ts';
import { layoutShape } from '../mapping/language/layout.ts';
import type { MappingCheck } from '../settings/settings-file.ts';

export const FIELDS = ['eventName', 'customerId', 'eventId', 'timestamp', 'properties'] as const;
export type FieldValues = Readonly<Record<(typeof FIELDS)[number], unknown>>;

/** A column alone, or the first of several, is read as a time however it is written. */
function asTime(timestamp: Expression): Expression {
  if (typeof timestamp === 'string') return { column: timestamp, time: 'auto' };
  if (Array.isArray(timestamp)) return { of: timestamp, time: 'auto' };
  return timestamp.time === undefined ? { of: timestamp, time: 'auto' } : timestamp;
}

/** One expression that gives an object, or `fields`: one for each property. */
type Properties = Expression | { readonly fields: Readonly<Record<string, Expression>> };

/** An object is one expression if it is valid as one (`column`, `item` …); else its keys name properties. */
const properties = z
  .union([z.string().min(1), z.record(z.string().min(1), z.unknown())])
  .transform((written, context): Properties => {
    if (typeof written === 'string') return { column: written, cell: 'json' };
    const whole = expression.safeParse(written);
    if (whole.success) return whole.data;
    const fields = z.record(z.string(), expression).safeParse(written);
    if (fields.success) return { fields: fields.data };
    context.issues.push(...(fields.error.issues as typeof context.issues));
    return z.NEVER;
  });

/** Without a mapping the API's own names are read, also with underscores. */
export const usageMapping = strict({
  eventName: expression.default(['eventName', 'event_name']),
  customerId: expression.default(['customerId', 'customer_id']),
  eventId: expression.default(['eventId', 'event_id']),
  timestamp: expression.transform(asTime).default({ column: 'timestamp', time: 'auto' }),
  properties: properties.default({ column: 'properties', cell: 'json' }),
  maps: layoutShape.maps,
  /** Texts that mean an empty cell. */
  nulls: layoutShape.nulls,
  exclude: layoutShape.exclude,
  /** Columns that are not sent on purpose; `*` at the end matches the rest. */
  ignore: layoutShape.ignore,
  /** The list of records in a JSON file, for example `data.events`; `.` for the document itself. */
  path: z.string().min(1).optional(),
});

export type UsageMapping = z.output<typeof usageMapping>;

/** Issues with their path below `appApi.usageEvents`. */
export const checkUsageEvents: MappingCheck = (written) =>
  plainIssues(usageMapping.safeParse(written).error?.issues ?? []);
