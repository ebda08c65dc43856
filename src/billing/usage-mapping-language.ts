/**
 * How a row becomes a usage event, as it is written under `appApi.usageEvents` in the settings file: the expressions of
 * the mapping language for five fields, with the value maps, exclude rules and empty texts that mappings of tickets have.
 */
import * as z from 'zod';
import {
  type Expression,
  expression,
  type LayoutIssue,
  plainIssues,
  strict,
} from '../mapping/language/expression.ts';
import { layoutShape } from '../mapping/language/layout.ts';

/** A column alone, or the first of several, is read as a time however it is written. */
function asTime(timestamp: Expression): Expression {
  if (typeof timestamp === 'string') return { column: timestamp, time: 'auto' };
  if (Array.isArray(timestamp)) return { first: timestamp, time: 'auto' };
  return timestamp.time === undefined ? { of: timestamp, time: 'auto' } : timestamp;
}

/** One expression that gives an object, or `fields`: one for each property. */
type Properties = Expression | { readonly fields: Readonly<Record<string, Expression>> };

/** An object is one expression where it has a source of its own (`column`, `item` …); else it names properties. */
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

/** What is not mapped is read under the API's own name, also with underscores. */
const usageMapping = strict({
  eventName: expression.default(['eventName', 'event_name']),
  customerId: expression.default(['customerId', 'customer_id']),
  /** Where it is empty, the id is derived from the row. */
  eventId: expression.default(['eventId', 'event_id']),
  timestamp: expression.transform(asTime).default({ column: 'timestamp', time: 'auto' }),
  properties: properties.default({ column: 'properties', cell: 'json' }),
  maps: layoutShape.maps,
  /** Texts that mean an empty cell. */
  nulls: layoutShape.nulls,
  exclude: layoutShape.exclude,
  /** Columns that are left out on purpose; `*` at the end matches the rest. */
  ignore: layoutShape.ignore,
  /** Where in a JSON file the records stand, e.g. `data.events`; `.` for the document itself. */
  path: z.string().min(1).optional(),
  /** Zone of times that state none. */
  zone: z.string().min(1).optional(),
});

export type UsageMapping = z.output<typeof usageMapping>;

/** Issues carry the path from the section on. */
export function readUsageMapping(
  written: unknown,
): { readonly mapping: UsageMapping } | { readonly issues: LayoutIssue[] } {
  const parsed = usageMapping.safeParse(written);
  return parsed.success ? { mapping: parsed.data } : { issues: plainIssues(parsed.error.issues) };
}
