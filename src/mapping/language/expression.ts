/**
 * How a layout writes a value: a source (a column, a constant, a lookup) and modifiers (split, map, time). docs/mapping.md has
 * examples.
 */

import * as z from 'zod';
import { BOUNDS } from '../../domain/limits.ts';
import { didYouMean, retired } from '../../domain/nearest.ts';
import { isZone, nearestZone } from '../../domain/written-time.ts';
import { compileTimePattern } from './read-times.ts';

export const SOURCES = [
  'column',
  'const',
  'template',
  'when',
  'holds',
  'ticket',
  'row',
  'lookup',
  'rows',
  'each',
  'of',
] as const;
export const TESTS = ['is', 'in', 'matches', 'empty'] as const;
const CELL_TYPES = ['list', 'json', 'boolean', 'number'] as const;
const TEXT_FORMS = [
  'text',
  'email',
  'name',
  'integer',
  'boolean',
  'line-breaks',
  'unescaped',
  'lines',
] as const;

export type Scalar = string | number | boolean;

/** A column (or dotted path); a list: the first that is not empty; an object: one source and modifiers. */
export type Expression = string | Expression[] | ExpressionObject;

interface Case {
  if?: Condition | undefined;
  then?: Expression | undefined;
  else?: Expression | undefined;
}

type Plain = Omit<
  typeof shape,
  'when' | 'holds' | 'ticket' | 'row' | 'by' | 'each' | 'where' | 'order' | 'get' | 'item' | 'of'
>;
export interface ExpressionObject extends z.output<z.ZodObject<Plain>> {
  when?: Case[] | undefined;
  holds?: Condition | undefined;
  ticket?: Expression | undefined;
  row?: Expression | undefined;
  by?: Expression | undefined;
  each?: Expression | undefined;
  where?: Condition | undefined;
  order?: Expression | undefined;
  get?: Expression | undefined;
  item?: Record<string, Expression> | undefined;
  of?: Expression | undefined;
}

export type CellType = (typeof CELL_TYPES)[number];
export type TextForm = (typeof TEXT_FORMS)[number];

/** Texts compare trimmed and without case; `true` equals `TRUE`. */
export interface Condition {
  column?: Expression | undefined;
  is?: Scalar | undefined;
  in?: Scalar[] | undefined;
  known?: Scalar[] | undefined;
  matches?: string | undefined;
  empty?: boolean | undefined;
  all?: Condition[] | undefined;
  any?: Condition[] | undefined;
  not?: Condition | undefined;
}

export const scalar = z.union([z.string(), z.number(), z.boolean()]);
export const text = z.string().min(1);
export const words = z.union([text, z.array(text).min(1)]);

const textWithout = (fault: (text: string) => string | undefined) =>
  z.string().superRefine((text, context) => {
    const message = fault(text);
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  });

export const zone = textWithout((text) => {
  if (isZone(text)) return undefined;
  const meant = nearestZone(text);
  return `There is no time zone "${text}".${meant === undefined ? '' : ` Did you mean "${meant}"?`}`;
});

const timeFormat = textWithout((text) =>
  text === 'auto' || text === 'epoch' || compileTimePattern(text) !== undefined
    ? undefined
    : `"${text}" is not a time pattern: use auto, epoch, or letters such as dd/MM/yyyy HH:mm.`,
);
export const timeFormats = z.union([timeFormat, z.array(timeFormat).min(1)]);

