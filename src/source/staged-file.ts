import { cellPaths, csvObject, type RecordPart, type SourceFrame } from '../domain/source.ts';
import {
  isJsonObject,
  type JsonCollection,
  type ReadRecord,
  type RecordSelector,
  type SourceFile,
  selectObject,
  undotted,
  valueAt,
} from '../domain/source-file.ts';
import { cellSpan, csvLine, quotedLine, type Span, strayQuote } from './csv-line.ts';
import { jsonRow, parseRecord, valueSpan } from './json.ts';
import { LINES, pathName, type Stage, type StagedRow } from './stage.ts';

const SAMPLE_ROWS = 200;

export type FileFacts = Pick<
  SourceFile,
  'id' | 'name' | 'format' | 'encoding' | 'compression' | 'bytes' | 'delimiter' | 'headerRef'
>;

type Shape = Pick<SourceFile, 'header' | 'unreadable'> & { readonly collections?: () => JsonCollection[] };

export interface StagedFile extends SourceFile {
  read(row: StagedRow, selector: RecordSelector | undefined): ReadRecord | undefined;
}

export function stagedFile(stage: Stage, facts: FileFacts, shape: Shape): StagedFile {
  const rows = new StagedRows(stage, facts, shape.header);
  const { id, name, format } = facts;
  const { header, unreadable, collections } = shape;
  return {
    ...{ ...facts, header, unreadable },
    get sampleRows() {
      return header && stage.sample(id, () => rows.sample());
    },
    get collections() {
      return collections && stage.sample(id, collections);
    },
    read: (row, selector) => rows.read(row, selector),
    at: ({ row }, selector) => rows.read(stage.get(row), selector),
    *records(selector, signal) {
      if (selector?.path !== undefined) stagePath(stage, id, selector.path, format === 'jsonl');
      for (const page of stage.rows(id, pathName(selector?.path))) {
        signal.throwIfAborted();
        const records = page.flatMap((row) => rows.read(row, selector) ?? []);
        if (records.length > 0) yield records;
      }
    },
    raw: ({ row }) => rows.raw(stage.get(row)),
    reason: ({ row }) => stage.get(row).reason ?? '',
    frame: (ref, part) => {
      const row = stage.get(ref.row);
      const raw = rows.raw(row);
      const span = rows.span(raw, row, part);
      return span && { file: name, ...frameOf(raw, span, row, header === undefined ? LF : ANY_LINE_END) };
    },
  };
}

/** Rows of a file as records and as they were written. */
class StagedRows {
  readonly #stage: Stage;
  readonly #id: number;
  readonly #delimiter: string;
  readonly #header: SourceFile['header'];
  readonly #paths: ReturnType<typeof cellPaths>;

  constructor(stage: Stage, { id, delimiter = ',' }: FileFacts, header: SourceFile['header']) {
    this.#stage = stage;
    this.#id = id;
    this.#delimiter = delimiter;
    this.#header = header;
    this.#paths = cellPaths(header ?? []);
  }

