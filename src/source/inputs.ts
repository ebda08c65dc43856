/** What the user named, as a list of files: folders are looked into, once and by the rules below. */
import { lstatSync, type Stats } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../domain/errors.ts';
import type { Problem } from '../domain/problem.ts';
import { ignoredFile, ignoredFolder, unreadableFile } from './problems.ts';

export interface InputFile {
  /** As the user named it, or as found below a folder that the user named. */
  readonly name: string;
  readonly path: string;
  readonly stats: Stats;
  /** Named itself: then it must be readable data, while a file found in a folder may be left out with a warning. */
  readonly named: boolean;
}

interface Inputs {
  readonly files: readonly InputFile[];
  /** Index of `-` in `files`. */
  readonly stdinAt: number | undefined;
  readonly problems: readonly Problem[];
}

/** Each file once, however often it is named; in the order of the inputs, those of a folder by name. */
export async function listInputs(inputs: readonly string[], signal: AbortSignal): Promise<Inputs> {
  if (inputs.length === 0) {
    throw new AppError('source', 'No file of an export is named.', {
      hint: 'Name its files or the folder that holds them, or - for standard input.',
    });
  }
  const found: InputFile[] = [];
  const problems: Problem[] = [];
  let stdinAt: number | undefined;
  for (const input of inputs) {
    signal.throwIfAborted();
    if (input === '-') {
      stdinAt ??= found.length;
      continue;
    }
    const stats = await statOf(input);
    if (stats.isDirectory()) {
      const before = found.length;
      const ignored: Problem[] = [];
      for await (const file of filesBelow(input, ignored, signal)) found.push(file);
      if (found.length === before) throw emptyFolder(input, ignored);
      for (const problem of ignored) problems.push(problem);
    } else if (stats.isFile()) {
      found.push({ name: input, path: input, stats, named: true });
    } else {
      // A device may have no end, and a pipe no writer.
      throw new AppError('source', `${input} is neither a file nor a folder.`, {
        hint: 'Name the files of the export or their folder, or - for standard input.',
      });
    }
  }
  const once = new Map<string, InputFile>();
  for (const file of found) {
    const key = `${file.stats.dev}:${file.stats.ino}`;
    if (!once.has(key)) once.set(key, file);
  }
  return { files: [...once.values()], stdinAt, problems };
}

async function statOf(path: string): Promise<Stats> {
  try {
    return await stat(path);
  } catch (cause) {
    throw unreadableFile(path, cause);
  }
}

/**
 * The data files of a folder. Folders in it are entered where there is no file: a folder besides files is more likely a copy or
 * attachments, and reading it would double the tickets, so a warning names it.
 */
async function* filesBelow(
  folder: string,
  problems: Problem[],
  signal: AbortSignal,
): AsyncGenerator<InputFile> {
  signal.throwIfAborted();
  const files: InputFile[] = [];
  const folders: string[] = [];
  for (const entry of await namesIn(folder)) {
    const path = join(folder, entry);
    const stats = lookedAt(path);
    if (stats.isSymbolicLink()) {
      problems.push(ignoredFile(path, 'it is a symbolic link; name the file itself'));
    } else if (stats.isDirectory()) {
      if (entry.startsWith('.') || entry === '__MACOSX' || entry.startsWith('helpdesk-import.')) continue;
      folders.push(path);
    } else if (stats.isFile()) {
      const kind = kindByName(entry);
      if (kind === 'read') files.push({ name: path, path, stats, named: false });
      else if (kind !== 'silent') problems.push(ignoredFile(path, kind.ignored));
    } else {
      problems.push(ignoredFile(path, 'it is not a regular file'));
    }
  }
  yield* files;
  for (const path of folders)
    if (files.length === 0) yield* filesBelow(path, problems, signal);
    else problems.push(ignoredFolder(path));
}

/** At once: a folder may have a hundred thousand files. */
function lookedAt(path: string): Stats {
  try {
    return lstatSync(path);
  } catch (cause) {
    throw unreadableFile(path, cause);
  }
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    const byName = new Intl.Collator('en', { numeric: true });
    return (await readdir(folder)).sort((a, b) => byName.compare(a, b) || (a < b ? -1 : 1));
  } catch (cause) {
    throw unreadableFile(folder, cause);
  }
}

function emptyFolder(folder: string, ignored: readonly Problem[]): AppError {
  const hint = 'Name a folder with .csv, .json or .jsonl files (.gz, .zst and .zip are unpacked).';
  return new AppError('source', `The folder ${folder} holds no data file.`, {
    hint,
    lines: ignored.slice(0, 20).map(({ message }) => message),
  });
}

// Files that hold no records: known by their names in a folder, and by their first bytes anywhere.

/** Left out without a word: made by desktops and by this program. */
const SILENT = /^(\.DS_Store|Thumbs\.db|desktop\.ini|\.helpdesk-import-rejects|helpdesk-import\..*)$/i;
const NO_DATA = /^(readme|licen[cs]e|copying|notice|changelog|provenance)\b/i;
const NO_DATA_ENDINGS =
  /\.(md|rst|pdf|docx?|xlsx?|ods|odt|pptx?|html?|xml|xsd|ya?ml|toml|ini|sqlite3?(-wal|-shm)?|db|parquet|avro|png|jpe?g|gif|webp|svg|bmp|ico|tiff?|mp[34]|mov|wav|m4a|webm|eml|msg|ics|vcf|js|mjs|ts|py|rb|sh|css|exe|dll|so|tar|tgz|7z|rar|bz2|xz|lock|tmp|bak|swp)$/i;

/** What holds tickets in a form that no mapping reads, and what to do instead. */
export const OTHER_WAYS: readonly { kind: string; ending: RegExp; begins: RegExp; instead: string }[] = [
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

/** Of the files in a folder: read it, leave it out silently, or say why it is left out. */
export function kindByName(name: string): 'read' | 'silent' | { ignored: string } {
  if (SILENT.test(name)) return 'silent';
  if (name.startsWith('.')) return { ignored: 'it is a hidden file' };
  const other = OTHER_WAYS.find(({ ending }) => ending.test(name));
  if (other !== undefined) return { ignored: `it is ${other.kind}: ${other.instead}` };
  if (NO_DATA.test(name) || NO_DATA_ENDINGS.test(name))
    return { ignored: 'its name is not one of a data file' };
  return 'read';
}

/** The kind of a plan, which is run and never read as an export. */
export const A_PLAN = 'a plan of helpdesk-import';

/** First bytes, in hexadecimal. */
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

/** What a file is that cannot hold records, as a noun phrase; undefined for text. `head`: after unpacking. */
export function kindByBytes(head: Buffer): string | undefined {
  const hex = head.toString('hex', 0, 100);
  return BINARY.find(([, begins]) => begins.test(hex))?.[0];
}

/** The same for text, once it is UTF-8. */
export function kindByText(head: Buffer): string | undefined {
  const text = head.subarray(0, 512).toString('utf8').trimStart().toLowerCase();
  if (/^<(\?xml|!doctype|html|rss|feed|[a-z][\w:-]*[\s>/])/.test(text)) return 'XML or HTML';
  const other = OTHER_WAYS.find(({ begins }) => begins.test(text));
  if (other !== undefined) return other.kind;
  const sample = head.subarray(0, 8192);
  const control = sample.filter((byte) => byte < 9 || (byte > 13 && byte < 27) || (byte > 27 && byte < 32));
  // a separator of its own is one kind
  const share = new Set(control).size > 8 ? 0.03 : 0.1;
  return control.length > 16 && control.length > share * sample.length ? 'binary data' : undefined;
}
