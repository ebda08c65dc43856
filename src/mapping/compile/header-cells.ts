/**
 * Which cells of a CSV a path means: those of a header of that name; else those of headers `path.key`, an object in parts;
 * else the one of a header that is the beginning of the path, which holds JSON (or Python) text.
 */
import { plainHeader } from './column-path.ts';

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
