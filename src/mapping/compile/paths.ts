/** Names of columns: dotted paths, alternatives, patterns. */
import { plainHeader } from '../../domain/source.ts';

export type PathStep = { readonly key: string } | { readonly index: number } | 'each';
export type Path = readonly PathStep[];

export function parsePath(path: string): PathStep[] {
  const steps: PathStep[] = [];
  for (const part of path.split('.')) {
    const bracket = part.match(/^([^[\]]*)((?:\[\d*\])+)$/);
    const name = bracket ? (bracket[1] ?? '') : part;
    if (name !== '') steps.push({ key: name });
    for (const [, index = ''] of (bracket?.[2] ?? '').matchAll(/\[(\d*)\]/g))
      steps.push(index === '' ? 'each' : { index: Number(index) });
  }
  return steps;
}

export function keysOf(steps: Path): string[] {
  return steps.flatMap((step) => (step !== 'each' && 'key' in step ? [step.key] : []));
}

export function valueAt(value: unknown, steps: Path, from = 0): unknown {
  let current = value;
  for (let at = from; at < steps.length; at++) {
    if (current === null || typeof current !== 'object') return undefined;
    const step = steps[at];
    if (step === undefined) return undefined;
    if (step === 'each') {
      if (!Array.isArray(current)) return undefined;
      const found: unknown[] = [];
      for (const element of current) {
        const inner = valueAt(element, steps, at + 1);
        // More elements than a call takes arguments.
        if (Array.isArray(inner)) for (const item of inner) found.push(item);
        else if (inner !== undefined && inner !== null) found.push(inner);
      }
      return found;
    }
    if ('index' in step) current = Array.isArray(current) ? current[step.index] : undefined;
    else if (Array.isArray(current)) {
      const index = Number(step.key);
      current = Number.isInteger(index) ? current[index] : undefined;
    } else
      current = Object.hasOwn(current, step.key) ? (current as Record<string, unknown>)[step.key] : undefined;
  }
  return current;
}

export function alternatives(column: string): string[] {
  return column
    .split('|')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

export function listOf<T>(value: T | readonly T[] | undefined): readonly T[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? value : [value as T];
}

export function wildcard(pattern: string): RegExp {
  const written = pattern.replace(/[\\^$.+()[\]{}|/]/g, '\\$&').replace(/\*+/g, '.*');
  return new RegExp(`^${written.replaceAll('?', '.')}$`, 'su');
}

/** Columns by table, without the brackets of lists; a name covers all below it, `*` stands for anything. */
export function fatePatterns(
  byTable: Readonly<Record<string, readonly string[]>>,
): (table: string, column: string) => boolean {
  const tables = new Map(
    Object.entries(byTable).map(([table, patterns]) => {
      const plain = patterns.map((pattern) => plainHeader(pattern.replaceAll('[]', '')));
      const globs = plain.filter((pattern) => /[*?]/.test(pattern)).map(wildcard);
      return [table, { names: new Set(plain), globs, known: new Map<string, boolean>() }] as const;
    }),
  );
  return (table, column) => {
    const { names, globs, known } = tables.get(table) ?? {};
    if (names === undefined || known === undefined) return false;
    const told = known.get(column);
    if (told !== undefined) return told;
    const keys = plainHeader(column.replaceAll('[]', '')).split('.');
    const found = keys
      .map((_, at) => keys.slice(0, at + 1).join('.'))
      .some((path) => names.has(path) || globs?.some((glob) => glob.test(path)));
    // JSON keys may be data.
    if (known.size < MOST_KNOWN) known.set(column, found);
    return found;
  };
}

const MOST_KNOWN = 2000;

/** Matches `id`, `_fivetran_*`, `*_link` and, for one table only, `metrics.*` or `users.locale`. */
export function columnPatterns(patterns: readonly string[]): (table: string, name: string) => boolean {
  const plain = patterns.map(plainHeader);
  const names = new Set(plain.filter((pattern) => !/[*?]/.test(pattern)));
  const globs = plain.filter((pattern) => /[*?]/.test(pattern)).map(wildcard);
  return (table, name) => {
    const own = plainHeader(name);
    const full = `${plainHeader(table)}.${own}`;
    if (names.has(own) || names.has(full)) return true;
    return globs.some((glob) => glob.test(own) || glob.test(full));
  };
}

export interface Place {
  readonly table: string;
  readonly inItem: boolean;
  readonly paths: readonly Path[];
  readonly outer: Place | undefined;
}
