/**
 * Opening an export: what the user named → files of UTF-8 with random access, each with its format and shape. The order
 * of the steps is the order in which they stand below: list, unpack, decode, sniff, look.
 */

import { statSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { AppError } from '../domain/errors.ts';
import type { Problem } from '../domain/problem.ts';
import type { SourceFormat } from '../domain/source.ts';
import type { ExportFiles, SourceFile } from '../domain/source-file.ts';
import { openCsv } from './csv/csv-file.ts';
import { type ByteSource, DEFAULT_TUNING, type ReadTuning, readRange } from './files/byte-source.ts';
import { decode } from './files/decode.ts';
import {
  emptyFile,
  guessedEncoding,
  ignoredFile,
  LineProblems,
  lostCharacters,
  unreadableFile,
} from './files/file-problems.ts';
import { type InputFile, kindByBytes, kindByText, listInputs } from './files/inputs.ts';
import { openPipe, piped } from './files/piped.ts';
import { PlainFiles } from './files/plain-files.ts';
import { type DecodedFile, Spool, type UnpackContext } from './files/spool.ts';
import { type UnpackedFile, unpackedFiles } from './files/unpacked-files.ts';
import { openJson } from './json/json-file.ts';

export interface OpenOptions {
  /** `--encoding`, for every file; else it is detected for each. */
  readonly encoding?: string | undefined;
  /** `--delimiter`, for every CSV. */
  readonly delimiter?: string | undefined;
  /** What `-` stands for. */
  readonly stdin?: Readable | undefined;
  readonly signal: AbortSignal;
  readonly tuning?: Partial<ReadTuning>;
}

const FORMAT_SAMPLE = 256 * 1024;

/** Throws AppError `source` when a file cannot be read, is no data though it was named, or when nothing is left to read. */
export async function openExport(inputs: readonly string[], options: OpenOptions): Promise<ExportFiles> {
  const tuning = { ...DEFAULT_TUNING, ...options.tuning };
  const delimiter = options.delimiter === undefined ? undefined : namedDelimiter(options.delimiter);
  const spool = new Spool();
  const plain = new PlainFiles(tuning.openFiles);
  const close = () => {
    spool[Symbol.dispose]();
    plain[Symbol.dispose]();
  };
  try {
    const context: UnpackContext = { spool, tuning, signal: options.signal };
    const problems: Problem[] = [];
    const files: SourceFile[] = [];
    /** What the user named and what was found in it, without pipes. */
    const read = new Set<InputFile>();
    for await (const input of inputSources(inputs, options, problems, plain, context)) {
      for await (const unpacked of unpackedFiles(input, problems, context)) {
        const file = await openFile(files.length, unpacked, delimiter, options, problems, context);
        if (file === undefined) continue;
        files.push(file);
        if (input.file?.stats.isFile()) read.add(input.file);
      }
    }
    if (files.length === 0) throw nothingToRead(problems);
    return {
      files,
      problems,
      changed: () => [...read].filter(isChanged).map(({ name }) => name),
      [Symbol.asyncDispose]: () => {
        close();
        return Promise.resolve();
      },
    };
  } catch (error) {
    close();
    throw error;
  }
}

interface InputSource {
  readonly name: string;
  readonly source: ByteSource;
  readonly named: boolean;
  readonly file?: InputFile;
}

/** One that is gone is none that changed: what was read of it was whole. */
function isChanged({ path, stats }: InputFile): boolean {
  const now = statSync(path, { throwIfNoEntry: false });
  return now !== undefined && (now.size !== stats.size || now.mtimeMs !== stats.mtimeMs);
}

async function* inputSources(
  inputs: readonly string[],
  options: OpenOptions,
  problems: Problem[],
  plain: PlainFiles,
  context: UnpackContext,
): AsyncGenerator<InputSource> {
  const { stdin, signal, encoding } = options;
  const listed = await listInputs(inputs, signal);
  for (const problem of listed.problems) problems.push(problem);
  const { files, stdinAt } = listed;
  for (let index = 0; index <= files.length; index++) {
    if (index === stdinAt) {
      if (stdin === undefined) throw new AppError('usage', 'There is no standard input to read.');
      yield { name: '-', source: await piped('standard input', stdin, encoding, context), named: true };
    }
    const file = files[index];
    if (file !== undefined)
      yield {
        name: file.name,
        source: await sourceOf(file, plain, options, context),
        named: file.named,
        file,
      };
  }
}

async function sourceOf(
  file: InputFile,
  plain: PlainFiles,
  { encoding }: OpenOptions,
  context: UnpackContext,
): Promise<ByteSource> {
  if (file.stats.isFile()) return plain.source(file.path, file.name, file.stats);
  try {
    return await piped(
      file.name,
      openPipe(file.path, file.name, context.tuning.pipeSeconds),
      encoding,
      context,
    );
  } catch (cause) {
    if (cause instanceof AppError || context.signal.aborted) throw cause;
    throw unreadableFile(file.name, cause);
  }
}

/** Undefined when there is nothing in it, or nothing that could be a record; then a problem says so. */
async function openFile(
  id: number,
  { name, source, compression, named }: UnpackedFile,
  delimiter: string | undefined,
  options: OpenOptions,
  problems: Problem[],
  context: UnpackContext,
): Promise<SourceFile | undefined> {
  options.signal.throwIfAborted();
  const binary = kindByBytes(await readRange(source, 0, 64));
  if (binary !== undefined) return refuse(name, binary, named, problems);
  const { source: text, offset, encoding, guessed, lost } = await decode(source, options.encoding, context);
  const sample = await readRange(text, offset, FORMAT_SAMPLE);
  const kind = kindByText(sample);
  if (kind !== undefined) return refuse(name, kind, named, problems);
  const format = sniffFormat(sample, offset + sample.length >= text.size, name);
  if (format === undefined) {
    problems.push(emptyFile(name));
    return undefined;
  }
  if (guessed) problems.push(guessedEncoding(name, encoding));
  if (lost > 0) problems.push(lostCharacters(name, encoding, lost));
  const decoded: DecodedFile = {
    id,
    name,
    source: text,
    offset,
    encoding,
    compression,
    lineProblems: new LineProblems(name, problems),
    tuning: context.tuning,
  };
  // An export is of one format, so only what reads that one is loaded.
  if (format !== 'csv') return openJson(decoded, format, options.signal);
  return openCsv(decoded, delimiter, (problem) => problems.push(problem), options.signal);
}

function refuse(name: string, kind: string, named: boolean, problems: Problem[]): undefined {
  if (named) {
    throw new AppError('source', `${name} is ${kind}, which cannot be read.`, {
      hint: 'Export or save it as CSV, JSON or JSONL.',
    });
  }
  problems.push(ignoredFile(name, `it is ${kind}`));
  return undefined;
}

function nothingToRead(problems: readonly Problem[]): AppError {
  return new AppError('source', 'There is no data to read in what was named.', {
    hint: 'Name CSV, JSON or JSONL files, or a folder or archive that holds some.',
    lines: problems.slice(0, 20).map(({ message }) => message),
  });
}

// The delimiter of a CSV as a person names it.

const NAMES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    tab: '\t',
    '\\t': '\t',
    comma: ',',
    semicolon: ';',
    pipe: '|',
  }),
);

