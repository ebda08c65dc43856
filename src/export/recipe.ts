/** The language of recipes: how tickets leave a platform, as data. docs/export.md explains each key. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { LineCounter, parseDocument } from 'yaml';
import { z } from 'zod';
import { AppError } from '../domain/errors.ts';
import { didYouMean } from '../domain/nearest.ts';
import { numberOf, textOf, whole } from '../domain/text/foreign.ts';
import { stop } from '../domain/text/stops.ts';

const text = z.string().min(1);
/** Always below the platform's own address. */
const path = z.string().regex(/^\/(?!\/)/, 'A path begins with one /.');
const texts = z.record(text, text);
const flag = z.boolean().optional();
const scalar = z.union([z.string(), z.number(), z.boolean()]);
const oneOrMore = <T extends z.ZodType>(one: T) => z.union([one, z.array(one)]).optional();
/** Its documentation, the trap it was written against, and gaps of the documentation. */
const source = { docs: oneOrMore(z.url()), trap: oneOrMore(text), unknown: oneOrMore(text) };
const rate = z.strictObject({ requests: z.int().positive(), seconds: z.number().positive() });

interface Condition {
  readonly column?: string | undefined;
  readonly is?: string | number | boolean | undefined;
  readonly in?: readonly (string | number | boolean)[] | undefined;
  /** Compares the length of a list. */
  readonly above?: number | undefined;
  readonly any?: readonly Condition[] | undefined;
  readonly all?: readonly Condition[] | undefined;
}

const condition: z.ZodType<Condition> = z.lazy(() =>
  z.union([
    z.strictObject({ column: text, is: scalar }),
    z.strictObject({ column: text, in: z.array(scalar) }),
    z.strictObject({ column: text, above: z.number() }),
    z.strictObject({ any: z.array(condition) }),
    z.strictObject({ all: z.array(condition) }),
  ]),
);

const page = z.union([
  // `keep`: the last cursor is where the next export begins; `again`: rows move while the list is read
  z.strictObject({
    ...{ cursor: text, from: text, more: text.optional(), end: text.optional() },
    ...{ first: z.record(text, z.coerce.string()).optional(), keep: flag, again: flag },
  }),
  // `last`: where the answer has the last number, its count, or that this is the last page; `hidden`: pages lack rows
  z.strictObject({
    ...{ number: text.optional(), offset: text.optional(), first: z.int().optional() },
    ...{ size: z.int().positive(), last: text.optional(), hidden: flag },
  }),
  z.strictObject({ next: text, again: flag }),
  // every `{numbers}` up to the highest that no row of these resources has; `most` in a request
  z.strictObject({ numbers: z.array(text), most: z.int().positive().default(1) }),
  z.strictObject({ link: z.literal(true) }),
]);

const resource = z.strictObject({
  ...source,
  of: oneOrMore(text),
  get: path,
  /** The body of a POST that only reads; the place in its list goes into it. */
  post: z.record(text, z.unknown()).optional(),
  query: z.record(text, scalar).optional(),
  /** `a[].b`: in each element of a list; absent: the answer itself. */
  rows: text.optional(),
  file: z.union([z.literal(false), text]).optional(),
  /** Its ids are a list, each after a comma, for `{name}` in queries of the others. */
  names: flag,
  /** Asked for by the ids in rows of the parent, `most` in a request. */
  ids: z.strictObject({ at: text, most: z.int().positive().default(100) }).optional(),
  /** A request for each ticket, of an optional resource: its time is announced. */
  costly: flag,
  id: text.default('id'),
  adds: texts.optional(),
  pick: z.array(text).optional(),
  keep: z.strictObject({ column: text, where: condition }).optional(),
  where: condition.optional(),
  when: condition.optional(),
  page: page.optional(),
  /** `sorted`: each page begins at the end of the last one, so changes and long lists lose nothing. */
  since: z
    .strictObject({
      ...{
        column: text,
        start: z.iso.datetime(),
        format: z.enum(['iso', 'millis', 'minute', 'plain', 'unix']).default('iso'),
      },
      ...{ overlap: z.number().default(1), sorted: z.boolean().default(false) },
    })
    .optional(),
  history: flag,
  optional: flag,
  /** The noun for one row. */
  noun: text.optional(),
  /** A list in each row that is counted on its own. */
  inside: z.strictObject({ at: text, noun: text }).optional(),
  /** The column of the parent (of the row itself where there is an `inside`) that tells how many there are. */
  declares: text.optional(),
  /** The place of the total in the answer. */
  total: text.optional(),
  limit: rate.optional(),
  scope: text.optional(),
});

