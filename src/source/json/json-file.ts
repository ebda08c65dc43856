/** A JSON or JSONL file of the export. */

import { isUtf8 } from 'node:buffer';
import { REASON } from '../../domain/source.ts';
import type { ReadRecord, RecordSelector, SourceFile } from '../../domain/source-file.ts';
import { ROWS_BYTES, readRange } from '../files/byte-source.ts';
import { recordFrame } from '../files/lines.ts';
import { ReadWindow, refetch } from '../files/read-window.ts';
import type { DecodedFile } from '../files/spool.ts';
import { JsonCursor, JsonDefect } from './json-cursor.ts';
import { elementsAt, type JsonPlace, jsonRecord, jsonRecords, members } from './json-elements.ts';
import { jsonCollections, jsonlCollections } from './json-outline.ts';
import { jsonDefectSpan, valueSpan } from './json-value-span.ts';
import { valueStart } from './keyed-record.ts';

export async function openJson(
  decoded: DecodedFile,
  format: 'json' | 'jsonl',
  signal: AbortSignal,
): Promise<SourceFile> {
  const { id, name, source } = decoded;
  const place: JsonPlace = {
    source,
    file: id,
    offset: decoded.offset,
    tuning: decoded.tuning,
    onInvalidText: (line) => decoded.lineProblems.invalidText(line),
  };
  const lines = format === 'jsonl';
  const collections = await (lines ? jsonlCollections(place, signal) : jsonCollections(place, signal));
  return {
    id,
    name,
    format,
    encoding: decoded.encoding,
    compression: decoded.compression,
    bytes: source.size,
    outline: { file: id, name, format, collections },
    records: (selector, stop) =>
      lines ? jsonlRecords(place, selector, stop) : jsonRecords(place, selector, stop),
    // A record that `where` would leave out was not one when its place was noted, so it is told as an error.
    ...refetch(
      source,
      (selector) => (text, ref) =>
        jsonRecord(ref, text, selector) ?? { ref, error: 'The record is not one of this table.' },
    ),
    raw: async (ref) => {
      const bytes = await readRange(source, ref.offset, ref.length);
      return bytes.includes('"_reason"') ? Buffer.from(cutReasonKey(bytes.toString('utf8')), 'utf8') : bytes;
    },
    reason: async (ref) => reasonKey(await readRange(source, ref.offset, ref.length)),
    frame: (ref, part) =>
      recordFrame({ name, source, offset: decoded.offset, lineEnds: 'lf' }, ref, (text) => {
        const at = valueStart(text);
        const value = text.slice(at);
        const span =
          part === 'defect'
            ? jsonDefectSpan(value, lines)
            : 'path' in part
              ? valueSpan(value, part.path)
              : undefined;
        return span && { start: at + span.start, end: at + span.end };
      }),
  };
}

function reasonKey(bytes: Buffer): string {
  if (!bytes.includes('"_reason"')) return '';
  try {
    const text = bytes.toString('utf8');
    const { [REASON]: reason } = JSON.parse(text.slice(valueStart(text))) as Record<string, unknown>;
    return typeof reason === 'string' ? reason : '';
  } catch {
    return '';
  }
}

// The text of a JSON object without its own `_reason`, every other character as it stands.

/** A text that is not an object comes back as it is. */
function cutReasonKey(record: string): string {
  const key = record.slice(0, valueStart(record));
  const text = record.slice(key.length);
  const bytes = Buffer.from(text, 'utf8');
  const cursor = new JsonCursor({ bytes, base: 0, ended: true }, 0);
  /** Where each member ends, and the one that is to go. */
  let end = -1;
  let cut: { from: number; to: number; first: boolean } | undefined;
  const walk = (function* () {
    if ((yield* cursor.peek()) !== 0x7b) return;
    const brace = cursor.offset;
    yield* members(cursor, function* (key) {
      const first = end < 0;
      const from = first ? brace + 1 : end;
      yield* cursor.skipValue();
      end = cursor.offset;
      if (key === REASON) cut = { from, to: end, first };
    });
  })();
  try {
    while (!walk.next().done);
  } catch (defect) {
    if (!(defect instanceof JsonDefect)) throw defect;
    return record;
  }
  if (cut === undefined) return record;
  const before = bytes.toString('utf8', 0, cut.from);
  const after = bytes.toString('utf8', cut.to);
  return key + before + (cut.first ? after.replace(/^\s*,/, '') : after);
}

// The records of a JSONL file: a line each, or the elements of an array within each line.

const LF = 10;
const CR = 13;

async function* jsonlRecords(
  place: JsonPlace,
  selector: RecordSelector | undefined,
  signal: AbortSignal,
): AsyncGenerator<ReadRecord[]> {
  const { source, file, tuning } = place;
  const window = new ReadWindow(source, place.offset, Math.min(tuning.chunkBytes, ROWS_BYTES), signal);
  let line = 1;
  let start = 0;
  /** The rest of a line that is too long is passed over. */
  let skipping = false;
  while (window.base + start < source.size) {
    await window.fill(start);
    start = 0;
    const { bytes, base, ended } = window;
    const valid = isUtf8(bytes);
    const records: ReadRecord[] = [];
    while (start < bytes.length) {
      const found = bytes.indexOf(LF, start);
      if (found < 0 && !ended) break;
      const next = found < 0 ? bytes.length : found + 1;
      let end = found < 0 ? bytes.length : found;
      if (end > start && bytes[end - 1] === CR) end--;
      if (!skipping && !isBlank(bytes, start, end)) {
        if (!valid && !isUtf8(bytes.subarray(start, end))) place.onInvalidText(line);
        const ref = { file, offset: base + start, length: end - start, line };
        if (selector?.path === undefined) {
          const record = jsonRecord(ref, bytes.toString('utf8', start, end), selector);
          if (record !== undefined) records.push(record);
        } else {
          pageRecords(bytes.subarray(start, end), ref, selector, records);
        }
      }
      skipping = false;
      line++;
      start = next;
    }
    if (bytes.length - start > tuning.maxJsonRecordBytes) {
      if (!skipping) {
        const ref = { file, offset: base + start, length: tuning.chunkBytes, line };
        records.push({ ref, error: 'The line is too long to be read.' });
      }
      skipping = true;
      start = bytes.length;
    }
    if (records.length > 0) yield records;
  }
}

type LineRef = Exclude<ReadRecord['ref'], undefined>;

/** The elements within one line, which is a document of its own. */
function pageRecords(bytes: Buffer, line: LineRef, selector: RecordSelector, records: ReadRecord[]): void {
  const cursor = new JsonCursor({ bytes, base: line.offset, ended: true }, line.offset);
  try {
    const walk = elementsAt(cursor, selector.path, (start, end) => {
      const ref = { ...line, offset: start, length: end - start };
      const record = jsonRecord(ref, cursor.text(start, end), selector);
      if (record !== undefined) records.push(record);
    });
    while (!walk.next().done);
  } catch (defect) {
    if (!(defect instanceof JsonDefect)) throw defect;
    const column = bytes.toString('utf8', 0, defect.offset - line.offset).length + 1;
    records.push({ ref: line, error: `This is not valid JSON at column ${column}: ${defect.message}.` });
  }
}

/** Only white space; the first byte tells nearly always. */
function isBlank(bytes: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    const byte = bytes[at] ?? 0;
    if (byte !== 32 && byte !== 9 && byte !== 13) return false;
  }
  return true;
}