/** The character that an option names: itself, or `tab`, `comma`, `semicolon`, `pipe`. */
function namedDelimiter(option: string): string {
  const delimiter = NAMES.get(option.toLowerCase()) ?? option;
  if (delimiter.length === 1 && delimiter.charCodeAt(0) < 128 && !'"\r\n'.includes(delimiter))
    return delimiter;
  throw new AppError('usage', `The delimiter ${JSON.stringify(option)} is not one character.`, {
    hint: 'Use , or ; or | or tab, or another character of ASCII that is not a quote.',
  });
}

// Whether a text is CSV, JSONL or JSON: by what stands in it; its name only decides where both would do.

/** `sample`: the beginning behind the byte order mark; `ended`: it is the whole file. Undefined for white space alone. */
function sniffFormat(sample: Buffer, ended: boolean, name: string): SourceFormat | undefined {
  const text = sample.toString('utf8');
  const body = text.trimStart();
  if (body === '') return undefined;
  const lineNamed = /(^-|\.(jsonl|ndjson|jl|log))(\.\w+)?$/i.test(name);
  const jsonNamed = lineNamed || /\.(json|geojson)(\.\w+)?$/i.test(name);
  const lines = wholeLines(body, ended).slice(0, 40);
  const records = lines.filter(isWholeValue).length;
  if (records > 1 && records * 2 >= lines.length) return 'jsonl';
  if (!looksLikeJson(body)) {
    if (!jsonNamed || looksLikeTable(body)) return 'csv';
    return lineNamed ? 'jsonl' : 'json';
  }
  if (lines.length === 0) return jsonNamed && !lineNamed ? 'json' : 'jsonl';
  if (ended && lines.length === 1) return lineNamed ? 'jsonl' : 'json';
  if (!lineNamed) return records > 0 && !jsonNamed ? 'jsonl' : 'json';
  return startsPretty(lines[0] ?? '') || (records === 0 && isWholeValue(body)) ? 'json' : 'jsonl';
}

/** Without empty ones, and without the last one where the end of the sample may have cut it. */
function wholeLines(body: string, ended: boolean): string[] {
  const lines = body.split('\n');
  return (ended ? lines : lines.slice(0, -1)).map((line) => line.trim()).filter((line) => line !== '');
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

/** A bracket alone begins a document over several lines. */
function startsPretty(line: string): boolean {
  return line === '{' || line === '[';
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
