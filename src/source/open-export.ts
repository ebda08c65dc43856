/**
 * Opening an export: everything that the user named is read once, from front to back, and its records are staged. The order
 * of the steps is that of the functions below: list, unpack, decode, tell the format, split into records, stage.
 */
import { statSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { AppError, changedSource } from '../domain/errors.ts';
import type { Problem } from '../domain/problem.ts';
import type { SourceFormat } from '../domain/source.ts';
import type { ExportFiles, SourceFile } from '../domain/source-file.ts';
import { type ByteStream, DEFAULT_TUNING, peeked, type ReadContext, type ReadTuning } from './bytes.ts';
import {
  type CsvColumns,
  type CsvDialect,
  CsvReader,
  columnsOf,
  csvLine,
  detectDialect,
  directive,
  lineEnds,
  namedDelimiter,
  quotedLine,
  toRow,
} from './csv.ts';
import { type InputFile, kindByBytes, kindByText, listInputs } from './inputs.ts';
import { defectSentence, JsonSplitter, parseRecord, type SplitValue } from './json.ts';
import { collectionsOf, Sample } from './outline.ts';
import { emptyFile, LineProblems, lostCharacters, onlyHeader } from './problems.ts';
import { HEADER_PATH, pathName, Stage, type StagedRow } from './stage.ts';
import { csvFile, jsonFile, type RowReader, type StagedFile } from './staged-file.ts';
import { acceptKind, byteStreams, type Input } from './streams.ts';
import { decoded, isOtherEncoding, notUtf8, type TextStream } from './text.ts';

export interface OpenOptions {
  /** `--encoding`, for every file; else UTF-8 and UTF-16 are recognised. */
  readonly encoding?: string | undefined;
  /** `--delimiter`, for every CSV. */
  readonly delimiter?: string | undefined;
  /** `--skip-lines`: lines before the header of every CSV. */
  readonly skipLines?: number | undefined;
  /** What `-` is. */
  readonly stdin?: Readable | undefined;
  readonly signal: AbortSignal;
  readonly tuning?: Partial<ReadTuning>;
  /** Bytes read so far of those of all files (unknown for standard input), and records. */
  readonly onProgress?: ((bytes: number, totalBytes: number, records: number) => void) | undefined;
}

/** An open export whose rows can be joined. */
export interface StagedExport extends ExportFiles {
  readonly files: readonly (SourceFile & RowReader)[];
  readonly stage: Stage;
}

const HEAD = 256 * 1024;
const SAMPLE_ROWS = 200;

/** Throws AppError `source` when a file cannot be read, is no data though it was named, or when nothing is left to read. */
export async function openExport(inputs: readonly string[], options: OpenOptions): Promise<StagedExport> {
  const { signal, stdin } = options;
  const delimiter = options.delimiter === undefined ? undefined : namedDelimiter(options.delimiter);
  const problems: Problem[] = [];
  const context: ReadContext = { tuning: { ...DEFAULT_TUNING, ...options.tuning }, signal, problems };
  const listed = await listInputs(inputs, signal);
  problems.push(...listed.problems);
  const named = listed.files.map((file): Input => ({ ...file, size: file.stats.size }));
  const all = [...named];
  if (listed.stdinAt !== undefined)
    all.splice(listed.stdinAt, 0, { name: '-', size: undefined, named: true, stdin });
  const progress = new Progress(all, options.onProgress);
  const stage = new Stage();
  const files: (SourceFile & RowReader)[] = [];
  try {
    for (const input of all) {
      for await (const stream of byteStreams(input, context)) {
        const file = await stageStream(files.length, stream, {
          ...context,
          stage,
          delimiter,
          options,
          progress,
        });
        if (file !== undefined) files.push(file);
      }
      progress.input();
    }
    const changed = listed.files.filter(isChanged);
    if (changed.length > 0) throw changedSource(changed.map(({ name }) => name));
    if (files.length === 0) throw nothingToRead(problems);
    return {
      files,
      problems,
      stage,
      [Symbol.asyncDispose]: async () => stage[Symbol.dispose](),
    };
  } catch (error) {
    stage[Symbol.dispose]();
    throw error;
  }
}

function isChanged({ path, stats }: InputFile): boolean {
  const now = statSync(path, { throwIfNoEntry: false });
  return now === undefined || now.size !== stats.size || now.mtimeMs !== stats.mtimeMs;
}

function nothingToRead(problems: readonly Problem[]): AppError {
  return new AppError('source', 'There is no data to read in what was named.', {
    hint: 'Name CSV, JSON or JSONL files, or a folder or archive that holds some.',
    lines: problems.slice(0, 20).map(({ message }) => message),
  });
}

/** How far reading is, by the bytes of whole inputs and of the one that is being read. */
class Progress {
  readonly #sizes: number[];
  readonly #tell: OpenOptions['onProgress'];
  #done = 0;
  #inInput = 0;
  #records = 0;

  constructor(inputs: readonly Input[], tell: OpenOptions['onProgress']) {
    this.#sizes = inputs.map(({ size }) => size ?? 0);
    this.#tell = tell;
  }

  add(bytes: number, records: number): void {
    this.#inInput = Math.min(this.#inInput + bytes, this.#sizes[0] || Number.POSITIVE_INFINITY);
    this.#records += records;
    this.#report();
  }

  /** One input is read. */
  input(): void {
    this.#done += this.#sizes.shift() ?? 0;
    this.#inInput = 0;
    this.#report();
  }

  #report(): void {
    const left = this.#sizes.reduce((sum, size) => sum + size, 0);
    this.#tell?.(
      this.#done + this.#inInput,
      Math.max(this.#done + left, this.#done + this.#inInput),
      this.#records,
    );
  }
}

