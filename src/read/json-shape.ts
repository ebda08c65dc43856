/** What a look at a JSON or JSONL file shows: the collections of records in it. */
import type { JsonCollection } from '../domain/source-file.ts';
import { collectionsIn } from './json-collections.ts';
import { JsonCursor, JsonDefect } from './json-cursor.ts';
import { outline } from './json-outline.ts';
import type { JsonPlace } from './json-records.ts';
import { parseJsonObject } from './json-text.ts';
import { ReadWindow } from './read-window.ts';

/** Of a JSONL file, as far as one is looked at. */
const LINES = 1000;
const LINE_BYTES = 16 * 1024 * 1024;

export async function jsonShape(place: JsonPlace, signal: AbortSignal): Promise<JsonCollection[]> {
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

export async function jsonlShape(place: JsonPlace, signal: AbortSignal): Promise<JsonCollection[]> {
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
  return collectionsIn(documents);
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
