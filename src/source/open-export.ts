/**
 * Opening an export: everything that the user named is read once, from front to back, and its records are staged. The order
 * of the steps is that of the functions below: list, unpack, decode, tell the format, split into records, stage.
 */
import { statSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { AppError, changedSource } from '../domain/errors.ts';
import type { Problem } from '../domain/problem.ts';
import type { ExportFiles, SourceFile } from '../domain/source-file.ts';
import { type ByteStream, byteStreams, DEFAULT_TUNING, type ReadContext, type ReadTuning } from './bytes.ts';
import { namedDelimiter } from './csv.ts';
import { acceptKind, formatOf, type Input, kindByBytes, kindByText, listInputs } from './inputs.ts';
import { emptyFile, LineProblems, lostCharacters } from './problems.ts';
import { Stage } from './stage.ts';
import { csvStager, type FileToStage } from './stage-csv.ts';
import { jsonStager } from './stage-json.ts';
import { decoded, isOtherEncoding, notUtf8 } from './text.ts';

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
  /** The size of all files, before any of them is read. */
  readonly onListed?: ((bytes: number) => void) | undefined;
  /** Bytes read so far of those of all files (unknown for standard input), and records. */
  readonly onProgress?: ((bytes: number, totalBytes: number, records: number) => void) | undefined;
}

/** An open export whose rows can be joined. */
export interface StagedExport extends ExportFiles {
  readonly stage: Stage;
}

const HEAD = 256 * 1024;

/** Throws AppError `source` when a file cannot be read, is no data though it was named, or when nothing is left to read. */
export async function openExport(inputs: readonly string[], options: OpenOptions): Promise<StagedExport> {
  const { signal } = options;
  const delimiter = options.delimiter === undefined ? undefined : namedDelimiter(options.delimiter);
  const problems: Problem[] = [];
  const listed = await listInputs(inputs, problems, signal);
  const total = listed.reduce((sum, { stats }) => sum + (stats?.size ?? 0), 0);
  options.onListed?.(total);
  const read = { bytes: 0, records: 0 };
  const stage = new Stage();
  const context: StageContext = {
    ...options,
    tuning: { ...DEFAULT_TUNING, ...options.tuning },
    problems,
    stage,
    delimiter,
    onBytes: (count) => {
      read.bytes += count;
    },
    onRecords: (count) => {
      read.records += count;
      options.onProgress?.(read.bytes, Math.max(total, read.bytes), read.records);
    },
  };
  const files: SourceFile[] = [];
  try {
    for (const input of listed)
      for await (const stream of byteStreams(input, context)) {
        const file = await stageStream(files.length, stream, context);
        if (file !== undefined) files.push(file);
      }
    read.bytes = Math.max(read.bytes, total);
    context.onRecords(0);
    const changed = listed.filter(isChanged);
    if (changed.length > 0) throw changedSource(changed.map(({ name }) => name));
    if (files.length === 0) throw nothingToRead(problems);
  } catch (error) {
    stage.database.close();
    throw error;
  }
  return { files, problems, stage, [Symbol.asyncDispose]: async () => void stage.database.close() };
}

function isChanged({ name, stats }: Input): boolean {
  if (stats === undefined) return false;
  const now = statSync(name, { throwIfNoEntry: false });
  return now === undefined || now.size !== stats.size || now.mtimeMs !== stats.mtimeMs;
}

function nothingToRead(problems: readonly Problem[]): AppError {
  return new AppError('source', 'There is no data to read in what was named.', {
    hint: 'Name CSV, JSON or JSONL files, or a folder or archive that holds some.',
    lines: problems.slice(0, 20).map(({ message }) => message),
  });
}

interface StageContext extends ReadContext, Pick<OpenOptions, 'encoding' | 'delimiter' | 'skipLines'> {
  readonly stage: Stage;
  onRecords(count: number): void;
}

/** Undefined when there is nothing in it, or nothing that could be a record; then a problem says so. */
async function stageStream(
  id: number,
  stream: ByteStream,
  context: StageContext,
): Promise<SourceFile | undefined> {
  const { name, compression } = stream;
  const { problems, signal, stage, tuning } = context;
  let bytes = 0;
  const counted = async function* () {
    for await (const chunk of stream.bytes) {
      bytes += chunk.length;
      yield chunk;
    }
  };
  if (!acceptKind(kindByBytes(stream.head), stream, problems)) return undefined;
  const { encoding, text, damage } = await decoded(stream.head, counted(), context.encoding);
  const parts = text[Symbol.asyncIterator]();
  let head = '';
  let isWhole = false;
  while (head.length < HEAD && !isWhole) {
    const step = await parts.next();
    if (step.done === true) isWhole = true;
    else head += step.value;
  }
  if (!acceptKind(kindByText(Buffer.from(head.slice(0, 8192))), stream, problems)) return undefined;
  const format = formatOf(head, isWhole, name);
  if (format === undefined) {
    problems.push(emptyFile(name));
    return undefined;
  }
  const lines = new LineProblems(name, problems);
  let damagedLine: number | undefined;
  const source: FileToStage = {
    stage,
    file: { id, name, format, encoding, compression },
    head,
    isWhole,
    lines,
    maxLength: format === 'csv' ? tuning.maxCsvRecordBytes : tuning.maxJsonRecordBytes,
    maxDocument: tuning.maxDocumentBytes,
    look: (line, record) => {
      if (!damage.isUtf8 || damage.bad === 0 || !record.includes('\ufffd')) return;
      damagedLine ??= line;
      lines.invalidText(line);
    },
  };
  const stager =
    format === 'csv' ? csvStager(source, context.delimiter, context.skipLines ?? 0) : jsonStager(source);
  const take = (part: string, isLast: boolean) => {
    signal.throwIfAborted();
    context.onRecords(stager.take(part, isLast));
    if ((isLast || (damagedLine !== undefined && damage.bad > 100)) && isOtherEncoding(damage))
      throw notUtf8(name, damagedLine ?? 1, damage);
  };
  take(head, false);
  for (let step = await parts.next(); step.done !== true; step = await parts.next()) take(step.value, false);
  take('', true);
  if (!damage.isUtf8 && damage.bad > 0) lines.add(lostCharacters(name, encoding, damage.bad));
  return stager.file(bytes);
}
