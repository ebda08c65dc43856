/** What `doctor` finds, as data, and what it finds on the machine: room on its disks, and the checkpoint. Changes nothing. */
import { existsSync, statSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { isFileThere } from '../checkpoint/file-kind.ts';
import { readCheckpoint } from '../checkpoint/read-checkpoint.ts';
import { knownCounts } from '../checkpoint/status.ts';
import { AppError } from '../domain/errors.ts';
import { countOf, formatBytes } from '../view/format.ts';

export interface DoctorCheck {
  readonly name: string;
  /** `warning`: an import works. `failed`: an import would stop here. */
  readonly status: 'ok' | 'warning' | 'failed';
  /** One sentence. */
  readonly message: string;
  /** What to do. */
  readonly hint?: string | undefined;
  /** Further lines: complaints about the settings. */
  readonly lines?: readonly string[] | undefined;
  /** How an import would end for it: wrong configuration, permission refused, stopped early. */
  readonly exitCode?: FailureCode | undefined;
}

export type FailureCode = 2 | 5 | 6;

export function fine(name: string, message: string): DoctorCheck {
  return { name, status: 'ok', message };
}

export function warning(name: string, message: string, hint: string, lines?: readonly string[]): DoctorCheck {
  return { name, status: 'warning', message, hint, lines };
}

export function failed(
  name: string,
  exitCode: FailureCode,
  message: string,
  hint?: string,
  lines?: readonly string[],
): DoctorCheck {
  return { name, status: 'failed', message, hint, lines, exitCode };
}

/** 0, or of the failures the first of 2, 5, 6: without settings nothing else means much. */
export function exitCodeOf(checks: readonly DoctorCheck[]): 0 | FailureCode {
  const codes = new Set(checks.map(({ exitCode }) => exitCode));
  return ([2, 5, 6] as const).find((code) => codes.has(code)) ?? 0;
}

/** Below this a disk is as good as full. */
const LEAST_BYTES = 50_000_000;
/** What an import of ordinary size may take. */
const GOOD_BYTES = 1_000_000_000;

/** `needed`: what the plan of the export takes at most, where that is known. */
export async function checkDisk(what: string, folder: string, needed: number): Promise<DoctorCheck> {
  const found = await statfs(folder).catch((error: NodeJS.ErrnoException) => error);
  if (found instanceof Error) {
    const message = `The folder ${folder} for ${what} cannot be used (${found.code}).`;
    return failed('disk', 2, message, 'Create it, or name another.');
  }
  return judgeSpace(what, folder, found.bavail * found.bsize, needed);
}

/** Pure. */
export function judgeSpace(what: string, folder: string, free: number, needed: number): DoctorCheck {
  const message = `${formatBytes(free)} free for ${what}, in ${folder}.`;
  const use = needed > 0 ? ` This export may take ${formatBytes(needed)} there.` : '';
  if (free < LEAST_BYTES || free < needed)
    return failed('disk', 6, message, `Free up space on that disk.${use}`);
  return free < GOOD_BYTES
    ? warning('disk', message, 'A large export may not fit: free up space, or set TMPDIR to a larger disk.')
    : fine('disk', message);
}

/** File systems of the network, whose locks and order of writes are not those of a disk, by their `statfs` type. */
const SHARED_STORAGE: ReadonlyMap<number, string> = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xff534d42, 'CIFS (SMB)'],
  [0xfe534d42, 'SMB2'],
  [0x01021997, '9P'],
  [0x65735546, 'FUSE'],
  [0x00c36400, 'Ceph'],
  [0x0bd00bd0, 'Lustre'],
]);

export async function checkStorage(folder: string): Promise<DoctorCheck[]> {
  const type = await statfs(folder).then(
    (found) => found.type,
    () => 0,
  );
  return judgeStorage(folder, type);
}

/** @param type as `statfs` gives it: a signed number on some systems. Pure. */
export function judgeStorage(folder: string, type: number): DoctorCheck[] {
  const name = SHARED_STORAGE.get(type >>> 0);
  if (name === undefined) return [];
  return [
    warning(
      'disk',
      `The checkpoint would be on ${name} storage, in ${folder}: locks and the order of writes are not reliable there.`,
      'Two runs could write at once, and a crash could lose what was recorded. Name a file on a local disk with --checkpoint, and copy it with: helpdesk-import checkpoint backup',
    ),
  ];
}

/** @param target whose tickets it should list, where that is known */
export function checkCheckpoint(path: string, target: string | undefined): DoctorCheck {
  const name = 'checkpoint';
  if (!isFileThere(path))
    return fine(name, `There is no checkpoint at ${path} yet: the first run creates it.`);
  try {
    const { size, mode } = statSync(path);
    using reader = closing(readCheckpoint(path, target));
    const writer = reader.writer();
    const { known, inDoubt } = knownCounts(reader, writer !== undefined);
    const holds = `${path}: ${formatBytes(size)}, ${countOf(known, 'ticket')}`;
    if (writer !== undefined)
      return warning(
        name,
        `${holds}; ${writer.pid === undefined ? 'a process' : `process ${writer.pid}`} writes to it.`,
        'Wait until that run has ended: two runs never share a checkpoint.',
      );
    if (inDoubt > 0)
      return warning(name, `${holds}, ${inDoubt} of them in doubt.`, 'Settle them: helpdesk-import resolve');
    return (mode & 0o077) !== 0 && process.platform !== 'win32'
      ? warning(name, `${holds}; others on this machine can read it.`, `chmod 600 ${path}`)
      : fine(name, `${holds}.`);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return failed(name, 2, error.message, error.hint);
  }
}

function closing<T extends { close(): void }>(opened: T): T & Disposable {
  return Object.assign(opened, { [Symbol.dispose]: () => opened.close() });
}

/** The nearest folder that exists, on the same disk as the one that will be made for the checkpoint. */
export function nearestFolder(path: string): string {
  let folder = dirname(resolve(path));
  while (!existsSync(folder) && dirname(folder) !== folder) folder = dirname(folder);
  return folder;
}
