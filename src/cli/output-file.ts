/** A command never replaces a file that it did not write: the rule of every output. */
import { accessSync, closeSync, constants, openSync, readSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { isStreamName } from '../disk/whole-file.ts';
import { AppError } from '../domain/errors.ts';
import { isPlan } from '../plan/plan-file.ts';
import { rejectFoldersOf } from '../rejects/reject-folder.ts';
import type { Settings } from '../settings/settings.ts';

export interface Output {
  readonly path: string;
  /** Its name in sentences. Default: its path. */
  readonly name?: string | undefined;
  /** Whether a file that begins so is an earlier output. */
  readonly isOurs: (head: string) => boolean;
  /** A database: an earlier one is replaced. */
  readonly isDatabase?: boolean | undefined;
  /** `--force`: replace a file of another origin. */
  readonly force?: boolean | undefined;
  /** Allows paths below /dev, such as a pipe of the shell. */
  readonly mayBeStream?: boolean | undefined;
}

/** Bytes that recognise a file. */
const HEAD_BYTES = 512;
const SQLITE = 'SQLite format 3\0';

/** Throws AppError `usage` if the output must not, or cannot, be written. */
export function requireOutput({ path, name = path, isOurs, isDatabase, force, mayBeStream }: Output): void {
  if (path === '-')
    throw new AppError('usage', `${name} is a file, not standard output.`, { hint: 'Name a file.' });
  const isStream = isStreamName(path);
  if (mayBeStream === true && isStream) return;
  const folder = dirname(resolve(path));
  if (statOf(folder)?.isDirectory() !== true)
    throw new AppError('usage', `The folder of ${path} does not exist.`, {
      hint: 'Create it, or name another file.',
    });
  const there = statOf(path);
  // A redirection of the shell is a file; no draft may be written next to it.
  if (isStream || (there !== undefined && !there.isFile() && !there.isDirectory()))
    throw new AppError('usage', `${name} is a pipe or a device, so it cannot be written as a file.`, {
      hint: 'Name a file.',
    });
  if (there === undefined) return;
  if (there.isDirectory())
    throw new AppError('usage', `${name} is a folder, so it cannot be written as a file.`, {
      hint: 'Name a file in it.',
    });
  if (there.size === 0) return;
  const head = headOf(path);
  if (head?.startsWith(SQLITE) === true && !(isDatabase === true && isOurs(head)))
    throw new AppError('usage', `${name} is a database, perhaps a checkpoint. It is not replaced.`, {
      hint: 'Name another file.',
    });
  if (force === true || (head !== undefined && isOurs(head))) return;
  throw new AppError('usage', `${name} already exists and was not written by this command.`, {
    hint: 'Name another file, or replace this one with --force.',
  });
}

function statOf(path: string) {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    // Writing says why.
    return undefined;
  }
}

/** The first bytes of a regular file, if readable: opening a pipe would wait for its writer. */
function headOf(path: string): string | undefined {
  if (statOf(path)?.isFile() !== true) return undefined;
  let file: number | undefined;
  try {
    file = openSync(path, 'r');
    const bytes = Buffer.alloc(HEAD_BYTES);
    return bytes.toString('utf8', 0, readSync(file, bytes, 0, HEAD_BYTES, 0));
  } catch {
    return undefined;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** A dry run that keeps its plan (`--plan`). Throws AppError `usage` where there is no plan to keep, or it cannot be kept there. */
export function withKeptPlan(settings: Settings, path: string, force = false): Settings {
  const { mode, plan, source, output } = settings;
  const refuse = (message: string) => new AppError('usage', message);
  if (mode !== 'dry-run')
    throw refuse('--plan has an effect only with --dry-run: add --dry-run, or leave it out.');
  if (plan?.run !== undefined) throw refuse(`${plan.run} is a plan already: run it, or leave --plan out.`);
  if (path === '-') throw refuse('A plan is a file: name one with --plan.');
  if (rejectFoldersOf(source.files).length > 0)
    throw refuse('A plan is made of an export, not of a folder of rejects: import the rejects with run.');
  const others = [...source.files, output.checkpoint, output.report].flatMap((other) => other ?? []);
  if (others.some((other) => resolve(other) === resolve(path)))
    throw refuse(`--plan is ${path}, which is another file of this run: name another one.`);
  requireOutput({ path, name: `The plan ${path}`, isOurs: isPlan, isDatabase: true, force });
  requireWritable(dirname(resolve(path)), path);
  return { ...settings, plan: { keep: path } };
}

/** Before the export is read. */
function requireWritable(folder: string, path: string): void {
  try {
    accessSync(folder, constants.W_OK);
  } catch (cause) {
    throw new AppError('usage', `The folder of ${path} cannot be written.`, {
      hint: 'Name a file in another folder.',
      cause,
    });
  }
}
