/**
 * How a row becomes a usage event, as it is written under `appApi.usageEvents` in the settings file: the expressions of
 * the mapping language for five fields, with the value maps, exclude rules and empty texts that mappings of tickets have.
 */
import * as z from 'zod';
import type { Condition, Expression } from '../mapping/language/expression.ts';
import { condition, expression, unlisted } from '../mapping/language/expression-schema.ts';
import type { ExcludeRule, Recognition, ValueMap } from '../mapping/language/layout-schema.ts';
import { type LayoutIssue, plainIssues, strict } from '../mapping/language/strict-object.ts';

/** An expression for each property. */
export interface UsageProperties {
  readonly fields: Readonly<Record<string, Expression>>;
}

export interface UsageMapping {
  readonly eventName: Expression;
  readonly customerId: Expression;
  /** Without it, and where it is empty, the id is derived from the row. */
  readonly eventId?: Expression | undefined;
  readonly timestamp?: Expression | undefined;
  /** One expression that gives an object, or one for each property. */
  readonly properties?: Expression | UsageProperties | undefined;
  readonly maps?: Readonly<Record<string, ValueMap>> | undefined;
  /** Texts that mean an empty cell. */
  readonly nulls?: readonly string[] | undefined;
  readonly exclude?: readonly ExcludeRule[] | undefined;
  /** Columns that are left out on purpose; `*` at the end matches the rest. */
  readonly ignore?: readonly string[] | undefined;
  /** Where in a JSON file the records stand, e.g. `data.events`; `.` for the document itself. */
  readonly path?: Recognition['path'];
  /** Zone of times that state none. */
  readonly zone?: string | undefined;
}

const scalar = z.union([z.string(), z.number(), z.boolean()]);
const exclude: z.ZodType<{ when: Condition; reason: string }> = strict({
  when: condition,
  reason: z.string().min(1),
});

const mapping = strict({
  eventName: expression.optional(),
  customerId: expression.optional(),
  eventId: expression.optional(),
  timestamp: expression.optional(),
  properties: z.union([z.string().min(1), z.record(z.string().min(1), z.unknown())]).optional(),
  maps: z
    .record(
      z.string(),
      strict({ values: z.record(z.string(), z.union([scalar, z.null()])), unlisted: unlisted.optional() }),
    )
    .optional(),
  nulls: z.array(z.string()).optional(),
  exclude: z.array(exclude).optional(),
  ignore: z.array(z.string()).optional(),
  path: z.string().min(1).optional(),
  zone: z.string().min(1).optional(),
});

/** The API's own field names, also with underscores: what holds where nothing is mapped. */
export const NATIVE_USAGE: UsageMapping = {
  eventName: ['eventName', 'event_name'],
  customerId: ['customerId', 'customer_id'],
  eventId: ['eventId', 'event_id'],
  timestamp: { column: 'timestamp', time: 'auto' },
  properties: { column: 'properties', cell: 'json' },
};

/** Issues carry the path from the section on. What is not mapped is read under the API's own name. */
export function readUsageMapping(
  value: unknown,
): { readonly mapping: UsageMapping } | { readonly issues: LayoutIssue[] } {
  const parsed = mapping.safeParse(value);
  if (!parsed.success) return { issues: plainIssues(parsed.error.issues) };
  const { properties, timestamp, ...rest } = parsed.data;
  const read = propertiesOf(properties);
  if ('issues' in read) return read;
  const given = Object.fromEntries(Object.entries(rest).filter(([, part]) => part !== undefined));
  return {
    mapping: {
      ...NATIVE_USAGE,
      ...given,
      ...(timestamp === undefined ? {} : { timestamp: asTime(timestamp) }),
      ...read,
    },
  };
}

/** A column alone, or the first of several, is read as a time however it is written. */
function asTime(timestamp: Expression): Expression {
  if (typeof timestamp === 'string') return { column: timestamp, time: 'auto' };
  if (Array.isArray(timestamp)) return { first: timestamp, time: 'auto' };
  return timestamp.time === undefined ? { of: timestamp, time: 'auto' } : timestamp;
}

/** An object is one expression where it has a source of its own (`column`, `item` …); else it names properties. */
function propertiesOf(
  properties: string | Record<string, unknown> | undefined,
): Pick<UsageMapping, 'properties'> | { readonly issues: LayoutIssue[] } {
  if (properties === undefined) return {};
  if (typeof properties === 'string') return { properties: { column: properties, cell: 'json' } };
  const whole = expression.safeParse(properties);
  if (whole.success) return { properties: whole.data };
  const fields: Record<string, Expression> = {};
  const issues: LayoutIssue[] = [];
  for (const [name, part] of Object.entries(properties)) {
    const one = expression.safeParse(part);
    if (one.success) fields[name] = one.data;
    else issues.push(...plainIssues(one.error.issues, ['properties', name]));
  }
  return issues.length > 0 ? { issues } : { properties: { fields } };
}
