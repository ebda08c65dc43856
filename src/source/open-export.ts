/**
 * Opening an export: everything that the user named is read once, from front to back, and its records are staged. The order
 * of the steps is that of the functions below: list, unpack, decode, tell the format, split into records, stage.
 */
import { statSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { AppError, changedSource } from '../domain/errors.ts';
import type { Problem } from '../domain/problem.ts';
import type { ExportFiles, SourceFile } from '../domain/source-file.ts';
import { type ByteStream, DEFAULT_TUNING, peeked, type ReadContext, type ReadTuning } from './bytes.ts';
import { namedDelimiter } from './csv.ts';
import { formatOf } from './format.ts';
import { type InputFile, kindByBytes, kindByText, listInputs } from './inputs.ts';
import { emptyFile, LineProblems, lostCharacters } from './problems.ts';
import { Stage } from './stage.ts';
import { csvStager, type FileToStage } from './stage-csv.ts';
import { jsonStager } from './stage-json.ts';
import type { RowReader } from './staged-file.ts';
import { acceptKind, byteStreams, type Input } from './streams.ts';
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
  readonly files: readonly (SourceFile & RowReader)[];
  readonly stage: Stage;
}

const HEAD = 256 * 1024;

/** Throws AppError `source` when a file cannot be read, is no data though it was named, or when nothing is left to read. */
export async function openExport(inputs: readonly string[], options: OpenOptions): Promise<StagedExport> {
  const { signal, stdin } = options;
  const delimiter = options.delimiter === undefined ? undefined : namedDelimiter(options.delimiter);
  const problems: Problem[] = [];
  const context: ReadContext = { tuning: { ...DEFAULT_TUNING, ...options.tuning }, signal, problems };
  const listed = await listInputs(inputs, signal);
  problems.push(...listed.problems);
  options.onListed?.(listed.files.reduce((sum, { stats }) => sum + stats.size, 0));
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

/** How far reading is: bytes of whole inputs, and of the one that is being read at most its size. */
class Progress {
  readonly #sizes: readonly number[];
  readonly #tell: OpenOptions['onProgress'];
  #input = 0;
  #inInput = 0;
  #records = 0;

  constructor(inputs: readonly Input[], tell: OpenOptions['onProgress']) {
    this.#sizes = inputs.map(({ size }) => size ?? 0);
    this.#tell = tell;
  }

  add(bytes: number, records: number): void {
    this.#inInput = Math.min(this.#inInput + bytes, this.#sizes[this.#input] || Number.POSITIVE_INFINITY);
    this.#records += records;
    this.#report();
  }

  /** One input is read. */
  input(): void {
    this.#input++;
    this.#inInput = 0;
    this.#report();
  }

  #report(): void {
    const sum = (sizes: readonly number[]) => sizes.reduce((all, size) => all + size, 0);
    const read = sum(this.#sizes.slice(0, this.#input)) + this.#inInput;
    this.#tell?.(read, Math.max(sum(this.#sizes), read), this.#records);
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
  { problems, signal, options, stage, tuning, delimiter, progress }: StageContext,
): Promise<(SourceFile & RowReader) | undefined> {
  const { name, compression } = stream;
  let bytes = 0;
  const counted = async function* () {
    for await (const chunk of stream.bytes) {
      bytes += chunk.length;
      yield chunk;
    }
  };
  const [bytesHead, whole] = await peeked(counted(), 64 * 1024, name, signal);
  if (!acceptKind(kindByBytes(bytesHead), stream, problems)) return undefined;
  const { encoding, text, damage, lost } = await decoded(bytesHead, whole, options.encoding);
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
    problems,
    lines,
    maxLength: format === 'csv' ? tuning.maxCsvRecordBytes : tuning.maxJsonRecordBytes,
    maxDocument: tuning.maxDocumentBytes,
    look: (line, record) => {
      if (damage.bad === 0 || !record.includes('\ufffd')) return;
      damagedLine ??= line;
      lines.invalidText(line);
    },
  };
  const stager = format === 'csv' ? csvStager(source, delimiter, options.skipLines ?? 0) : jsonStager(source);
  let told = 0;
  const take = (part: string, isLast: boolean) => {
    signal.throwIfAborted();
    const records = stager.take(part, isLast);
    progress.add(bytes - told, records);
    told = bytes;
    if ((isLast || (damagedLine !== undefined && damage.bad > 100)) && isOtherEncoding(damage))
      throw notUtf8(name, damagedLine ?? 1, damage);
  };
  take(head, false);
  for (let step = await parts.next(); step.done !== true; step = await parts.next()) take(step.value, false);
  take('', true);
  if (lost.count > 0) problems.push(lostCharacters(name, encoding, lost.count));
  return stager.file(bytes);
}
