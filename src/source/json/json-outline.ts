/** What a look at a JSON or JSONL file shows: the collections of records in it. */

import type { JsonObject } from '../../domain/source.ts';
import { ANY_KEY, isJsonObject, type JsonCollection, valueAt } from '../../domain/source-file.ts';
import { ReadWindow } from '../files/read-window.ts';
import { JsonCursor, JsonDefect, type Walk } from './json-cursor.ts';
import { each, type JsonPlace, members } from './json-elements.ts';
import { parseJsonObject } from './json-text.ts';
import { noteKey } from './keyed-record.ts';

/** Of a JSONL file, as far as one is looked at. */
const LINES = 1000;
const LINE_BYTES = 16 * 1024 * 1024;

export async function jsonCollections(place: JsonPlace, signal: AbortSignal): Promise<JsonCollection[]> {
  const window = new ReadWindow(place.source, place.offset, place.tuning.chunkBytes, signal);
  const cursor = new JsonCursor(window, place.offset);
  const documents: unknown[] = [];
  const walk = outline(cursor, (document) => documents.push(document));
  try {
    while (!walk.next().done) {
      if (window.base + window.bytes.length - cursor.keep > place.tuning.maxJsonRecordBytes) break;
      await window.fill(cursor.keep - window.base);
    }
  } catch (defect) {
    // What was seen before the defect is the shape; reading the records will report it.
    if (!(defect instanceof JsonDefect)) throw defect;
  }
  return collectionsIn(documents);
}

export async function jsonlCollections(place: JsonPlace, signal: AbortSignal): Promise<JsonCollection[]> {
  const window = new ReadWindow(place.source, place.offset, place.tuning.chunkBytes, signal);
  const documents: unknown[] = [];
  let lines = 0;
  let looked = 0;
  let start = 0;
  while (window.base + start < place.source.size && lines < LINES && looked < LINE_BYTES) {
    await window.fill(start);
    start = 0;
    while (start < window.bytes.length && lines < LINES && looked < LINE_BYTES) {
      const found = window.bytes.indexOf(10, start);
      if (found < 0 && !window.ended) break;
      const end = found < 0 ? window.bytes.length : found;
      const document = lineDocument(window.bytes.toString('utf8', start, end));
      if (document !== undefined) documents.push(document);
      lines++;
      looked += end - start;
      start = end + 1;
    }
    if (window.bytes.length - start > place.tuning.maxJsonRecordBytes) break;
    start = Math.min(start, window.bytes.length);
  }
  const end = window.base + start;
  if (end < place.source.size)
    for (const part of LATER_PARTS)
      documents.push(
        ...(await laterLines(place, end + Math.floor(part * (place.source.size - end)), signal)),
      );
  return collectionsIn(documents);
}

/** Another kind of records may begin far behind the first lines. */
const LATER_PARTS = [0.2, 0.4, 0.6, 0.8, 0.97];
const LATER_BYTES = 64 * 1024;

async function laterLines(place: JsonPlace, from: number, signal: AbortSignal): Promise<unknown[]> {
  const window = new ReadWindow(place.source, from, LATER_BYTES, signal);
  await window.fill(0);
  // what the stretch begins and ends with are parts of lines
  const lines = window.bytes.toString('utf8').split('\n').slice(1, -1);
  return lines.flatMap((line) => lineDocument(line) ?? []);
}

function lineDocument(line: string): unknown {
  const text = line.trim();
  if (text === '') return undefined;
  if (!text.startsWith('[')) {
    const parsed = parseJsonObject(text);
    return 'object' in parsed ? parsed.object : undefined;
  }
  // An array in a line: its elements as records, by the same rules.
  const parsed = parseJsonObject(`{"elements":${text}}`);
  return 'object' in parsed ? parsed.object['elements'] : undefined;
}

// Places where records stand in the documents (or the lines) of a file, with samples that show all of their kinds.

/** Levels of objects that are entered in search of arrays of records. */
const LEVELS = 3;
const SAMPLE = 100;

/** `documents`: roots as found in the file, objects or arrays. Outermost first, then in the order found. */
function collectionsIn(documents: readonly unknown[]): JsonCollection[] {
  const found = new Map<string, { path: readonly string[] | undefined; objects: JsonObject[] }>();
  const add = (path: readonly string[] | undefined, objects: JsonObject[]) => {
    const key = JSON.stringify(path ?? null);
    const known = found.get(key);
    if (known === undefined) found.set(key, { path, objects: [...objects] });
    else if (known.objects.length < 20 * SAMPLE) known.objects.push(...objects);
  };
  const enter = (object: JsonObject, path: readonly string[]) => {
    const keyed = recordsByKey(object);
    if (keyed.size > 0) add([...path, ANY_KEY], [...keyed.values()]);
    for (const [key, value] of Object.entries(object)) {
      if (keyed.has(key)) continue;
      const at = [...path, key];
      if (Array.isArray(value)) {
        const objects = value.slice(0, SAMPLE).filter(isJsonObject);
        if (objects.length > 0) add(at, objects);
      } else if (isJsonObject(value) && at.length < LEVELS) {
        enter(value, at);
      }
    }
  };
  for (const document of documents) {
    if (Array.isArray(document)) add([], document.filter(isJsonObject));
    else if (isJsonObject(document)) add(undefined, [document]);
  }
  for (const document of documents) if (isJsonObject(document)) enter(document, []);
  return [...found.values()]
    .map(({ path, objects }) => ({ path, sample: tellingSample(objects) }))
    .sort((a, b) => (a.path?.length ?? -1) - (b.path?.length ?? -1));
}

