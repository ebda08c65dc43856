/**
 * A JSON document with its long arrays cut: what a look at it needs. The whole document is walked (an array of users may
 * stand behind a gigabyte of tickets), but only the first elements of each array are parsed.
 */
import { isJsonObject } from '../domain/select-record.ts';
import type { JsonObject } from '../domain/source.ts';
import { type JsonCursor, JsonDefect, type Walk } from './json-cursor.ts';
import { each, members } from './json-elements.ts';
import { parseJsonObject } from './json-text.ts';

/** Levels of objects that are entered in search of arrays of records. */
const LEVELS = 3;
const ELEMENTS = 100;
/** Values other than records are kept up to this many bytes. */
const MAX_VALUE_BYTES = 64 * 1024;

/** The documents of the file, one after another; of an array the first elements only. Ends at a defect. */
export function* outline(cursor: JsonCursor, emit: (document: JsonObject | unknown[]) => void): Walk<void> {
  for (let documents = 0; documents < ELEMENTS; documents++) {
    const byte = yield* cursor.peek();
    if (byte === 0x5b) {
      const elements: unknown[] = [];
      emit(elements);
      yield* firstElements(cursor, elements);
      if (elements.length >= ELEMENTS) return;
    } else if (byte === 0x7b) {
      const document: JsonObject = {};
      emit(document);
      yield* outlineMembers(cursor, document, 1);
    } else {
      return;
    }
  }
}

/** The cursor stands on a bracket. A root array is left behind its first elements; the rest tells nothing new. */
function* firstElements(cursor: JsonCursor, elements: unknown[]): Walk<void> {
  try {
    yield* each(cursor, function* () {
      yield* oneElement(cursor, elements);
      if (elements.length >= ELEMENTS) throw new Enough();
    });
  } catch (reason) {
    if (!(reason instanceof Enough)) throw reason;
  }
}

class Enough extends Error {}

function* oneElement(cursor: JsonCursor, elements: unknown[]): Walk<void> {
  if (elements.length >= ELEMENTS) return yield* cursor.skipValue();
  cursor.hold();
  const start = cursor.offset;
  yield* cursor.skipValue();
  const parsed = parseJsonObject(cursor.text(start, cursor.offset));
  cursor.release();
  elements.push('object' in parsed ? parsed.object : undefined);
}

function* outlineMembers(cursor: JsonCursor, into: JsonObject, level: number): Walk<void> {
  yield* members(cursor, function* (key) {
    const byte = yield* cursor.peek();
    if (byte === 0x5b) {
      const elements: unknown[] = [];
      set(into, key, elements);
      yield* each(cursor, () => oneElement(cursor, elements));
      if (!elements.some(isJsonObject)) set(into, key, []);
    } else if (byte === 0x7b && level < LEVELS) {
      const inner: JsonObject = {};
      set(into, key, inner);
      yield* outlineMembers(cursor, inner, level + 1);
    } else {
      cursor.hold();
      const start = cursor.offset;
      yield* cursor.skipValue();
      if (cursor.offset - start <= MAX_VALUE_BYTES) {
        set(into, key, plainValue(cursor.text(start, cursor.offset), start));
      }
      cursor.release();
    }
  });
}

function plainValue(text: string, offset: number): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new JsonDefect(offset, 'a value is expected');
  }
}

/** Defines and never sets, so that a key `__proto__` is one like others. */
function set(object: JsonObject, key: string, value: unknown): void {
  if (key === '_reason') return;
  Object.defineProperty(object, key, { value, enumerable: true, writable: true, configurable: true });
}
