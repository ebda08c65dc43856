import { existsSync, lstatSync, type Stats } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../domain/errors.ts';
import type { Problem } from '../domain/problem.ts';
import type { SourceFormat } from '../domain/source.ts';
import { stop } from '../domain/text/stops.ts';
import { ignoredFile, unreadableFile } from './problems.ts';

export interface Input {
  /** `-` is standard input. */
  readonly name: string;
  readonly stats?: Stats;
  /** A named file must be readable data; a found one may be left out with a warning. */
  readonly named: boolean;
}

/** Each once, in the order of the inputs; those of a folder by name. */
export async function listInputs(
  inputs: readonly string[],
  problems: Problem[],
  signal: AbortSignal,
): Promise<Input[]> {
  if (inputs.length === 0) throw stop('no-files');
  const found = new Map<string, Input>();
  const add = (input: Input) => {
    const { dev = 0, ino = 0 } = input.stats ?? {};
    const key = `${dev}:${ino}`;
    if (!found.has(key)) found.set(key, input);
  };
  for (const name of inputs) {
    signal.throwIfAborted();
    const stats = isStdin(name) ? undefined : await readable(name, () => stat(name));
    if (stats === undefined) add({ name: '-', named: true });
    else if (stats.isDirectory()) {
      const ignored: Problem[] = [];
      let isEmpty = true;
      for await (const file of filesBelow(name, ignored, signal)) {
        isEmpty = false;
        add(file);
      }
      if (isEmpty) throw emptyFolder(name, ignored);
      for (const problem of ignored) problems.push(problem);
    } else if (stats.isFile()) add({ name, stats, named: true });
    // A device may have no end, and a pipe no writer.
    else throw stop('no-file-or-folder', { name });
  }
  return [...found.values()];
}

const isStdin = (name: string) => name === '-' || name === '/dev/stdin' || name === '/dev/fd/0';

async function readable<T>(path: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    throw unreadableFile(path, cause);
  }
}

const BESIDE_FILES = 'folders next to files are not read; name it to read it too';
const BY_NUMBER = new Intl.Collator('en', { numeric: true });

/**
 * Enters folders only where no file is: a folder next to files is more likely a copy, and would double the tickets. A warning
 * names it.
 */
async function* filesBelow(folder: string, problems: Problem[], signal: AbortSignal): AsyncGenerator<Input> {
  signal.throwIfAborted();
  const files: Input[] = [];
  const folders: string[] = [];
  const names = await readable(folder, () => readdir(folder));
  for (const entry of names.sort((a, b) => BY_NUMBER.compare(a, b) || (a < b ? -1 : 1))) {
    const path = join(folder, entry);
    // Synchronous: a folder may have a hundred thousand files.
    const stats = await readable(path, () => lstatSync(path));
    if (stats.isSymbolicLink()) {
      problems.push(ignoredFile(path, 'it is a symbolic link; name the file itself'));
    } else if (stats.isDirectory()) {
      if (entry.startsWith('.') || entry === '__MACOSX' || entry.startsWith('helpdesk-import.')) continue;
      if (OF_RUNS.some((name) => existsSync(join(path, name)))) continue;
      folders.push(path);
    } else if (stats.isFile()) {
      const kind = kindByName(entry);
      if (kind === 'read') files.push({ name: path, stats, named: false });
      else if (kind !== 'silent') problems.push(ignoredFile(path, kind.ignored));
    } else {
      problems.push(ignoredFile(path, 'it is not a regular file'));
    }
  }
  yield* files;
  for (const path of folders)
    if (files.length === 0) yield* filesBelow(path, problems, signal);
    else problems.push(ignoredFile(path, BESIDE_FILES, 'ignored-folder'));
}

function emptyFolder(folder: string, ignored: readonly Problem[]): AppError {
  const hint = 'Name a folder with .csv, .json or .jsonl files (.gz, .zst and .zip are unpacked).';
  return new AppError('source', `The folder ${folder} holds no data file.`, {
    hint,
    lines: ignored.slice(0, 20).map(({ message }) => message),
  });
}

/** In sandboxes, and in folders of rejects. */
const OF_RUNS = ['service.sqlite', '.helpdesk-import-rejects'];
const SILENT =
  /^(\.DS_Store|Thumbs\.db|desktop\.ini|\.helpdesk-import-rejects|helpdesk-import\..*|.*\.sqlite(\.lock|-wal|-shm))$/i;
const NO_DATA = /^(readme|licen[cs]e|copying|notice|changelog|provenance)\b/i;
const NO_DATA_ENDINGS =
  /\.(md|rst|pdf|docx?|xlsx?|ods|odt|pptx?|html?|xml|xsd|ya?ml|toml|ini|sqlite3?(-wal|-shm)?|db|parquet|avro|png|jpe?g|gif|webp|svg|bmp|ico|tiff?|mp[34]|mov|wav|m4a|webm|eml|msg|ics|vcf|js|mjs|ts|py|rb|sh|css|exe|dll|so|tar|tgz|7z|rar|bz2|xz|lock|tmp|bak|swp)$/i;

