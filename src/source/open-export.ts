/** Reads everything that the user named once: list, unpack, decode, tell the format, split into records, stage. */
import { statSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { type AppError, changedSource } from '../domain/errors.ts';
import { inFlight } from '../domain/limits.ts';
import type { Problem } from '../domain/problem.ts';
import type { ExportFiles } from '../domain/source-file.ts';
import { stop } from '../domain/text/stops.ts';
import {
  type ByteStream,
  byteStreams,
  counted,
  DEFAULT_TUNING,
  type ReadContext,
  type ReadTuning,
} from './bytes.ts';
import { acceptKind, formatOf, type Input, kindByBytes, kindByText, listInputs } from './inputs.ts';
import { emptyFile, LineProblems } from './problems.ts';
import { Stage } from './stage.ts';
import { csvStager, type FileToStage, type Reading } from './stage-csv.ts';
import { jsonStager } from './stage-json.ts';
import type { StagedFile } from './staged-file.ts';
import { decoded, isOtherEncoding, notUtf8 } from './text.ts';

export interface OpenOptions extends Reading {
  readonly stdin?: Readable | undefined;
  readonly signal: AbortSignal;
  readonly tuning?: Partial<ReadTuning>;
  /** Bytes of all files (unknown for standard input), and records. */
  readonly onProgress?: ((bytes: number, totalBytes: number, records: number) => void) | undefined;
}

export interface StagedExport extends ExportFiles {
  readonly files: readonly StagedFile[];
  readonly stage: Stage;
}

const HEAD = 256 * 1024;

export async function openExport(inputs: readonly string[], options: OpenOptions): Promise<StagedExport> {
  const { signal } = options;
  const problems: Problem[] = [];
  const tuning = { ...DEFAULT_TUNING, ...options.tuning };
  const listed = await listInputs(inputs, problems, signal);
  const total = listed.reduce((sum, { stats }) => sum + (stats?.size ?? 0), 0);
  const read = { bytes: 0, records: 0 };
  const stage = new Stage();
  const context: StageContext = {
    ...{ ...options, tuning, problems, stage },
    onBytes: (count) => {
      read.bytes += count;
    },
    onRecords: (count) => {
      read.records += count;
      options.onProgress?.(read.bytes, Math.max(total, read.bytes), read.records);
    },
  };
  const files: StagedFile[] = [];
  try {
    for (const input of listed)
      for await (const stream of byteStreams(input, context)) {
        const file = await stageStream(files.length, stream, context);
        if (file !== undefined) files.push(file);
      }
    stage.flush();
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
  return stop('no-data', {}, { lines: problems.slice(0, 20).map(({ message }) => message) });
}

interface StageContext extends ReadContext, Reading {
  readonly stage: Stage;
  onRecords(count: number): void;
}

/** Undefined without records; then a problem says so. */
async function stageStream(
  id: number,
  stream: ByteStream,
  context: StageContext,
): Promise<StagedFile | undefined> {
  const { name, compression } = stream;
  const { problems, signal, stage, tuning } = context;
  let bytes = 0;
  const chunks = counted(stream.bytes, (count) => {
    bytes += count;
  });
  if (!acceptKind(kindByBytes(stream.head), stream, problems)) return undefined;
  const { encoding, text, damage } = await decoded(stream.head, chunks, context.encoding);
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
      lines.addLine('invalid-unicode:line', line);
    },
  };
  const stager = format === 'csv' ? csvStager(source, context) : jsonStager(source);
  const take = async (part: string, isLast: boolean) => {
    signal.throwIfAborted();
    // a document is held whole
    if (format === 'json' && !inFlight.take(stager, part.length)) await inFlight.turn(stager);
    context.onRecords(stager.take(part, isLast));
    if ((isLast || (damagedLine !== undefined && damage.bad > 100)) && isOtherEncoding(damage))
      throw notUtf8(name, damagedLine ?? 1, damage);
  };
  using _ = { [Symbol.dispose]: () => inFlight.release(stager) };
  await take(head, false);
  for (let step = await parts.next(); step.done !== true; step = await parts.next())
    await take(step.value, false);
  await take('', true);
  if (!damage.isUtf8 && damage.bad > 0)
    lines.add('invalid-unicode:file', { characters: damage.bad, encoding });
  return stager.file(bytes);
}
