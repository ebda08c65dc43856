/** The records of a JSON document, which may be larger than memory. A defect ends the file: what follows has no frame. */
import { isUtf8 } from 'node:buffer';
import { selectObject } from '../domain/select-record.ts';
import type { RecordRef } from '../domain/source.ts';
import type { ReadRecord, RecordSelector } from '../domain/source-file.ts';
import type { ByteSource } from './byte-source.ts';
import { JsonCursor, JsonDefect } from './json-cursor.ts';
import { elementsAt } from './json-elements.ts';
import { defectSentence, parseJsonObject } from './json-text.ts';
import { LineCounter } from './physical-lines.ts';
import type { ReadTuning } from './read-tuning.ts';
import { ReadWindow } from './read-window.ts';

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
    const record = jsonRecord(ref, cursor.text(start, end), selector);
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

/** Undefined when the selector leaves the record out. */
export function jsonRecord(
  ref: RecordRef,
  text: string,
  selector: RecordSelector | undefined,
): ReadRecord | undefined {
  const parsed = parseJsonObject(text);
  if (!('object' in parsed)) return { ref, error: defectSentence(parsed, text, ref.line) };
  const object = selectObject(parsed.object, selector);
  if (object === undefined) return undefined;
  return typeof object === 'string' ? { ref, error: object } : { ref, object };
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
  const lineStart = window.bytes.lastIndexOf(10, Math.max(0, defect.offset - window.base - 1)) + 1;
  const column = window.bytes.toString('utf8', lineStart, defect.offset - window.base).length + 1;
  const where = window.base === 0 || lineStart > 0 ? `line ${at}, column ${column}` : `line ${at}`;
  const length = Math.min(window.base + window.bytes.length - offset, tuning.chunkBytes);
  return {
    ref: { file, offset, length, line },
    error: `This is not valid JSON at ${where}: ${defect.message}; nothing behind it was read.`,
  };
}