const oauth = z.strictObject({
  path,
  /** A word of the address, and the one in its place at the token's host. */
  host: z.tuple([text, text]).optional(),
  ...{ client: text, secret: text, refresh: text.optional(), scope: text.optional() },
  scheme: text.default('Bearer'),
});

const way = z.union([
  z.strictObject({ ...source, basic: z.tuple([text, text]) }),
  z.strictObject({ ...source, headers: texts }),
  z.strictObject({ ...source, oauth }),
]);
export type Way = z.output<typeof way>;

const recipe = z.strictObject({
  ...source,
  name: z.string().regex(/^[a-z][a-z0-9-]*$/),
  title: text,
  address: z.strictObject({
    from: z.string().regex(/^[A-Z][A-Z0-9_]*_URL$/),
    ...{ example: z.url(), byDefault: z.url().optional(), regions: z.array(z.url()).optional() },
  }),
  /** Ways to sign in; the first with all variables set is used. */
  auth: z.union([way, z.array(way).min(1)]).transform((ways) => [ways].flat()),
  headers: texts.optional(),
  /** Headers: how many requests the account has (more than `most` counts something else), has left, gets anew, must wait. */
  limit: rate.extend({
    ...source,
    ...{ total: text.optional(), most: z.int().positive().optional() },
    ...{ remaining: text.optional(), reset: text.optional(), retry: text.optional() },
  }),
  resources: z.record(z.string().regex(/^[a-z][a-z0-9_]*$/), resource),
});

export interface Resource extends z.output<typeof resource> {
  readonly name: string;
  /** The platform's. */
  readonly title: string;
  readonly children: Resource[];
  /** Names first, then lists, their children, and at last numbers that no list has. */
  readonly depth: number;
}
export interface Recipe extends Omit<z.output<typeof recipe>, 'resources'> {
  readonly resources: readonly Resource[];
}

/** Depths of what goes before all else, and after it. */
export const FIRST = -1000;
export const LAST = 1000;
const FOLDER = join(import.meta.dirname, 'recipes');

export function recipeNames(): string[] {
  return readdirSync(FOLDER)
    .map((name) => name.replace(/\.yaml$/, ''))
    .sort();
}

export function builtinRecipe(name: string): Recipe {
  const names = recipeNames();
  if (names.includes(name))
    return parseRecipe(readFileSync(join(FOLDER, `${name}.yaml`), 'utf8'), name, true);
  throw stop('no-recipe', { name, near: didYouMean(name, names), names: names.join(', ') });
}

export function parseRecipe(written: string, file: string, isOurs = false): Recipe {
  const faults = (lines: string[]) =>
    new AppError('configuration', `The recipe ${file} has mistakes.`, { lines });
  let value: unknown;
  try {
    const lines = new LineCounter();
    // each error with its line drawn takes seconds for 30,000 of them
    const document = parseDocument(written, { prettyErrors: false, logLevel: 'error', lineCounter: lines });
    const [fault] = document.errors;
    if (fault !== undefined) {
      const { line, col } = lines.linePos(fault.pos[0]);
      throw new Error(`${file}:${line}:${col}: ${fault.message}.`);
    }
    // an alias of itself is no JSON
    value = JSON.parse(JSON.stringify(document.toJS()));
  } catch (error) {
    const said = (error as Error).message;
    throw faults([/call stack|circular/.test(said) ? 'It nests without end.' : said]);
  }
  const read = recipe.safeParse(value);
  if (!read.success)
    throw faults(read.error.issues.map(({ path, message }) => `${path.map(String).join('.')}: ${message}`));
  const foreign = isOurs ? [] : strangeIn(read.data);
  if (foreign.length > 0) throw faults(foreign);
  const resources = new Map<string, Resource>();
  for (const [name, own] of Object.entries(read.data.resources)) {
    const above = [own.of ?? []].flat();
    const parents = above.flatMap((of) => resources.get(of) ?? []);
    const strange = above.filter((of) => !resources.has(of));
    if (strange.length > 0)
      throw faults([`resources.${name}.of: No resource above it is called "${strange}".`]);
    const begin = own.names ? FIRST : own.page && 'numbers' in own.page ? LAST : 0;
    const depth = Math.max(begin, ...parents.map((parent) => parent.depth + 1));
    const made: Resource = { ...own, name, title: read.data.title, children: [], depth };
    for (const { children } of parents) children.push(made);
    resources.set(name, made);
  }
  return { ...read.data, resources: [...resources.values()] };
}

