/** The records of a JSON document: a walk to the array that a selector names, and along its elements. */

import { isUtf8 } from 'node:buffer';
import type { RecordRef } from '../../domain/source.ts';
import { ANY_KEY, type ReadRecord, type RecordSelector, selectObject } from '../../domain/source-file.ts';
import type { ByteSource, ReadTuning } from '../files/byte-source.ts';
import { LineCounter } from '../files/lines.ts';
import { ReadWindow } from '../files/read-window.ts';
import { type Bytes, JsonCursor, JsonDefect, type Walk } from './json-cursor.ts';
import { defectSentence, type ParsedText, parseJsonObject } from './json-text.ts';
import { noteKey, valueStart } from './keyed-record.ts';

const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const COMMA = 0x2c;
const COLON = 0x3a;
const QUOTE = 0x22;
const END = -1;

/** Told of every record: its first byte and the one behind its last, while these bytes are held. */
type EmitElement = (start: number, end: number) => void;

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
      throw new JsonDefect(cursor.offset, 'there is data after its end');
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
  if (level === path.length - 1 && path[level] === ANY_KEY && byte === OPEN_BRACE)
    return yield* members(cursor, (_, start) => member(cursor, start, emit), true);
  if (level < path.length && byte === OPEN_BRACE) {
    return yield* members(cursor, (key) =>
      key === path[level] || path[level] === ANY_KEY
        ? descend(cursor, path, level + 1, emit)
        : cursor.skipValue(),
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

/** An object under a key, which begins at `start`, is a record; any other value there is none. The cursor holds the key. */
function* member(cursor: JsonCursor, start: number, emit: EmitElement): Walk<void> {
  const isRecord = (yield* cursor.peek()) === OPEN_BRACE;
  if (!isRecord) cursor.release();
  yield* cursor.skipValue();
  if (isRecord) emit(start, cursor.offset);
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

/**
 * The members of an object; the cursor stands on its brace. `take` takes the value of a key, which begins at `start` and, with
 * `isHeld`, is held.
 */
export function* members(
  cursor: JsonCursor,
  take: (key: string, start: number) => Walk<void>,
  isHeld = false,
): Walk<void> {
  cursor.take();
  if ((yield* cursor.peek()) === CLOSE_BRACE) return cursor.take();
  for (;;) {
    if ((yield* cursor.peek()) !== QUOTE) {
      throw new JsonDefect(cursor.offset, 'a key in double quotes is expected');
    }
    const start = cursor.offset;
    if (isHeld) cursor.hold();
    const key = yield* cursor.string();
    if ((yield* cursor.peek()) !== COLON)
      throw new JsonDefect(cursor.offset, 'a colon is missing after a key');
    cursor.take();
    yield* cursor.peek();
    yield* take(key, start);
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

// The records of a JSON document, which may be larger than memory. A defect ends the file: what follows has no frame.

export interface JsonPlace {
  readonly source: ByteSource;
  readonly file: number;
  /** Behind the byte order mark. */
  readonly offset: number;
  readonly tuning: ReadTuning;
  /** Told the line of every record that is not valid UTF-8. */
  readonly onInvalidText: (line: number) => void;
}

export async function* jsonRecords(
  place: JsonPlace,
  selector: RecordSelector | undefined,
  signal: AbortSignal,
): AsyncGenerator<ReadRecord[]> {
  const { source, file, tuning } = place;
  const window = new ReadWindow(source, place.offset, tuning.chunkBytes, signal);
  const cursor = new JsonCursor(window, place.offset);
  const lines = new LineCounter(place.offset);
  const lineOf = (offset: number) => lines.lineAt(offset, window.bytes, window.base);
  let records: ReadRecord[] = [];
  let valid = true;
  const walk = elementsAt(cursor, selector?.path, (start, end) => {
    const ref = { file, offset: start, length: end - start, line: lineOf(start) };
    if (!valid && !isUtf8(window.bytes.subarray(start - window.base, end - window.base))) {
      place.onInvalidText(ref.line);
    }
    const record = jsonRecord(ref, cursor.text(start, end), selector, () => columnOf(window, start));
    if (record !== undefined) records.push(record);
  });
  for (;;) {
    let step: IteratorResult<void, void>;
    try {
      step = walk.next();
    } catch (defect) {
      if (!(defect instanceof JsonDefect)) throw defect;
      records.push(defectRecord(place, window, cursor.keep, defect, lineOf));
      yield records;
      return;
    }
    if (records.length > 0) yield records;
    if (step.done) return;
    records = [];
    lineOf(cursor.keep);
    if (window.base + window.bytes.length - cursor.keep > tuning.maxJsonRecordBytes) {
      const tooLong = new JsonDefect(cursor.keep, 'a record is too long to be read');
      yield [defectRecord(place, window, cursor.keep, tooLong, lineOf)];
      return;
    }
    await window.fill(cursor.keep - window.base);
    valid = isUtf8(window.bytes);
  }
}

/**
 * Undefined when the selector leaves the record out. `columnBefore`: of a document, how many characters stand before the
 * record on its line; asked for only where it has a defect. Without it a record begins its line.
 */
export function jsonRecord(
  ref: RecordRef,
  text: string,
  selector: RecordSelector | undefined,
  columnBefore?: () => number | undefined,
): ReadRecord | undefined {
  const keyed = selector?.path?.at(-1) === ANY_KEY ? keyedObject(text) : undefined;
  const parsed = keyed ?? parseJsonObject(text);
  if (!('object' in parsed)) {
    const before = columnBefore === undefined ? 0 : columnBefore();
    const start = { line: ref.line, before, lineIsRecord: columnBefore === undefined };
    return { ref, error: defectSentence(parsed, text, start) };
  }
  const object = selectObject(parsed.object, selector);
  if (object === undefined) return undefined;
  if (keyed !== undefined && 'key' in keyed && typeof object === 'object') noteKey(object, keyed.key);
  return typeof object === 'string' ? { ref, error: object } : { ref, object };
}

/** A record with the key before it: `"1041": { … }`. A defect is placed as in the text itself. */
function keyedObject(text: string): ParsedText & { readonly key?: string } {
  const at = valueStart(text);
  const parsed = parseJsonObject(text.slice(at));
  if (!('object' in parsed))
    return { ...parsed, ...(parsed.index === undefined ? {} : { index: parsed.index + at }) };
  const key: unknown = JSON.parse(text.slice(0, text.lastIndexOf(':', at)));
  return { object: parsed.object, key: String(key) };
}

/** Characters before an offset on its line; undefined where the line begins before the window. */
function columnOf({ bytes, base }: Bytes, offset: number): number | undefined {
  const at = offset - base;
  const lineStart = at === 0 ? 0 : bytes.lastIndexOf(10, at - 1) + 1;
  return lineStart === 0 && base > 0 ? undefined : bytes.toString('utf8', lineStart, at).length;
}

/** From the record in which the defect stands, or from the defect itself, to the end of what is at hand. */
function defectRecord(
  { file, tuning }: JsonPlace,
  window: ReadWindow,
  keep: number,
  defect: JsonDefect,
  lineOf: (offset: number) => number,
): ReadRecord {
  const offset = Math.min(keep, defect.offset);
  const line = lineOf(offset);
  const at = lineOf(defect.offset);
  const column = columnOf(window, defect.offset);
  const where = column === undefined ? `line ${at}` : `line ${at}, column ${column + 1}`;
  const length = Math.min(window.base + window.bytes.length - offset, tuning.chunkBytes);
  return {
    ref: { file, offset, length, line },
    error: `This is not valid JSON at ${where}: ${defect.message}; nothing after it was read.`,
  };
}