interface StageContext extends ReadContext {
  readonly stage: Stage;
  readonly delimiter: string | undefined;
  readonly options: OpenOptions;
  readonly progress: Progress;
}

/** Undefined when there is nothing in it, or nothing that could be a record; then a problem says so. */
async function stageStream(
  id: number,
  stream: ByteStream,
  context: StageContext,
): Promise<(SourceFile & RowReader) | undefined> {
  const { problems, signal, options } = context;
  const { name, compression } = stream;
  const counted = { bytes: 0 };
  const [bytesHead, bytes] = await peeked(counting(stream.bytes, counted), 64 * 1024, name, signal);
  if (!acceptKind(kindByBytes(bytesHead), stream, problems)) return undefined;
  const text = await decoded(bytesHead, bytes, options.encoding);
  const chunks = text.text[Symbol.asyncIterator]();
  let head = '';
  let isWhole = false;
  while (head.length < HEAD && !isWhole) {
    const step = await chunks.next();
    if (step.done === true) isWhole = true;
    else head += step.value;
  }
  if (!acceptKind(kindByText(Buffer.from(head.slice(0, 8192))), stream, problems)) return undefined;
  const format = formatOf(head, isWhole, name);
  if (format === undefined) {
    problems.push(emptyFile(name));
    return undefined;
  }
  const rest = async function* () {
    yield head;
    for (let step = await chunks.next(); step.done !== true; step = await chunks.next()) yield step.value;
  };
  const file: FileToStage = {
    ...context,
    file: { id, name, format, encoding: text.encoding, compression },
    text,
    parts: rest(),
    head,
    isWhole,
    lines: new LineProblems(name, problems),
    counted,
  };
  const staged = format === 'csv' ? await stageCsv(file) : await stageJson(file);
  if (text.lost.count > 0) problems.push(lostCharacters(name, text.encoding, text.lost.count));
  return staged;
}

async function* counting(bytes: AsyncIterable<Buffer>, counted: { bytes: number }): AsyncGenerator<Buffer> {
  for await (const chunk of bytes) {
    counted.bytes += chunk.length;
    yield chunk;
  }
}

