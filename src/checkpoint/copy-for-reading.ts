/**
 * A copy of a checkpoint that nobody has open, to read from. SQLite cannot read a file in write-ahead mode without making a log
 * and its index beside it, which a connection that only reads never takes away again. The header of a copy can say that
 * there is none.
 */
import {
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  mkdtempSync,
  openSync,
  readSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface ReadingCopy {
  readonly path: string;
  /** Once it is open; what is open stays readable. */
  remove(): void;
}

/** Bytes 18 and 19 of the header: how the file is written and read. */
const MODE_AT = 18;
const WITH_LOG = 2;
const WITHOUT_LOG = 1;

/** Undefined where none can be made, or where an open file cannot be deleted: then the file itself has to be read. */
export function copyForReading(path: string): ReadingCopy | undefined {
  if (process.platform === 'win32') return undefined;
  let folder: string | undefined;
  const remove = () => {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  };
  try {
    // What has no log, or is no database at all, is read where it is.
    if (!inFile(path, 'r', (file) => modeOf(file).every((byte) => byte === WITH_LOG))) return undefined;
    folder = mkdtempSync(join(tmpdir(), 'helpdesk-import-'));
    const copy = join(folder, 'checkpoint.sqlite');
    copyFileSync(path, copy, constants.COPYFILE_FICLONE);
    inFile(copy, 'r+', (file) => writeSync(file, Buffer.alloc(2, WITHOUT_LOG), 0, 2, MODE_AT));
    // Somebody has begun to write meanwhile.
    if (!existsSync(`${path}-wal`)) return { path: copy, remove };
  } catch {
    // No room for a copy.
  }
  remove();
  return undefined;
}

function modeOf(file: number): Buffer {
  const mode = Buffer.alloc(2);
  readSync(file, mode, 0, 2, MODE_AT);
  return mode;
}

function inFile<T>(path: string, flags: 'r' | 'r+', use: (file: number) => T): T {
  const file = openSync(path, flags);
  try {
    return use(file);
  } finally {
    closeSync(file);
  }
}
