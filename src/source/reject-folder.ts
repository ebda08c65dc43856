/**
 * A new folder replaces the old one at the end, so the old one stays complete and can be the input. A marker lists what was
 * written: a folder without it, or one that people changed, is never replaced.
 */
import { createHash } from 'node:crypto';
import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { AppError, diskCode } from '../domain/errors.ts';
import { isRunning } from '../domain/files.ts';
import { stop } from '../domain/text/stops.ts';

const MARKER = '.helpdesk-import-rejects';

const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;

interface Marker {
  readonly of: string;
  readonly digest: string;
}

function readMarker(folder: string): Partial<Marker> | undefined {
  const path = join(folder, MARKER);
  if (!existsSync(path)) return undefined;
  try {
    return JSON.parse(readFileSync(path, 'utf8').split('\n').at(1) ?? '{}') as Partial<Marker>;
  } catch {
    return {};
  }
}

/**
 * The requested folder if it is new, empty, or unchanged since the same import wrote it; else one with a number. Throws
 * AppError `usage`.
 */
export function folderFor(asked: string, of: string, isRead: (folder: string) => boolean): string {
  return onDisk(asked, () => freeFolder(asked, of, isRead));
}

function freeFolder(asked: string, of: string, isRead: (folder: string) => boolean): string {
  clearLeftovers(asked);
  for (let number = 1; ; number++) {
    const path = number === 1 ? asked : `${resolve(asked)}-${number}`;
    if (!existsSync(path)) return resolve(path);
    // So that a link stays a link.
    const folder = realpathSync(path);
    if (isRead(folder)) continue;
    if (isUntouched(folder, of)) return folder;
    if (
      !statSync(folder).isDirectory() ||
      (number === 1 && readMarker(folder) === undefined && !isEmpty(folder))
    )
      throw stop('no-rejects-folder', { path });
    if (isEmpty(folder)) return folder;
  }
}

function isEmpty(folder: string): boolean {
  return statSync(folder).isDirectory() && readdirSync(folder).length === 0;
}

export function isUntouched(folder: string, of: string): boolean {
  const marker = existsSync(folder) && statSync(folder).isDirectory() ? readMarker(folder) : undefined;
  return marker !== undefined && marker.of === of && marker.digest === digestOf(folder);
}

/** People changed what a run wrote, and no run has read it since. */
export function isCorrected(folder: string): boolean {
  const marker = readMarker(folder);
  return marker !== undefined && marker.digest !== digestOf(folder);
}

function digestOf(folder: string): string {
  const hash = createHash('sha256');
  for (const name of filesIn(folder).toSorted())
    hash.update(`${name}\n`).update(readFileSync(join(folder, name)));
  return hash.digest('hex');
}

export function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== MARKER)
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
}

/** Nothing written by `fill`: the folder goes. Throws AppError `disk-write`. */
export function replaceFolder(path: string, of: string, fill: (fresh: string) => void): void {
  const [fresh, old] = [`${path}.new-${process.pid}`, `${path}.old-${process.pid}`];
  onDisk(path, () => {
    clearLeftovers(path);
    rmSync(fresh, { recursive: true, force: true });
    try {
      fill(fresh);
      if (existsSync(fresh)) {
        const marker: Marker = { of, digest: digestOf(fresh) };
        const text = `Written by helpdesk-import: rows that are imported from here leave this folder.\n${JSON.stringify(marker)}\n`;
        writeFileSync(join(fresh, MARKER), text, { mode: FILE_MODE });
      }
      if (existsSync(path)) renameSync(path, old);
      if (existsSync(fresh)) renameSync(fresh, path);
      rmSync(old, { recursive: true, force: true });
    } catch (error) {
      rmSync(fresh, { recursive: true, force: true });
      throw error;
    }
  });
}

/** `name` may have folders in it. */
export function writeLines(folder: string, name: string, lines: Iterable<string>): void {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true, mode: FOLDER_MODE });
  const file = openSync(path, 'a', FILE_MODE);
  try {
    for (const line of lines) writeSync(file, `${line}\n`);
  } finally {
    closeSync(file);
  }
}

export function copyInto(folder: string, name: string, from: string): void {
  mkdirSync(dirname(join(folder, name)), { recursive: true, mode: FOLDER_MODE });
  copyFileSync(from, join(folder, name));
}

export function restoreRejects(inputs: readonly string[]): void {
  for (const input of inputs)
    for (let [folder, depth] = [input, 0]; depth < DEEPEST && !existsSync(input); depth++) {
      try {
        clearLeftovers(folder);
      } catch {}
      folder = dirname(folder);
    }
}

/** Restores an old folder that was not replaced. */
function clearLeftovers(asked: string): void {
  const path = resolve(asked);
  const parent = dirname(path);
  if (!existsSync(parent)) return;
  for (const name of readdirSync(parent)) {
    const [, stem, kind, pid] = /^(.*)\.(new|old)-(\d+)$/.exec(name) ?? [];
    if (stem !== basename(path)) continue;
    const left = join(parent, name);
    if (kind === 'old' && !existsSync(path)) renameSync(left, path);
    else if (Number(pid) === process.pid || !isRunning(Number(pid)))
      rmSync(left, { recursive: true, force: true });
  }
}

function onDisk<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    const code = diskCode(cause);
    if (code === undefined) throw cause;
    const why = code === 'ENOSPC' ? 'the disk is full' : code === 'EACCES' ? 'it is not permitted' : code;
    throw stop('rejects-unwritable', { path, why }, { cause });
  }
}

const DEEPEST = 4;

export function rejectFoldersOf(inputs: readonly string[]): string[] {
  const found = new Set<string>();
  for (const input of inputs) {
    if (input === '-' || !existsSync(input)) continue;
    let folder = realpathSync(input);
    if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) folder = dirname(folder);
    for (let depth = 0; depth < DEEPEST; depth++, folder = dirname(folder)) {
      if (!existsSync(join(folder, MARKER))) continue;
      found.add(folder);
      break;
    }
  }
  return [...found];
}

export function isReadFrom(rejects: string, inputs: readonly string[]): boolean {
  return existsSync(rejects) && rejectFoldersOf(inputs).includes(realpathSync(resolve(rejects)));
}
