/** What the user named, as a list of files: folders are looked into. */
import { lstatSync, type Stats } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../domain/errors.ts';
import type { Problem } from '../domain/problem.ts';
import { kindByName } from './kinds.ts';
import { ignoredFile, ignoredFolder, unreadableFile } from './problems.ts';

export interface Input {
  /** As the user named it, or as found below a folder that the user named; `-` is standard input. */
  readonly name: string;
  /** Absent for standard input. */
  readonly stats?: Stats;
  /** Named itself: then it must be readable data, while a file found in a folder may be left out with a warning. */
  readonly named: boolean;
}

/** Each file once, however often it is named; in the order of the inputs, those of a folder by name. */
export async function listInputs(
  inputs: readonly string[],
  problems: Problem[],
  signal: AbortSignal,
): Promise<Input[]> {
  if (inputs.length === 0)
    throw new AppError('source', 'No file of an export is named.', {
      hint: 'Name its files or the folder that holds them, or - for standard input.',
    });
  const found = new Map<string, Input>();
  const add = (input: Input) => {
    const { dev = 0, ino = 0 } = input.stats ?? {};
    const key = `${dev}:${ino}`;
    if (!found.has(key)) found.set(key, input);
  };
  for (const name of inputs) {
    signal.throwIfAborted();
    const stats = name === '-' ? undefined : await statOf(name);
    if (stats === undefined) add({ name, named: true });
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
    else
      throw new AppError('source', `${name} is neither a file nor a folder.`, {
        hint: 'Name the files of the export or their folder, or - for standard input.',
      });
  }
  return [...found.values()];
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
async function* filesBelow(folder: string, problems: Problem[], signal: AbortSignal): AsyncGenerator<Input> {
  signal.throwIfAborted();
  const files: Input[] = [];
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
      if (kind === 'read') files.push({ name: path, stats, named: false });
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