interface FileToStage extends StageContext {
  readonly file: Omit<StagedFile, 'bytes'>;
  readonly text: TextStream;
  /** The whole text, its beginning included. */
  readonly parts: AsyncIterable<string>;
  readonly head: string;
  /** `head` is all of it. */
  readonly isWhole: boolean;
  readonly lines: LineProblems;
  readonly counted: { bytes: number };
}

/** Hands on the text part by part, then once more at its end; tells how far reading is. */
async function eachPart(
  { parts, signal, counted, progress, text, file }: FileToStage,
  take: (
    part: string,
    isLast: boolean,
  ) => { readonly records: number; readonly damagedLine?: number | undefined },
): Promise<void> {
  let told = 0;
  let damagedLine: number | undefined;
  const look = (part: string, isLast: boolean) => {
    signal.throwIfAborted();
    const taken = take(part, isLast);
    damagedLine ??= taken.damagedLine;
    progress.add(counted.bytes - told, taken.records);
    told = counted.bytes;
    if ((isLast || (damagedLine !== undefined && text.damage.bad > 100)) && isOtherEncoding(text.damage))
      throw notUtf8(file.name, damagedLine ?? 1, text.damage);
  };
  for await (const part of parts) look(part, false);
  look('', true);
}

async function stageCsv(source: FileToStage): Promise<SourceFile & RowReader> {
  const { file, stage, head, isWhole, problems, lines, text, tuning, options } = source;
  const excel = directive(head);
  const skipped = linesBehind(head, excel?.length ?? 0, options.skipLines ?? 0);
  const dialect = detectDialect(head.slice(skipped), isWhole, source.delimiter ?? excel?.delimiter);
  const reader = new CsvReader(dialect, 1 + lineEnds(head.slice(0, skipped)), tuning.maxCsvRecordBytes);
  let columns: CsvColumns | undefined;
  let headerLine = 1;
  let headerRow: number | undefined;
  const sampleRows: string[][] = [];
  let records = 0;
  let isFirst = true;
  await eachPart(source, (part, isLast) => {
    const rest = isFirst ? part.slice(skipped) : part;
    isFirst = false;
    let damagedLine: number | undefined;
    const found = reader.take(rest, isLast);
    for (const { line, raw, cells, error } of found) {
      if (text.damage.bad > 0 && raw.includes('\ufffd')) {
        damagedLine ??= line;
        lines.invalidText(line);
      }
      const row = {
        file: file.id,
        line,
        column: 0,
        text: JSON.stringify(cells),
        raw: writtenAs(raw, cells, dialect.delimiter),
      };
      if (columns === undefined) {
        if (error !== undefined) throw unreadableHeader(file.name, line, error);
        columns = columnsOf(cells);
        headerLine = line;
        headerRow = stage.add({ ...row, path: HEADER_PATH, error: null }).row;
        continue;
      }
      if (error === undefined) {
        const beyond = cells.slice(reader.width ?? cells.length);
        if (beyond.some((cell) => cell.trim() !== '')) lines.extraCells(line, cells.length, beyond);
        const shaped = toRow(cells, columns);
        if (repeatsHeader(shaped, columns)) {
          lines.repeatedHeader(line);
          continue;
        }
        if (sampleRows.length < SAMPLE_ROWS) sampleRows.push(shaped);
        if (sampleRows.length === 2) refuseTitle(file.name, head, headerLine, columns, sampleRows, dialect);
      }
      stage.add({ ...row, path: pathName(undefined), error: error ?? null });
      records++;
    }
    return { records: found.length, damagedLine };
  });
  if (columns !== undefined && records === 0) problems.push(onlyHeader(file.name, headerLine));
  return csvFile(
    stage,
    { ...file, bytes: source.counted.bytes },
    { columns: columns ?? columnsOf([]), delimiter: dialect.delimiter, headerLine, headerRow, sampleRows },
  );
}

/** How a record is written, where not as `csvLine` does: 1 with quotes around every cell, else its text. */
function writtenAs(raw: string, cells: readonly string[], delimiter: string): StagedRow['raw'] {
  if (raw === csvLine(cells, delimiter)) return null;
  return raw === quotedLine(cells, delimiter) ? 1 : raw;
}

