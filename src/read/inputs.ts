/** What the user named, as a list of files: folders are looked into, once and by the rules below. */
import type { Stats } from 'node:fs';
import { lstat, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../domain/errors.ts';
import type { Problem } from '../domain/problem.ts';
import { kindByName } from './file-kinds.ts';
import { ignoredFile } from './file-problems.ts';
import { unreadableFile } from './source-errors.ts';

export interface InputFile {
  /** As the user named it, or as found below a folder that the user named. */
  readonly name: string;
  readonly path: string;
  readonly stats: Stats;
  /** Named itself: then it must be readable data, while a file found in a folder may be left out with a warning. */
  readonly named: boolean;
}

export interface Inputs {
  readonly files: readonly InputFile[];
  /** `-` stands among the inputs at this index of `files`. */
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
      found.push(...(await filesBelow(input, ignored, signal)));
      problems.push(...ignored);
      if (found.length === before) throw emptyFolder(input, ignored);
    } else if (stats.isFile() || stats.isFIFO() || stats.isCharacterDevice()) {
      found.push({ name: input, path: input, stats, named: true });
    } else {
      throw new AppError('source', `${input} is neither a file nor a folder.`);
    }
  }
  const once = new Map<string, InputFile>();
  for (const file of found) {
    const key = file.stats.isFile() ? `${file.stats.dev}:${file.stats.ino}` : file.path;
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
 * The data files of a folder. Folders in it are entered where they make up the export (there is no file beside them, or
 * they hold files of the same names: one folder per ticket); a single folder beside files is more likely a copy or
 * attachments, and reading it would double the tickets, so it is named in a warning.
 */
async function filesBelow(folder: string, problems: Problem[], signal: AbortSignal): Promise<InputFile[]> {
  signal.throwIfAborted();
  const files: InputFile[] = [];
  const folders: string[] = [];
  for (const entry of await namesIn(folder)) {
    const path = join(folder, entry);
    const stats = await lstat(path).catch((cause: unknown) => {
      throw unreadableFile(path, cause);
    });
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
  if (folders.length === 0) return files;
  if (files.length > 0 && !(await holdSameNames(folders))) {
    for (const path of folders) {
      problems.push(ignoredFile(path, 'folders beside files are not entered; name it to read it too'));
    }
    return files;
  }
  for (const path of folders) files.push(...(await filesBelow(path, problems, signal)));
  return files;
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    const byName = new Intl.Collator('en', { numeric: true });
    return (await readdir(folder)).sort((a, b) => byName.compare(a, b) || (a < b ? -1 : 1));
  } catch (cause) {
    throw unreadableFile(folder, cause);
  }
}

/** Looked at in the first few folders only. */
async function holdSameNames(folders: readonly string[]): Promise<boolean> {
  if (folders.length < 2) return false;
  const lists = await Promise.all(folders.slice(0, 3).map(namesIn));
  const [first = [], ...others] = lists;
  return first.some((name) => kindByName(name) === 'read' && others.every((names) => names.includes(name)));
}

function emptyFolder(folder: string, ignored: readonly Problem[]): AppError {
  const hint = 'Name a folder with .csv, .json or .jsonl files (.gz, .zst and .zip are unpacked).';
  return new AppError('source', `The folder ${folder} holds no data file.`, {
    hint,
    lines: ignored.slice(0, 20).map(({ message }) => message),
  });
}
