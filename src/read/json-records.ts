/** The records of a JSON document, which may be larger than memory. A defect ends the file: what follows has no frame. */
import { isUtf8 } from 'node:buffer';
import { selectObject } from '../domain/select-record.ts';
import type { RecordRef } from '../domain/source.ts';
import type { ReadRecord, RecordSelector } from '../domain/source-file.ts';
import type { ByteSource } from './byte-source.ts';
import { type Bytes, JsonCursor, JsonDefect } from './json-cursor.ts';
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
  const parsed = parseJsonObject(text);
  if (!('object' in parsed)) {
    const before = columnBefore === undefined ? 0 : columnBefore();
    const start = { line: ref.line, before, lineIsRecord: columnBefore === undefined };
    return { ref, error: defectSentence(parsed, text, start) };
  }
  const object = selectObject(parsed.object, selector);
  if (object === undefined) return undefined;
  return typeof object === 'string' ? { ref, error: object } : { ref, object };
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
    error: `This is not valid JSON at ${where}: ${defect.message}; nothing behind it was read.`,
  };
}