/** Index behind the first `count` lines of a text from `from` on. */
function linesBehind(text: string, from: number, count: number): number {
  let at = from;
  for (let line = 0; line < count; line++) {
    const end = /\r\n|\n|\r/g;
    end.lastIndex = at;
    if (end.exec(text) === null) return text.length;
    at = end.lastIndex;
  }
  return at;
}

function unreadableHeader(name: string, line: number, error: string): AppError {
  return new AppError('source', `The header of ${name} (line ${line}) cannot be read.`, {
    hint: `${error} If the columns are not separated by the usual characters, say so with --delimiter.`,
  });
}

/** Where one file was put behind another: no record, nor is it one of a header of one column. */
function repeatsHeader(row: readonly string[], { header }: CsvColumns): boolean {
  return header.length > 1 && row.length === header.length && header.every((name, at) => row[at] === name);
}

/** A header of one cell, or one that an empty line follows, above rows that have more: it is a title. */
function refuseTitle(
  name: string,
  head: string,
  line: number,
  { header }: CsvColumns,
  rows: readonly (readonly string[])[],
  { delimiter }: CsvDialect,
): void {
  const width = rows[0]?.length ?? 0;
  if (width <= header.length + 1 || rows.some(({ length }) => length !== width)) return;
  const physical = head.split(/\r\n|\n|\r/);
  if (header.length > 1 && physical[line] !== '') return;
  const wide = physical.findIndex((text) => text.split(delimiter).length >= width);
  throw new AppError(
    'source',
    `The header of ${name} (line ${line}) has ${header.length === 1 ? 'one cell' : `${header.length} cells`}, and the rows below it have ${width}.`,
    { hint: `If titles precede the header, skip them: --skip-lines ${Math.max(1, wide)}.` },
  );
}

async function stageJson(source: FileToStage): Promise<SourceFile & RowReader> {
  const { file, stage, lines, text, tuning } = source;
  const isLines = file.format === 'jsonl';
  const documents = new Sample();
  let first: SplitValue | undefined;
  const lists = new Map<string, { readonly path: readonly string[]; readonly sample: Sample }>();
  const splitter = isLines
    ? new LineSplitter(tuning.maxJsonRecordBytes)
    : new JsonSplitter(tuning.maxJsonRecordBytes);
  await eachPart(source, (part, isLast) => {
    let damagedLine: number | undefined;
    const found = splitter.take(part, isLast);
    first ??= found[0];
    for (const value of found) {
      if (text.damage.bad > 0 && value.text.includes('\ufffd')) {
        damagedLine ??= value.line;
        lines.invalidText(value.line);
      }
      const name = pathName(value.path);
      stage.add({
        file: file.id,
        path: name,
        line: value.line,
        column: value.column,
        text: value.text,
        raw: value.error !== undefined ? '' : value.isIndented === true ? 1 : null,
        error: errorOf(value, isLines) ?? null,
      });
      if (value.error !== undefined) continue;
      if (value.path === undefined) documents.add(value.text);
      else {
        const list = lists.get(name) ?? { path: value.path, sample: new Sample() };
        lists.set(name, list);
        list.sample.add(value.text);
      }
    }
    return { records: found.length, damagedLine };
  });
  const collections = collectionsOf(documents.texts(), lists);
  const unreadable = collections.length > 0 || first === undefined ? undefined : whyNoRecord(first, isLines);
  return jsonFile(stage, { ...file, bytes: source.counted.bytes }, collections, unreadable);
}

function whyNoRecord({ text, error, line, column }: SplitValue, isLine: boolean): string {
  const parsed = parseRecord(text);
  if (error !== undefined || 'object' in parsed) return error ?? 'It has no fields.';
  const defect = defectSentence(parsed, text, { line, column, isLine });
  return isLine ? `Line ${line}: ${defect}` : defect;
}

