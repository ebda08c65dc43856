/** The records of a JSON document: a walk to the array that a selector names, and along its elements. */
import { type JsonCursor, JsonDefect, type Walk } from './json-cursor.ts';

const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const COMMA = 0x2c;
const COLON = 0x3a;
const QUOTE = 0x22;
const END = -1;

/** Told of every record: its first byte and the one behind its last, while these bytes are held. */
export type EmitElement = (start: number, end: number) => void;

/**
 * `path` undefined: every document is a record. Otherwise its keys lead to an array whose elements are the records; an
 * object in the place of the array is a single record, and anything else there is none. Documents may follow each other.
 */
export function* elementsAt(
  cursor: JsonCursor,
  path: readonly string[] | undefined,
  emit: EmitElement,
): Walk<void> {
  for (let first = true; ; first = false) {
    const byte = yield* cursor.peek();
    if (byte === END) return;
    if (!first && byte !== OPEN_BRACE && byte !== OPEN_BRACKET) {
      throw new JsonDefect(cursor.offset, 'something stands behind its end');
    }
    yield* descend(cursor, path, 0, emit);
  }
}

function* descend(
  cursor: JsonCursor,
  path: readonly string[] | undefined,
  level: number,
  emit: EmitElement,
): Walk<void> {
  const byte = yield* cursor.peek();
  if (path === undefined || (level === path.length && byte === OPEN_BRACE))
    return yield* element(cursor, emit);
  if (level === path.length && byte === OPEN_BRACKET) {
    return yield* each(cursor, () => element(cursor, emit));
  }
  if (level < path.length && byte === OPEN_BRACE) {
    return yield* members(cursor, (key) =>
      key === path[level] ? descend(cursor, path, level + 1, emit) : cursor.skipValue(),
    );
  }
  yield* cursor.skipValue();
}

function* element(cursor: JsonCursor, emit: EmitElement): Walk<void> {
  cursor.hold();
  const start = cursor.offset;
  yield* cursor.skipValue();
  emit(start, cursor.offset);
  cursor.release();
}

/** The elements of an array; the cursor stands on its bracket. `take` takes one value. */
export function* each(cursor: JsonCursor, take: () => Walk<void>): Walk<void> {
  cursor.take();
  if ((yield* cursor.peek()) === CLOSE_BRACKET) return cursor.take();
  for (;;) {
    yield* cursor.peek();
    yield* take();
    if (yield* endsAt(cursor, CLOSE_BRACKET, ']')) return;
  }
}

/** The members of an object; the cursor stands on its brace. `take` takes the value of a key. */
export function* members(cursor: JsonCursor, take: (key: string) => Walk<void>): Walk<void> {
  cursor.take();
  if ((yield* cursor.peek()) === CLOSE_BRACE) return cursor.take();
  for (;;) {
    if ((yield* cursor.peek()) !== QUOTE) {
      throw new JsonDefect(cursor.offset, 'a key in double quotes is expected');
    }
    const key = yield* cursor.string();
    if ((yield* cursor.peek()) !== COLON)
      throw new JsonDefect(cursor.offset, 'a colon is missing behind a key');
    cursor.take();
    yield* cursor.peek();
    yield* take(key);
    if (yield* endsAt(cursor, CLOSE_BRACE, '}')) return;
  }
}

/** Takes the comma or the closing bracket behind a value; true for the bracket. */
function* endsAt(cursor: JsonCursor, closer: number, name: string): Walk<boolean> {
  const byte = yield* cursor.peek();
  if (byte !== COMMA && byte !== closer) {
    throw new JsonDefect(
      cursor.offset,
      byte === END ? 'it ends in the middle' : `a comma or ${name} is missing`,
    );
  }
  cursor.take();
  return byte === closer;
}
