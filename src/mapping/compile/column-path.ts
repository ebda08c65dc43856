/** Names of columns: CSV headers and dotted JSON paths, and how they are compared. */

/** One step into a value: a key, an index, or `[]`, every element of a list. */
export type PathStep = { readonly key: string } | { readonly index: number } | 'each';

/** Headers compare trimmed, with single spaces, without case and without a byte order mark. */
export function plainHeader(header: string): string {
  return header
    .replace(/^\uFEFF/, '')
    .trim()
    .replace(/\s+/g, ' ')
    .toLowerCase();
}

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

/** Lists in layouts may be written as one word. */
export function listOf<T>(value: T | readonly T[] | undefined): readonly T[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? value : [value as T];
}

export type HeaderCells =
  | { readonly kind: 'same'; readonly indexes: readonly number[] }
  | { readonly kind: 'parts'; readonly parts: readonly { readonly index: number; readonly key: string }[] }
  /** `rest`: the path within what the cell holds. */
  | { readonly kind: 'within'; readonly index: number; readonly rest: string };

export interface Header {
  readonly written: readonly string[];
  /** As names compare. */
  readonly plain: readonly string[];
}

/** `keys`: of an object only these are wanted. */
export function headerCells(
  { written, plain }: Header,
  path: string,
  keys?: readonly string[],
): HeaderCells | undefined {
  const name = plainHeader(path);
  const indexes = plain.flatMap((header, index) => (header === name ? [index] : []));
  if (indexes.length > 0) return { kind: 'same', indexes };
  const parts = plain.flatMap((header, index) => {
    const key = header.startsWith(`${name}.`) ? written[index]?.trim().slice(name.length + 1) : undefined;
    return key === undefined || keys?.includes(key) === false ? [] : [{ index, key }];
  });
  if (parts.length > 0) return { kind: 'parts', parts };
  for (let cut = path.lastIndexOf('.'); cut > 0; cut = path.lastIndexOf('.', cut - 1)) {
    const index = plain.indexOf(plainHeader(path.slice(0, cut)));
    if (index >= 0) return { kind: 'within', index, rest: path.slice(cut + 1) };
  }
  return undefined;
}

/** The one cell that a row has for it: the first that is filled, or the first of all. */
export function cellOf(found: HeaderCells, cells: readonly string[]): number {
  if (found.kind === 'within') return found.index;
  const indexes = found.kind === 'same' ? found.indexes : found.parts.map(({ index }) => index);
  return indexes.find((index) => (cells[index] ?? '') !== '') ?? indexes[0] ?? 0;
}