/** `1041`, `SUP-12`, `ticket_7`, a UUID. */
const RECORD_KEY = /^[#A-Za-z]{0,10}[-_]?\d+$|^[0-9a-f]{8}-[0-9a-f-]{27}$/i;
/** Of a lone key: a record, and no `line1` of an address. */
const LONE_KEY = /^(?:[A-Za-z]{1,10}-)?\d+$|^[0-9a-f]{8}-[0-9a-f-]{27}$/i;
const ALIKE = 0.5;

/** Of an object such as `{ "1041": { … }, "1042": { … } }` its members, which are records of one kind. */
function recordsByKey(object: JsonObject): Map<string, JsonObject> {
  const all = Object.entries(object);
  const objects = all.filter((entry): entry is [string, JsonObject] => isJsonObject(entry[1]));
  const keyed = objects.filter(([key]) => RECORD_KEY.test(key));
  const [first] = keyed;
  const isOne = objects.length > 1 || LONE_KEY.test(first?.[0] ?? '');
  if (first === undefined || !isOne || keyed.length < all.length / 2) return new Map();
  const columns = Object.keys(first[1]);
  const isAlike = ([, value]: [string, JsonObject]) =>
    columns.filter((name) => Object.hasOwn(value, name)).length >= ALIKE * Math.max(1, columns.length);
  if (columns.length < 2 || !keyed.every(isAlike)) return new Map();
  for (const [key, value] of keyed) noteKey(value, key);
  return new Map(keyed);
}

/** Where the kind of a record is written in streams that mix several. */
const KIND_PATHS: readonly (readonly string[])[] = [
  ['type'],
  ['stream'],
  ['table'],
  ['object'],
  ['record', 'stream'],
  ['_type'],
];

/**
 * At most 100 objects in their order, of every kind and every set of keys some: taken in turns from groups by kind, and
 * in these from groups by keys, so that a stream that is rare among many others is seen.
 */
function tellingSample(objects: readonly JsonObject[]): JsonObject[] {
  if (objects.length <= SAMPLE) return [...objects];
  const kinds = new Map<string, Map<string, number[]>>();
  objects.forEach((object, index) => {
    const kind = JSON.stringify(KIND_PATHS.map((path) => shortText(valueAt(object, path))));
    const byKeys = kinds.get(kind) ?? new Map<string, number[]>();
    kinds.set(kind, byKeys);
    const keys = keySet(object, LEVELS);
    const group = byKeys.get(keys) ?? [];
    byKeys.set(keys, group);
    group.push(index);
  });
  const queues = [...kinds.values()].map((byKeys) => inTurns([...byKeys.values()]));
  return inTurns(queues)
    .slice(0, SAMPLE)
    .sort((a, b) => a - b)
    .map((index) => objects[index])
    .filter((object) => object !== undefined);
}

/** The first of every group, then the second of every group, and so on. */
function inTurns(groups: readonly (readonly number[])[]): number[] {
  const taken: number[] = [];
  const longest = Math.max(0, ...groups.map((group) => group.length));
  for (let turn = 0; turn < longest; turn++) {
    for (const group of groups) {
      const index = group[turn];
      if (index !== undefined) taken.push(index);
    }
  }
  return taken;
}

function shortText(value: unknown): string | undefined {
  return typeof value === 'string' && value.length <= 100 ? value : undefined;
}

function keySet(object: JsonObject, levels: number): string {
  const keys = Object.entries(object).map(([key, value]) =>
    levels > 1 && isJsonObject(value) ? `${key}{${keySet(value, levels - 1)}}` : key,
  );
  return keys.sort().join(',');
}

// A JSON document with its long arrays cut: what a look at it needs. The whole document is walked (an array of users may
// stand behind a gigabyte of tickets), but only the first elements of each array are parsed.

const ELEMENTS = 100;
/** Values other than records are kept up to this many bytes. */
const MAX_VALUE_BYTES = 64 * 1024;

/** The documents of the file, one after another; of an array the first elements only. Ends at a defect. */
function* outline(cursor: JsonCursor, emit: (document: JsonObject | unknown[]) => void): Walk<void> {
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
  let keyed = 0;
  yield* members(cursor, function* (key) {
    const byte = yield* cursor.peek();
    if (byte === 0x7b && RECORD_KEY.test(key) && ++keyed > ELEMENTS) return yield* cursor.skipValue();
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