/** Names of variables in templates. */
export function variablesIn(templates: unknown): string[] {
  const found = JSON.stringify(templates ?? '').matchAll(/\{([A-Z][A-Z0-9_]*)\}/g);
  return [...new Set([...found].map(([, name = '']) => name))];
}

/** Variables of other programs, and hosts, which a recipe of another person may not name. */
function strangeIn({ address, auth, headers }: z.output<typeof recipe>): string[] {
  const prefix = address.from.replace(/URL$/, '');
  const only = `Only ${address.from} may say which host is read`;
  return [
    ...(prefix === 'HELPDESK_' ? [`address.from: ${prefix}… are variables of the import.`] : []),
    ...(address.byDefault === undefined ? [] : [`address.byDefault: ${only}.`]),
    ...auth.flatMap((one) => ('oauth' in one && one.oauth.host ? [`auth.oauth.host: ${only}.`] : [])),
    ...variablesIn([auth, headers]).flatMap((name) =>
      name.startsWith(prefix) ? [] : [`{${name}}: The name of a variable must begin with ${prefix}.`],
    ),
  ];
}

/** The recipe without some resources and their children. Throws AppError `usage` for a name that it does not have. */
export function without(recipe: Recipe, names: readonly string[]): Recipe {
  const known = recipe.resources.flatMap(({ name, of }) => (of === undefined ? [] : [name]));
  const strange = names.find((name) => !known.includes(name));
  if (strange !== undefined)
    throw stop('no-such-list', { strange, near: didYouMean(strange, known), known: known.join(', ') });
  const isOut = ({ name, of }: Resource): boolean =>
    names.includes(name) || (of !== undefined && [of].flat().every((one) => names.includes(one)));
  for (const { children } of recipe.resources)
    for (const child of children.filter(isOut)) children.splice(children.indexOf(child), 1);
  return { ...recipe, resources: recipe.resources.filter((one) => !isOut(one)) };
}

export type Row = Readonly<Record<string, unknown>>;

/** A value of a row by its path; a column whose own name has dots comes first. */
export function valueAt(row: unknown, path: string): unknown {
  const [list = '', inner] = path.split('[].');
  if (inner !== undefined) return listAt(row, list)?.flatMap((one) => valueAt(one, inner) ?? []);
  if (typeof row !== 'object' || row === null) return undefined;
  if (Object.hasOwn(row, path)) return whole((row as Row)[path]);
  const dot = path.indexOf('.');
  return dot < 0 ? undefined : valueAt((row as Row)[path.slice(0, dot)], path.slice(dot + 1));
}

/** The row with another value at a path; objects on the way need not be there. */
export function withAt(row: unknown, path: string, value: unknown): Row {
  const [name = '', ...rest] = path.split('.');
  const own = (row ?? {}) as Row;
  return { ...own, [name]: rest.length === 0 ? value : withAt(own[name], rest.join('.'), value) };
}

export function listAt(row: unknown, path: string): unknown[] | undefined {
  const value = valueAt(row, path);
  return Array.isArray(value) ? value : undefined;
}

/** As a recipe writes it: truth values are words too. */
function wordOf(value: unknown): string | undefined {
  return typeof value === 'boolean' ? String(value) : textOf(value);
}

export function holds({ column = '', is, above, any, all, ...rest }: Condition, row: unknown): boolean {
  if (any !== undefined) return any.some((one) => holds(one, row));
  if (all !== undefined) return all.every((one) => holds(one, row));
  const value = valueAt(row, column);
  if (above !== undefined) return (Array.isArray(value) ? value.length : (numberOf(value) ?? 0)) > above;
  return (rest.in ?? [is]).map(String).includes(wordOf(value) ?? '');
}

/** `{column}` of a template; unknown ones stay. A template that is one column keeps the type of its value. */
export function filled(template: string, row: unknown, encode: (text: string) => string = String): unknown {
  const [, only] = /^\{([^{}]+)\}$/.exec(template) ?? [];
  if (only !== undefined && encode === String)
    return valueAt(row, only) === undefined ? template : valueAt(row, only);
  return template.replace(/\{([^{}]+)\}/g, (place, path: string) => {
    const value = wordOf(valueAt(row, path));
    return value === undefined ? place : encode(value);
  });
}

/** The name of the file of a resource; undefined for one that only leads to others. */
export function fileOf({ name, file }: Resource): string | undefined {
  return file === false ? undefined : `${file ?? name}.jsonl`;
}
