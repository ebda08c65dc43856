/** A JSON or JSONL file of the export. */
import type { RecordRef } from '../domain/source.ts';
import type { ReadRecord, RecordSelector, SourceFile } from '../domain/source-file.ts';
import { readRange } from './byte-source.ts';
import { readRefs, readRefsSync, type TakeBytes } from './coalesced-reads.ts';
import type { DecodedFile } from './decoded-file.ts';
import { cutReasonKey } from './json-reason.ts';
import { type JsonPlace, jsonRecord, jsonRecords } from './json-records.ts';
import { jsonlShape, jsonShape } from './json-shape.ts';
import { jsonDefectSpan, valueSpan } from './json-value-span.ts';
import { jsonlRecords } from './jsonl-records.ts';
import { recordFrame } from './record-frame.ts';

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
    onInvalidText: (line) => decoded.invalidText.at(line),
  };
  const lines = format === 'jsonl';
  const collections = await (lines ? jsonlShape(place, signal) : jsonShape(place, signal));
  return {
    id,
    name,
    format,
    encoding: decoded.encoding,
    compression: decoded.compression,
    bytes: source.size,
    shape: { file: id, name, format, collections },
    records: (selector, stop) =>
      lines ? jsonlRecords(place, selector, stop) : jsonRecords(place, selector, stop),
    fetch: async (refs, selector) => {
      const records: ReadRecord[] = [];
      await readRefs(source, refs, taker(records, refs, selector));
      return records;
    },
    fetchSync: (refs, selector) => {
      const records: ReadRecord[] = [];
      readRefsSync(source, refs, taker(records, refs, selector));
      return records;
    },
    raw: async (ref) => {
      const bytes = await readRange(source, ref.offset, ref.length);
      return bytes.includes('"_reason"') ? Buffer.from(cutReasonKey(bytes.toString('utf8')), 'utf8') : bytes;
    },
    frame: (ref, part) =>
      recordFrame({ name, source, offset: decoded.offset, lineEnds: 'lf' }, ref, (text) => {
        if (part === 'defect') return jsonDefectSpan(text, lines);
        return 'path' in part ? valueSpan(text, part.path) : undefined;
      }),
  };
}

/** A record that `where` would leave out was not one when its place was noted, so it is told as an error. */
function taker(
  records: ReadRecord[],
  refs: readonly RecordRef[],
  selector: RecordSelector | undefined,
): TakeBytes {
  records.length = refs.length;
  return (index, bytes, start, end) => {
    const ref = refs[index];
    if (ref === undefined) return;
    records[index] = jsonRecord(ref, bytes.toString('utf8', start, end), selector) ?? {
      ref,
      error: 'The record is not one of this table.',
    };
  };
}
