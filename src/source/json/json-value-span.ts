/** Where a value of a JSON record stands in its text. */

import type { Span } from '../files/lines.ts';
import { JsonCursor, JsonDefect, type Walk } from './json-cursor.ts';
import { each, members } from './json-elements.ts';
import { syntaxProblem } from './json-text.ts';

type Path = readonly (string | number)[];

/**
 * The value at a path of keys and indexes; where the way ends, the bracket of the last object or list on it, which lacks
 * the rest. Undefined for a text that is not JSON.
 */
export function valueSpan(text: string, path: Path): Span | undefined {
  const bytes = Buffer.from(text, 'utf8');
  const cursor = new JsonCursor({ bytes, base: 0, ended: true }, 0);
  let start = 0;
  let end = 0;
  let deepest = -1;
  const note = (level: number, from: number, to: number) => {
    // Of a key that stands twice the last one counts, as for JSON.parse.
    if (level < deepest) return;
    [start, end, deepest] = [from, to, level];
  };
  try {
    const walk = descend(cursor, path, 0, note);
    while (!walk.next().done);
  } catch (defect) {
    if (defect instanceof JsonDefect) return undefined;
    throw defect;
  }
  if (deepest < 0) return undefined;
  const before = bytes.toString('utf8', 0, start).length;
  return { start: before, end: before + bytes.toString('utf8', start, end).length };
}

const OPEN_BRACE = 0x7b;
const OPEN_BRACKET = 0x5b;

/** Tells of every value on the way, and last of the one at its end. */
function* descend(
  cursor: JsonCursor,
  path: Path,
  level: number,
  note: (level: number, from: number, to: number) => void,
): Walk<void> {
  const byte = yield* cursor.peek();
  const from = cursor.offset;
  const step = path[level];
  if (step === undefined) {
    yield* cursor.skipValue();
    note(level, from, cursor.offset);
    return;
  }
  if (byte === OPEN_BRACE) {
    note(level, from, from + 1);
    yield* members(cursor, (key) =>
      key === String(step) ? descend(cursor, path, level + 1, note) : cursor.skipValue(),
    );
  } else if (byte === OPEN_BRACKET) {
    note(level, from, from + 1);
    let index = 0;
    yield* each(cursor, () =>
      index++ === Number(step) ? descend(cursor, path, level + 1, note) : cursor.skipValue(),
    );
  } else {
    yield* cursor.skipValue();
    note(level, from, cursor.offset);
  }
}

/**
 * The first character that cannot stand there; the whole text where it is JSON and still no record. `isLine`: the text is
 * all that there should be. Of a document it begins at the record that could not be read or, where that is well-formed, at
 * the place before which something is missing.
 */
export function jsonDefectSpan(text: string, isLine: boolean): Span {
  const problem = syntaxProblem(text);
  if (problem === undefined) return { start: 0, end: text.length };
  const index = !isLine && problem.isBehind ? 0 : Math.min(problem.index, text.length);
  return { start: index, end: Math.min(text.length, index + 1) };
}