  /** Undefined if the selector leaves it out. */
  read(row: StagedRow, selector: RecordSelector | undefined): ReadRecord | undefined {
    const ref = { file: this.#id, row: row.id, line: row.line };
    if (row.error !== null) return { ref, error: row.error };
    if (this.#header !== undefined) return this.#readCells(row);
    const parsed = parseRecord(row.text);
    if (!('object' in parsed)) return { ref, error: parsed.what };
    const object = selectObject(undotted(parsed.object), selector);
    return object === undefined
      ? undefined
      : typeof object === 'string'
        ? { ref, error: object }
        : { ref, object: undotted(object) };
  }

  #readCells(row: StagedRow): ReadRecord {
    // On Windows the line ends of cells are those of rows.
    const written = JSON.parse(row.text) as string[];
    const cells = row.text.includes('\\r\\n')
      ? written.map((cell) => cell.replaceAll('\r\n', '\n'))
      : written;
    while (cells.length < this.#paths.length) cells.push('');
    const ref = { file: this.#id, row: row.id, line: row.line };
    return { ref, cells, object: csvObject(cells, this.#paths) };
  }

  sample(): (readonly string[])[] {
    const sample: (readonly string[])[] = [];
    for (const page of this.#stage.rows(this.#id, LINES)) {
      for (const row of page) {
        const { cells } = this.read(row, undefined) ?? {};
        if (cells !== undefined && sample.push(cells) >= SAMPLE_ROWS) return sample;
      }
    }
    return sample;
  }

  raw({ text, raw }: StagedRow): string {
    if (this.#header === undefined) return text;
    if (typeof raw === 'string') return raw;
    const cells = JSON.parse(text) as string[];
    return raw === null ? csvLine(cells, this.#delimiter) : quotedLine(cells, this.#delimiter);
  }

  span(raw: string, row: StagedRow, part: RecordPart): Span | undefined {
    if (this.#header !== undefined) {
      if (part === 'defect') return strayQuote(raw, this.#delimiter);
      const missing = { start: raw.length, end: raw.length };
      return 'cell' in part ? (cellSpan(raw, this.#delimiter, part.cell) ?? missing) : undefined;
    }
    if (part !== 'defect') return 'path' in part ? valueSpan(raw, part.path) : undefined;
    return typeof row.raw === 'number'
      ? { start: row.raw, end: Math.min(raw.length, row.raw + 1) }
      : { start: 0, end: raw.length };
  }
}

/** Records of paged lines (`{"tickets": [ … ]}`) are staged when a table first asks for them. */
function stagePath(stage: Stage, file: number, path: readonly string[], isLines: boolean): void {
  const name = pathName(path);
  if (stage.stretch(file, name) !== undefined) return;
  for (const page of stage.rows(file, LINES))
    for (const row of page) {
      const parsed = parseRecord(`{"document":${row.text}}`);
      const document = 'object' in parsed ? parsed.object['document'] : undefined;
      if (typeof document !== 'object' || document === null) {
        stage.add(name, row);
        continue;
      }
      const found = valueAt(document, path);
      const records = Array.isArray(found) ? found : isJsonObject(found) && path.length > 0 ? [found] : [];
      for (const record of records.filter((each) => isLines || isJsonObject(each)))
        stage.add(name, { ...row, ...jsonRow(JSON.stringify(record)), error: null });
    }
  stage.flush();
}

/** In JSON a CR is white space. */
const ANY_LINE_END = /\r\n|\n|\r/g;
const LF = /\r?\n/g;
/** Characters of a stretch of a line. */
const KEPT = 400;
/** No reader counts columns that far. */
const LONGEST_LINE = 64 * 1024;

function frameOf(
  text: string,
  span: Span,
  { line, column }: Pick<StagedRow, 'line' | 'column'>,
  lineEnd: RegExp,
): Omit<SourceFrame, 'file'> {
  const ends = [...text.slice(0, span.start).matchAll(lineEnd)];
  const last = ends.at(-1);
  const begin = last === undefined ? 0 : last.index + last[0].length;
  const length = text.slice(span.start).search(lineEnd);
  const end = length < 0 ? text.length : span.start + length;
  const before = text.slice(begin, span.start);
  const marked = text.slice(span.start, Math.min(span.end, end));
  const after = text.slice(span.start + marked.length, end);
  const indent = last === undefined ? column : 0;
  const at = indent + before.length;
  const isLong = marked.length > KEPT;
  return {
    line: line + ends.length,
    ...(at <= LONGEST_LINE ? { column: at + 1 } : {}),
    before: before.slice(-KEPT),
    marked: marked.slice(0, KEPT),
    after: isLong ? '' : after.slice(0, KEPT),
    cutBefore: before.length > KEPT || indent > 0,
    cutAfter: isLong || after.length > KEPT,
  };
}
