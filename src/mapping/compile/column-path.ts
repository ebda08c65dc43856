/** Names of columns: CSV headers and dotted paths. */
import { cellPaths, plainHeader } from '../../domain/source.ts';

/** One step into a value: a key, an index, or `[]`, every element of a list. */
export type PathStep = { readonly key: string } | { readonly index: number } | 'each';

/** `via.source.to[].address` and `attachments[0].url` as steps. */
export function parsePath(path: string): PathStep[] {
  const steps: PathStep[] = [];
  for (const part of path.split('.')) {
    const bracket = part.match(/^([^[\]]*)((?:\[\d*\])+)$/);
    const name = bracket ? (bracket[1] ?? '') : part;
    if (name !== '') steps.push({ key: name });
    for (const [, index] of (bracket?.[2] ?? '').matchAll(/\[(\d*)\]/g))
      steps.push(index === '' || index === undefined ? 'each' : { index: Number(index) });
  }
  return steps;
}

/** The keys of a path as a header writes them; places in lists have none there. */
export function writtenPath(steps: readonly PathStep[]): string {
  return steps.flatMap((step) => (step === 'each' || 'index' in step ? [] : [step.key])).join('.');
}

/** The value at a path, own properties only; `undefined` where the way ends. `each` gives a flat list. */
export function valueAt(value: unknown, steps: readonly PathStep[], from = 0): unknown {
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
        // one by one: there may be more than a call takes arguments
        if (Array.isArray(inner)) for (const item of inner) found.push(item);
        else if (inner !== undefined && inner !== null) found.push(inner);
      }
      return found;
    }
    if ('index' in step) current = Array.isArray(current) ? current[step.index] : undefined;
    else if (Array.isArray(current)) {
      // `a.0.b` as people write it, besides `a[0].b`
      const index = Number(step.key);
      current = Number.isInteger(index) ? current[index] : undefined;
    } else
      current = Object.hasOwn(current, step.key) ? (current as Record<string, unknown>)[step.key] : undefined;
  }
  return current;
}

/** `id|externalId` → both, in order. */
export function alternatives(column: string): string[] {
  return column
    .split('|')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

/** Other names of columns, by the plain name that the layout uses. */
export function aliasesOf({
  aliases = {},
}: {
  readonly aliases?: Readonly<Record<string, string[]>> | undefined;
}): ReadonlyMap<string, readonly string[]> {
  return new Map(Object.entries(aliases).map(([name, others]) => [plainHeader(name), others]));
}

/** Lists in layouts may be written as one word. */
export function listOf<T>(value: T | readonly T[] | undefined): readonly T[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? value : [value as T];
}

/** The columns of a CSV, and where the objects of its rows have them. */
export class Header {
  readonly written: readonly string[];
  readonly #plain: readonly string[];
  /** Of each column, where the objects of its rows have it. */
  readonly paths: readonly (readonly string[])[];

  constructor(written: readonly string[]) {
    this.written = written;
    this.#plain = written.map(plainHeader);
    this.paths = cellPaths(written);
  }

  /** A header of that name, else headers below it (`path.key`), else one that is its beginning and holds JSON as text. */
  find(path: string): HeaderColumn | undefined {
    const name = plainHeader(path);
    const same = this.#at((header) => header === name);
    if (same !== undefined) return same;
    const below = this.#at((header) => header.startsWith(`${name}.`));
    const depth = path.split('.').length;
    if (below !== undefined) return { ...below, keys: below.keys.slice(0, depth), isObject: true };
    for (let cut = path.lastIndexOf('.'); cut > 0; cut = path.lastIndexOf('.', cut - 1)) {
      const beginning = plainHeader(path.slice(0, cut));
      const within = this.#at((header) => header === beginning);
      if (within !== undefined) return { ...within, within: parsePath(path.slice(cut + 1)) };
    }
    return undefined;
  }

  #at(fits: (plain: string) => boolean): HeaderColumn | undefined {
    const indexes = this.#plain.flatMap((plain, index) => (fits(plain) ? [index] : []));
    const keys = this.paths[indexes[0] ?? -1] ?? [];
    return keys.length === 0 ? undefined : { header: this, keys, indexes };
  }
}

export interface HeaderColumn {
  readonly header: Header;
  /** Where a row's object has it. */
  readonly keys: readonly string[];
  /** The cells that are it, or parts of it. */
  readonly indexes: readonly number[];
  /** It is an object of several cells. */
  readonly isObject?: boolean;
  /** The path within what the cell holds. */
  readonly within?: readonly PathStep[];
}
