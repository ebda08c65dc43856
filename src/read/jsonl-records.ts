/** The records of a JSONL file: a line each, or the elements of an array within each line. */
import { isUtf8 } from 'node:buffer';
import type { ReadRecord, RecordSelector } from '../domain/source-file.ts';
import { JsonCursor, JsonDefect } from './json-cursor.ts';
import { elementsAt } from './json-elements.ts';
import { type JsonPlace, jsonRecord } from './json-records.ts';
import { ROWS_BYTES } from './read-tuning.ts';
import { ReadWindow } from './read-window.ts';

const LF = 10;
const CR = 13;

export async function* jsonlRecords(
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
