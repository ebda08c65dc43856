/** A day in one column and the time of day in the next: read together, as one time. */
import type { ColumnProfile } from '../column-profile.ts';
import { wordsOf } from '../concept-words.ts';
import type { ScopeColumn } from './concepts.ts';

const CLOCK = /^\d{1,2}[:.h]\d{2}(?:[:.]\d{2})?(?: ?[AP]M)?$/i;
const TIME_WORD =
  /^(?:date|day|time|clock|hour|at|on|datum|tag|zeit|uhrzeit|fecha|hora|data|heure|jour|ora|dzien|godzina|tijd)$/;
const AT = ' at ';

export function isClock({ type, examples, values }: ColumnProfile): boolean {
  const written = [...examples, ...(values ?? []).map(({ value }) => value)];
  return (
    ['text', 'time', 'mixed'].includes(type) &&
    written.length > 0 &&
    written.every((text) => CLOCK.test(text))
  );
}

/** The columns with days and clocks put together, under a path of both (`(day at clock)`). */
export function withClocks(columns: readonly ScopeColumn[]): ScopeColumn[] {
  const clocks = columns.filter(({ profile }) => isClock(profile));
  if (clocks.length === 0) return [...columns];
  const taken = new Set<ScopeColumn>();
  const together = columns.map((column, at) => {
    if (column.profile.type !== 'date') return column;
    const clock =
      clocks.find((each) => !taken.has(each) && stem(each) === stem(column)) ??
      clocks.find((each) => each === columns[at + 1]);
    if (clock === undefined) return column;
    taken.add(clock);
    return {
      path: `(${column.path} at ${clock.path})`,
      profile: { ...column.profile, type: 'time' as const },
    };
  });
  return together.filter((column) => !taken.has(column));
}

function stem({ path }: ScopeColumn): string {
  return wordsOf(path)
    .filter((word) => !TIME_WORD.test(word))
    .join(' ');
}

/** The paths that are read for a column. */
export function pathsOf(path: string): string[] {
  const at = path.indexOf(AT);
  const isBoth = at > 0 && path.startsWith('(') && path.endsWith(')');
  return isBoth ? [path.slice(1, at), path.slice(at + AT.length, -1)] : [path];
}

/** Rules with a template wherever one reads a day and a clock. */
export function written<T>(rules: T): T {
  const template = (path: string) => {
    const [day, clock] = pathsOf(path);
    return clock === undefined ? undefined : `{${day}} {${clock}}`;
  };
  const walk = (value: unknown): unknown => {
    if (typeof value === 'string') {
      const both = template(value);
      return both === undefined ? value : { template: both };
    }
    if (Array.isArray(value)) return value.map(walk);
    if (typeof value !== 'object' || value === null) return value;
    const { column, ...rest } = value as { readonly column?: unknown };
    const both = typeof column === 'string' ? template(column) : undefined;
    if (both !== undefined) return { template: both, ...(walk(rest) as object) };
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, walk(inner)]));
  };
  return walk(rules) as T;
}
