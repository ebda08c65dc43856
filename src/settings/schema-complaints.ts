/** What a schema found wrong, in words for the person who wrote the file. */
import type { z } from 'zod';
import { didYouMean, nearest } from '../domain/nearest.ts';
import { quoted } from './parsers.ts';

export interface SchemaComplaint {
  readonly path: readonly PropertyKey[];
  /** Whether the key at the path is wrong, or its value. */
  readonly at: 'key' | 'value';
  readonly message: string;
}

type Issue = z.core.$ZodIssue;
type Path = readonly PropertyKey[];

const TYPES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    string: 'a text',
    number: 'a number',
    int: 'a whole number',
    boolean: 'true or false',
    object: 'a section with its own keys',
    record: 'a section with its own keys',
    array: 'a list',
    null: 'empty',
  }),
);

const SECTIONS: ReadonlySet<string> = new Set(['object', 'record']);

/** All complaints of a failed parse of `value` against `schema`. */
export function schemaComplaints(schema: z.ZodType, value: unknown, error: z.ZodError): SchemaComplaint[] {
  return describeAll(schema, value, error.issues, []);
}

function describeAll(
  schema: z.ZodType,
  value: unknown,
  issues: readonly Issue[],
  base: Path,
): SchemaComplaint[] {
  const typos = new Set<string>();
  for (const issue of issues) {
    if (issue.code !== 'unrecognized_keys') continue;
    const path = [...base, ...issue.path];
    for (const key of issue.keys) typos.add(join([...path, nearest(key, knownKeys(schema, path)) ?? '']));
  }
  return issues.flatMap((issue) => {
    const path = [...base, ...issue.path];
    // The key is there, misspelled: that is said already.
    if (valueAt(value, path) === undefined && typos.has(join(path))) return [];
    return describe(schema, value, issue, path);
  });
}

function describe(schema: z.ZodType, value: unknown, issue: Issue, path: Path): SchemaComplaint[] {
  if (issue.code === 'unrecognized_keys') {
    const where = path.length === 0 ? 'a setting' : `a key of ${pathText(path)}`;
    return issue.keys.map((key) => ({
      path: [...path, key],
      at: 'key' as const,
      message: `${mayBeSecret(key) ? `A key of ${key.length} characters` : quoted(key)} is not ${where}.${keyHint(schema, path, key)}`,
    }));
  }
  if (issue.code === 'invalid_union' && issue.errors.length > 0) return union(schema, value, issue, path);
  return [{ path, at: 'value', message: sentence(issue, path, valueAt(value, path)) }];
}

/** No setting is called so: a token in the place of a key. Its place is enough. */
export function mayBeSecret(key: string): boolean {
  return key.length >= 16 && /\d/.test(key) && /^[\w+/=.~-]+$/.test(key);
}

/** Of the ways that a value might have been meant, the one that got furthest; or all of them, in one sentence. */
function union(
  schema: z.ZodType,
  value: unknown,
  issue: Extract<Issue, { code: 'invalid_union' }>,
  path: Path,
): SchemaComplaint[] {
  const branches: readonly (readonly Issue[])[] = issue.errors;
  const typed = branches.filter(
    (branch) => !branch.some((inner) => inner.path.length === 0 && isOther(inner)),
  );
  if (typed.length === 0) {
    const wanted = [...new Set(branches.flat().map(expectation))].filter((words) => words !== '');
    if (isCustom(issue)) return [{ path, at: 'value', message: `${pathText(path)} ${issue.message}` }];
    return [
      {
        path,
        at: 'value',
        message: `${pathText(path)} must be ${wanted.join(' or ')}, not ${shown(valueAt(value, path))}.`,
      },
    ];
  }
  const best = typed.toSorted((a, b) => a.length - b.length || reach(b) - reach(a))[0] ?? [];
  return describeAll(schema, value, best, path);
}

/** The branch is of another type altogether. */
function isOther(issue: Issue): boolean {
  return issue.code === 'invalid_type' || issue.code === 'invalid_value';
}

function reach(issues: readonly Issue[]): number {
  return Math.max(0, ...issues.map((issue) => issue.path.length));
}

function expectation(issue: Issue): string {
  if (issue.code === 'invalid_type') return TYPES.get(issue.expected) ?? issue.expected;
  if (issue.code === 'invalid_value') return issue.values.map((word) => `"${String(word)}"`).join(' or ');
  return '';
}

function isCustom(issue: Issue): boolean {
  return !/^(Invalid|Too|Unrecognized)/.test(issue.message);
}