const OTHER_WAYS: readonly { kind: string; ending: RegExp; begins: RegExp; instead: string }[] = [
  {
    kind: 'an SQL dump',
    ending: /\.sql$/i,
    begins:
      /^(?:(?:--|\/\*|#)[^\n]*\n|\s)*(?:create table|insert into|drop table|set [a-z_@]+ ?=|begin;|pragma|use `)/,
    instead: 'load it into its database and export each table as CSV',
  },
  {
    kind: 'a mailbox (mbox)',
    ending: /\.(?:mbox|mbx)$/i,
    begins: /^from \S+ (?=[^\n]*\d{4})[^\n]*\n(?:[a-z-]+:|>)/,
    instead: 'export its mails as CSV or JSON, a row a mail, with the ID of the conversation in a column',
  },
];

export function kindByName(name: string): 'read' | 'silent' | { ignored: string } {
  if (SILENT.test(name)) return 'silent';
  if (name.startsWith('.')) return { ignored: 'it is a hidden file' };
  const other = OTHER_WAYS.find(({ ending }) => ending.test(name));
  if (other !== undefined) return { ignored: `it is ${other.kind}: ${other.instead}` };
  if (NO_DATA.test(name) || NO_DATA_ENDINGS.test(name))
    return { ignored: 'its name is not one of a data file' };
  return 'read';
}

/** Compared with, never read as an export. */
const A_PLAN = 'a plan of helpdesk-import';

/** In hexadecimal. */
const BINARY: readonly (readonly [kind: string, begins: RegExp])[] = [
  ['a PDF document', /^25504446/],
  ['a picture', /^(?:89504e47|ffd8ff|47494638)/],
  ['an old Excel or Word file', /^d0cf11e0/],
  [A_PLAN, /^53514c69746520666f726d61742033(?:..){53}68646970/],
  ['a SQLite database', /^53514c69746520666f726d61742033/],
  ['a Parquet file', /^50415231/],
  ['a bzip2 archive', /^425a6839/],
  ['an xz archive', /^fd377a585a/],
  ['a 7z archive', /^377abcaf/],
  ['a rar archive', /^52617221/],
  ['a program', /^7f454c46/],
];

/** As a noun phrase; undefined for text. `head`: unpacked. */
export function kindByBytes(head: Buffer): string | undefined {
  const hex = head.toString('hex', 0, 100);
  return BINARY.find(([, begins]) => begins.test(hex))?.[0];
}

/** As above, for UTF-8 text. */
export function kindByText(head: Buffer): string | undefined {
  const text = head.subarray(0, 512).toString('utf8').trimStart().toLowerCase();
  if (/^<(\?xml|!doctype|html|rss|feed|[a-z][\w:-]*[\s>/])/.test(text)) return 'XML or HTML';
  const other = OTHER_WAYS.find(({ begins }) => begins.test(text));
  if (other !== undefined) return other.kind;
  const sample = head.subarray(0, 8192);
  const control = sample.filter((byte) => byte < 9 || (byte > 13 && byte < 27) || (byte > 27 && byte < 32));
  const share = new Set(control).size > 8 ? 0.03 : 0.1;
  return control.length > 16 && control.length > share * sample.length ? 'binary data' : undefined;
}

function insteadOf(kind: string): string {
  if (kind === A_PLAN)
    return 'Run the export that it was made of, and compare it: `helpdesk-import run <export> --approved <plan>`';
  const [first = '', ...rest] = OTHER_WAYS.find((way) => way.kind === kind)?.instead ?? '';
  return first === ''
    ? 'Export or save it as CSV, JSON or JSONL.'
    : `${first.toUpperCase()}${rest.join('')}.`;
}

/** A named file without data is refused, a found one left out with a warning. */
export function acceptKind(
  kind: string | undefined,
  { name, named }: { readonly name: string; readonly named: boolean },
  problems: Problem[],
): boolean {
  if (kind === undefined) return true;
  if (named)
    throw new AppError(
      'source',
      `${name === '-' ? 'standard input' : name} is ${kind}, which cannot be read.`,
      { hint: insteadOf(kind) },
    );
  problems.push(ignoredFile(name, `it is ${kind}`));
  return false;
}

/** `isWhole`: the sample is the whole file. Undefined for white space. */
export function formatOf(sample: string, isWhole: boolean, name: string): SourceFormat | undefined {
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

/** The end of the sample may have cut the last line. */
function wholeLines(body: string, isWhole: boolean): string[] {
  const lines = body.split('\n');
  return (isWhole ? lines : lines.slice(0, -1)).map((line) => line.trim()).filter((line) => line !== '');
}

/** `[id],[subject]` is the header of a CSV. */
function looksLikeJson(body: string): boolean {
  return /^(\{\s*(["}]|$)|\[\s*([{["\]\d-]|true|false|null|$))/.test(body.slice(0, 1000));
}

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