/** `u` counts characters, not code units. Compiled on first use. */
function regexFault(text: string): string | undefined {
  const { most } = BOUNDS.pattern;
  if (text.length > most) return `it has ${text.length} characters, and ${most} are the most`;
  try {
    const regex = new RegExp(text, 'u');
    for (const char of ['a', '\u0100']) regex.test(char);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

const pattern = textWithout((text) => {
  const fault = regexFault(text);
  return fault && `This is not a regular expression: ${fault}.`;
});

export function regexOf(separator: string): string | undefined {
  return /^\/(.+)\/$/s.exec(separator)?.[1];
}

const separator = textWithout((text) => {
  if (text === '') return 'A separator is at least one character.';
  const regex = regexOf(text);
  return regex !== undefined && regexFault(regex) !== undefined
    ? `"${text}" is not a regular expression.`
    : undefined;
});

export type Unlisted = z.output<typeof unlisted>;
export const unlisted = z
  .union([z.enum(['error', 'keep', 'drop']), strict({ value: scalar })])
  .describe('For a value that the map does not list: error (default), keep, drop, or {value: …}.');

export const expression: z.ZodType<Expression> = z.lazy(() =>
  z.union([text, z.array(expression).min(1), expressionObject]),
);

function word<T extends z.ZodType>(schema: T, about: string): z.ZodOptional<T> {
  return schema.optional().describe(about);
}

const later: z.ZodType<Condition> = z.lazy(() => condition);

// biome-ignore lint/suspicious/noThenProperty: a word of the language; the object is a schema and never awaited
const oneCase = strict({ if: later.optional(), then: expression.optional(), else: expression.optional() });
const caseSchema = oneCase.refine(
  (entry) =>
    (entry.if !== undefined) === (entry.then !== undefined) &&
    (entry.if === undefined) !== (entry.else === undefined),
  { message: 'A case is {if: …, then: …} or {else: …}.' },
);

const shape = {
  column: word(text, 'A column of a CSV, or a dotted path in JSON; `.` is the list item itself.'),
  const: word(z.union([scalar, z.array(scalar)]), 'Always this value.'),
  template: word(z.string(), 'Text with {column} places; empty when all its places are empty.'),
  when: word(z.array(caseSchema).min(1), 'The first case whose condition holds.'),
  holds: word(later, 'true if the condition holds, else false.'),
  ticket: word(expression, "The same, read on the ticket's own row."),
  row: word(expression, 'The same, read on the row that contains the list item.'),
  lookup: word(z.string(), 'A lookup table, read by key.'),
  by: word(expression, 'The value to look up, or several.'),
  key: word(words, "Columns of the lookup table to compare with `by`; default: the table's key."),
  rows: word(z.string(), 'A child table: all its rows of this ticket.'),
  each: word(expression, 'A list; `get` or `item` is evaluated for each of its items.'),
  where: word(later, 'Only rows or items that meet this condition.'),
  take: word(z.enum(['all', 'first', 'last']), 'Which of the rows or items; default all.'),
  order: word(
    expression,
    'The rows or items in the order of this value; default: in the order of the files.',
  ),
  get: word(expression, 'What to read from the row or item found.'),
  item: word(z.record(z.string(), expression), 'An object made from each row or item.'),
  of: word(expression, 'Fallbacks; the first non-empty one is used.'),
  cell: word(z.enum(CELL_TYPES), 'How a CSV cell is read; values from JSON stay as they are.'),
  match: word(pattern, 'A regular expression; its first group, or the whole match. No match: empty.'),
  split: word(separator, 'A separator, a /regular expression/, or `list` for JSON lists and ; and | lists.'),
  pick: word(z.array(z.string()).min(1), 'Only these keys of an object, or of each object of a list.'),
  as: word(
    z.enum(TEXT_FORMS),
    'email and name take `Ann <ann@example.com>` apart; line-breaks reads \\n; unescaped reads `&lt;p&gt;`; lines: a list as one text.',
  ),
  markup: word(z.literal('jira'), 'Rich text of Jira to markdown.'),
  map: word(
    z.union([z.string(), z.record(z.string(), z.union([scalar, z.null()]))]),
    'A value map: the name of one under `maps`, or written here. `null` drops the value.',
  ),
  unlisted: unlisted.optional(),
  time: word(timeFormats, 'How a time is written: auto, epoch, or patterns such as dd/MM/yyyy HH:mm.'),
  zone: word(zone, 'Zone of times without one: an IANA name.'),
};

const expressionObject: z.ZodType<ExpressionObject> = strict(shape).superRefine((value, context) => {
  const complain = (message: string) => context.addIssue({ code: 'custom', message });
  const sources = SOURCES.filter((name) => value[name] !== undefined);
  if (sources.length !== 1)
    complain(
      `A value needs exactly one source (${SOURCES.join(', ')}); this has ${sources.join(' and ') || 'none'}.`,
    );
  const { lookup, by, get, rows, item, map, order, each } = value;
  if (lookup !== undefined && (by === undefined || get === undefined))
    complain('`lookup` needs `by` and `get`.');
  if (rows !== undefined && get === undefined && item === undefined)
    complain('`rows` needs `get` or `item`.');
  if (value.unlisted !== undefined && map === undefined) complain('`unlisted` is allowed only with `map`.');
  if (order !== undefined && rows === undefined && each === undefined)
    complain('`order` is allowed only with `rows` or `each`.');
});

export const condition = strict({
  column: expression.optional(),
  is: scalar.optional(),
  in: z.array(scalar).optional(),
  /** With `in` or a boolean `is`: other known words. An unlisted word is reported. */
  known: z.array(scalar).min(1).optional(),
  matches: pattern.optional(),
  empty: z.boolean().optional(),
  all: z.array(later).optional(),
  any: z.array(later).optional(),
  not: later.optional(),
}).superRefine((value, context) => {
  const complain = (message: string) => context.addIssue({ code: 'custom', message });
  const isTested = TESTS.some((name) => value[name] !== undefined);
  const isOfOthers = value.all !== undefined || value.any !== undefined || value.not !== undefined;
  if (value.column !== undefined && !isTested)
    complain(`A condition on a column needs a test: ${TESTS.join(', ')}.`);
  else if (value.column === undefined && isTested) complain('A test needs a `column`.');
  else if (value.known !== undefined && value.in === undefined && typeof value.is !== 'boolean')
    complain('`known` goes with `in`, or with `is: true`: {column: …, in: [words], known: [other words]}.');
  else if (value.column === undefined && !isOfOthers)
    complain('A condition is {column: …, is: …}, {all: […]}, {any: […]} or {not: …}.');
});

// An unknown key is an error that names the nearest one.

function instead(key: string, known: readonly string[]): string {
  const sentence = retired(`mapping.${key}`);
  return sentence === undefined ? didYouMean(key, known) : ` ${sentence}`;
}

export function strict<const S extends z.core.$ZodLooseShape>(shape: S) {
  return z.strictObject(shape, {
    error: (issue) => {
      if (issue.code !== 'unrecognized_keys') return undefined;
      const known = Object.keys(shape);
      // plainIssues makes one issue of each line.
      return issue.keys.map((key) => `There is no key "${key}" here.${instead(key, known)}`).join('\n');
    },
  });
}

export interface LayoutIssue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** For a choice, only faults of the intended branch. */
export function plainIssues(
  issues: readonly z.core.$ZodIssue[],
  base: readonly PropertyKey[] = [],
): LayoutIssue[] {
  const unknown = new Set(
    issues.filter(({ code }) => code === 'unrecognized_keys').map(({ path }) => path.join('\u0000')),
  );
  return issues.flatMap((issue) => {
    const path = [...base, ...issue.path];
    // Other errors of the object follow from the mistyped key.
    if (issue.code === 'custom' && unknown.has(issue.path.join('\u0000'))) return [];
    if (issue.code === 'unrecognized_keys') {
      const messages = issue.message.split('\n');
      return issue.keys.map((key, at) => ({ path: [...path, key], message: messages[at] ?? issue.message }));
    }
    if (issue.code !== 'invalid_union' || issue.errors.length === 0)
      return [{ path, message: issue.message }];
    const branches = issue.errors.map((branch) => plainIssues(branch, path));
    // A branch that fails at its root is of another type.
    const meant = branches
      .map((branch, at) => ({ branch, depth: rootMiss(issue.errors[at] ?? []) ? 1 : 0 }))
      .sort((a, b) => a.depth - b.depth || a.branch.length - b.branch.length)[0];
    if (meant === undefined || meant.depth === 1) return [{ path, message: 'This fits no allowed form.' }];
    return meant.branch;
  });
}

function rootMiss(issues: readonly z.core.$ZodIssue[]): boolean {
  return issues.some(
    (issue) => issue.path.length === 0 && (issue.code === 'invalid_type' || issue.code === 'invalid_value'),
  );
}

/** Its first column, else the rule itself. */
export function mainColumn(expression: Expression | undefined): string {
  if (expression === undefined) return '';
  if (typeof expression === 'string') return expression;
  if (Array.isArray(expression)) return mainColumn(expression[0]);
  const { column, of, ticket, row, get, each } = expression;
  return column ?? mainColumn(of ?? ticket ?? row ?? get ?? each);
}