function sentence(issue: Issue, path: Path, value: unknown): string {
  const name = pathText(path);
  if (isCustom(issue)) return `${name} ${issue.message}`;
  switch (issue.code) {
    case 'invalid_type':
      if (value === undefined) return `${name} is missing: it must be ${expectation(issue)}.`;
      // A text in the place of a section may be anything, also the file of variables with a token in it.
      return `${name} must be ${expectation(issue)}, not ${
        typeof value === 'string' && SECTIONS.has(issue.expected) ? 'a text' : shown(value)
      }.`;
    case 'invalid_value': {
      const words = issue.values.map(String);
      const list = words.map((word) => `"${word}"`).join(', ');
      const hint = typeof value === 'string' ? didYouMean(value, words) : '';
      return `${name} must be ${words.length > 1 ? 'one of ' : ''}${list}, not ${shown(value)}.${hint}`;
    }
    case 'too_small':
      if (issue.origin === 'number' || issue.origin === 'int')
        return `${name} must be at least ${issue.minimum}.`;
      return `${name} must not be empty.`;
    case 'too_big':
      return `${name} must be at most ${issue.maximum}.`;
    default:
      return `${name} is wrong: ${issue.message}.`;
  }
}

/** A value of the file as a complaint repeats it. */
function shown(value: unknown): string {
  if (value === undefined) return 'missing';
  if (value === null) return 'empty';
  if (typeof value === 'string') return `the text ${quoted(value)}`;
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'a section';
  return String(value);
}

export function valueAt(value: unknown, path: Path): unknown {
  let at: unknown = value;
  for (const part of path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, part)) return undefined;
    at = Reflect.get(at, part);
  }
  return at;
}

/** `messages[0].from.column`; the file itself for the empty path. */
export function pathText(path: Path): string {
  if (path.length === 0) return 'the settings file';
  return path
    .map((part, index) =>
      typeof part === 'number' ? `[${part}]` : `${index === 0 ? '' : '.'}${String(part)}`,
    )
    .join('');
}

function join(path: Path): string {
  return path.map(String).join('\u0000');
}

type Schema = z.core.$ZodType;

/** The schemas behind optional, default, nullable, lazy, pipes and unions. */
function alternatives(schema: Schema, depth = 0): Schema[] {
  if (depth > 12) return [];
  const def: z.core.$ZodTypeDef & {
    innerType?: Schema;
    in?: Schema;
    options?: Schema[];
    getter?: () => Schema;
  } = schema._zod.def;
  const inner = def.innerType ?? def.in ?? (def.type === 'lazy' ? def.getter?.() : undefined);
  if (inner !== undefined) return alternatives(inner, depth + 1);
  if (def.type === 'union' && def.options !== undefined)
    return def.options.flatMap((option) => alternatives(option, depth + 1));
  return [schema];
}

function shapeOf(schema: Schema): Readonly<Record<string, Schema>> | undefined {
  const def: z.core.$ZodTypeDef & { shape?: Readonly<Record<string, Schema>> } = schema._zod.def;
  return def.type === 'object' ? def.shape : undefined;
}

/** The schemas that may stand at a path of the data. */
function schemasAt(root: Schema, path: Path): Schema[] {
  let found = alternatives(root);
  for (const part of path) {
    found = found.flatMap((schema) => {
      const def: z.core.$ZodTypeDef & { element?: Schema; valueType?: Schema } = schema._zod.def;
      const shape = shapeOf(schema);
      const next =
        shape === undefined
          ? (def.element ?? def.valueType)
          : Object.hasOwn(shape, part)
            ? shape[String(part)]
            : undefined;
      return next === undefined ? [] : alternatives(next);
    });
  }
  return found;
}

/** Keys that an object at this path may have. */
function knownKeys(root: Schema, path: Path): string[] {
  const keys = schemasAt(root, path).flatMap((schema) => Object.keys(shapeOf(schema) ?? {}));
  return [...new Set(keys)];
}

/** ` Did you mean …?` for an unknown key: a near one at the same place, or the same key in a section of the file. */
function keyHint(root: Schema, path: Path, key: string): string {
  const here = knownKeys(root, path);
  const near = nearest(key, here);
  if (near !== undefined) return ` Did you mean "${near}"?`;
  for (const section of knownKeys(root, [])) {
    const elsewhere = knownKeys(root, [section]);
    const match = elsewhere.includes(key) ? key : nearest(key, elsewhere);
    if (match !== undefined && section !== path[0]) return ` Did you mean "${section}.${match}"?`;
    if (key === section) return ` It belongs at the top of the file.`;
  }
  return here.length === 0 || here.length > 16 ? '' : ` Known here: ${here.join(', ')}.`;
}