/** Lists of a line are records only where a table says so; the line itself is none then. */
function errorOf({ text, error, line, column, path }: SplitValue, isLines: boolean): string | undefined {
  if (error !== undefined) return error;
  const parsed = parseRecord(text);
  if ('object' in parsed) return undefined;
  const isDocument = path === undefined && !isLines;
  return isDocument ? undefined : defectSentence(parsed, text, { line, column, isLine: isLines });
}

const TOO_LONG = { path: undefined, column: 0, error: 'The line is too long to be read.' };

/** The lines of JSONL, without blank ones. */
class LineSplitter {
  readonly #maxLength: number;
  #text = '';
  #line = 1;
  #isSkipping = false;

  constructor(maxLength: number) {
    this.#maxLength = maxLength;
  }

  take(part: string, isLast: boolean): SplitValue[] {
    this.#text += part;
    const found: SplitValue[] = [];
    let start = 0;
    for (let end = this.#text.indexOf('\n'); end >= 0; end = this.#text.indexOf('\n', start)) {
      this.#add(this.#text.slice(start, end), found);
      start = end + 1;
    }
    this.#text = this.#text.slice(start);
    if (isLast) this.#add(this.#text, found);
    else if (this.#text.length > this.#maxLength) {
      if (!this.#isSkipping) found.push({ ...TOO_LONG, text: this.#text.slice(0, HEAD), line: this.#line });
      this.#isSkipping = true;
      this.#text = '';
    }
    return found;
  }

  #add(text: string, found: SplitValue[]): void {
    const line = this.#line++;
    const isSkipped = this.#isSkipping;
    this.#isSkipping = false;
    if (isSkipped || text.trim() === '') return;
    if (text.length > this.#maxLength) found.push({ ...TOO_LONG, text: text.slice(0, HEAD), line });
    else found.push({ path: undefined, text: text.replace(/\r$/, ''), line, column: 0 });
  }
}

// Whether a text is CSV, JSONL or JSON: its content decides, and its name only where both would do.

/** Undefined for white space alone. */
function formatOf(sample: string, isWhole: boolean, name: string): SourceFormat | undefined {
  const body = sample.trimStart();
  if (body === '') return undefined;
  const lineNamed = /(^-|\.(jsonl|ndjson|jl|log))(\.\w+)?$/i.test(name);
  const jsonNamed = lineNamed || /\.(json|geojson)(\.\w+)?$/i.test(name);
  const lines = wholeLines(body, isWhole).slice(0, 40);
  const records = lines.filter(isWholeValue).length;
  if (records > 1 && records * 2 >= lines.length) return 'jsonl';
  if (!looksLikeJson(body)) {
    if (!jsonNamed || looksLikeTable(body)) return 'csv';
    return lineNamed ? 'jsonl' : 'json';
  }
  if (lines.length === 0) return jsonNamed && !lineNamed ? 'json' : 'jsonl';
  if (isWhole && lines.length === 1) return lineNamed ? 'jsonl' : 'json';
  if (!lineNamed) return records > 0 && !jsonNamed ? 'jsonl' : 'json';
  const startsPretty = lines[0] === '{' || lines[0] === '[';
  return startsPretty || (records === 0 && isWholeValue(body)) ? 'json' : 'jsonl';
}

/** Without empty ones, and without the last one where the end of the sample may have cut it. */
function wholeLines(body: string, isWhole: boolean): string[] {
  const lines = body.split('\n');
  return (isWhole ? lines : lines.slice(0, -1)).map((line) => line.trim()).filter((line) => line !== '');
}

/** `{` or `[` and then what JSON has there: `[id],[subject]` is the header of a CSV. */
function looksLikeJson(body: string): boolean {
  return /^(\{\s*(["}]|$)|\[\s*([{["\]\d-]|true|false|null|$))/.test(body.slice(0, 1000));
}

/** Several lines and a delimiter in the first. */
function looksLikeTable(body: string): boolean {
  const [first = '', second] = body.split(/\r\n|\n|\r/, 2);
  return second !== undefined && /[,;\t|]/.test(first);
}

function isWholeValue(line: string): boolean {
  if (!/^[{[]/.test(line)) return false;
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}
