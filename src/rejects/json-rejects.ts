/** Records of JSON with a reason as their last key, and the documents in which they stand. */
import { csvCell } from '../domain/printable.ts';

/** `raw`: the text of an object, or of a member that is one. */
export function objectWithReason(raw: Buffer, reason: string): Buffer {
  const end = raw.lastIndexOf(0x7d);
  const isEmpty = /\{\s*$/.test(raw.toString('utf8', Math.max(0, end - 200), end));
  const member = `${isEmpty ? '' : ','}"_reason":${JSON.stringify(reason)}`;
  return Buffer.concat([raw.subarray(0, end), Buffer.from(member, 'utf8'), raw.subarray(end)]);
}

/** One line of JSONL: line breaks between tokens become spaces. */
export function onOneLine(text: Buffer): Buffer {
  return text.includes(10) || text.includes(13)
    ? Buffer.from(text.toString('utf8').replaceAll(/[\r\n]+/g, ' '), 'utf8')
    : text;
}

/** A page with a single element at `path`, so that a line of JSONL reads like those of the source. */
export function pageLine(element: Buffer, path: readonly string[]): Buffer {
  const [before, after] = around(path);
  return Buffer.concat([Buffer.from(`${before}[`), element, Buffer.from(`]${after}`)]);
}

/** What stands before and behind the value at a path of keys. */
function around(path: readonly string[]): [string, string] {
  return [path.map((key) => `{${JSON.stringify(key)}:`).join(''), '}'.repeat(path.length)];
}

/** Where the arrays of one document stand: under a key there is a further level, or an array. */
interface ArrayTree {
  readonly arrays: Map<string, ArrayTree>;
  /** The array here, by the name of the part file that holds its elements. */
  part?: string;
  /** They are members, each with its key before it. */
  isKeyed?: boolean;
}

export function arrayTree(parts: readonly { path: readonly string[]; part: string }[]): ArrayTree {
  const root: ArrayTree = { arrays: new Map() };
  for (const { path, part } of parts) {
    let at = root;
    for (const key of path) {
      const next = at.arrays.get(key) ?? { arrays: new Map() };
      at.arrays.set(key, next);
      at = next;
    }
    at.part = part;
  }
  return root;
}

/** The document as pieces of text and part files, in order. */
export function* documentPieces(tree: ArrayTree): Generator<{ text: string } | { part: string }, void> {
  if (tree.part !== undefined) {
    const [open, close] = tree.isKeyed === true ? '{}' : '[]';
    yield { text: `${open}\n` };
    yield { part: tree.part };
    yield { text: `\n${close}` };
    return;
  }
  let separator = '{';
  for (const [key, inner] of tree.arrays) {
    yield { text: `${separator}${JSON.stringify(key)}:` };
    yield* documentPieces(inner);
    separator = ',';
  }
  yield { text: '}' };
}

/** Rows of a CSV with a reason behind the source's own columns. */
const QUOTE = 34;

/** A header as CSV. Its cells are quoted where they must be. */
export function csvHeader(header: readonly string[], delimiter: string): string {
  return [...header, '_reason'].map((cell) => csvCell(cell, delimiter)).join(delimiter);
}

/**
 * The record with its reason in the column behind the header: a row that is too short is filled up, and in one that is
 * too long the reason stands before the cells that have no column. Every other byte is the source's own.
 */
export function csvRowWithReason(raw: Buffer, reason: string, delimiter: string, columns: number): Buffer {
  const ends = cellEnds(raw, delimiter.charCodeAt(0));
  const cell = csvCell(reason, delimiter);
  if (ends.length <= columns) {
    return Buffer.concat([raw, Buffer.from(delimiter.repeat(columns - ends.length + 1) + cell, 'utf8')]);
  }
  const at = ends[columns - 1] ?? 0;
  return Buffer.concat([raw.subarray(0, at), Buffer.from(delimiter + cell, 'utf8'), raw.subarray(at)]);
}

/** Index behind the last byte of each cell. A quote opens at the beginning of a cell only; a doubled one is a character. */
function cellEnds(raw: Buffer, delimiter: number): number[] {
  const ends: number[] = [];
  for (let at = 0; ; at++) {
    if (raw[at] === QUOTE) {
      at++;
      while (at < raw.length && !(raw[at] === QUOTE && raw[at + 1] !== QUOTE))
        at += raw[at] === QUOTE ? 2 : 1;
    }
    const found = at < raw.length ? raw.indexOf(delimiter, at) : -1;
    if (found < 0) {
      ends.push(raw.length);
      return ends;
    }
    ends.push(found);
    at = found;
  }
}
