/** What the machine has to offer: room on its disks, and the checkpoint. Changes nothing. */
import { existsSync, statSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { isFileThere } from '../../checkpoint/file-kind.ts';
import { readCheckpoint } from '../../checkpoint/read-checkpoint.ts';
import { AppError } from '../../domain/errors.ts';
import { knownCounts } from '../../import/checkpoint-status.ts';
import { countOf, formatBytes } from '../../view/format.ts';
import { type DoctorCheck, failed, fine, warning } from './doctor-view.ts';

/** Below this a disk is as good as full. */
const LEAST_BYTES = 50_000_000;
/** Room that an import of ordinary size may take: its checkpoint, the join of its tables, its rejects. */
const GOOD_BYTES = 1_000_000_000;

/**
 * @param needed what an export takes at most while it is read, where it is known: compressed files are unpacked, and rows
 *   are joined on disk
 */
export function judgeSpace(what: string, folder: string, free: number, needed: number): DoctorCheck {
  const name = 'disk';
  const message = `${formatBytes(free)} free for ${what}, in ${folder}.`;
  if (free < LEAST_BYTES || free < needed)
    return failed(
      name,
      6,
      message,
      needed > 0
        ? `This export may take ${formatBytes(needed)} there: free up space.`
        : 'Free up space on that disk.',
    );
  return free < GOOD_BYTES
    ? warning(name, message, 'A large export may not fit: free up space, or set TMPDIR to a larger disk.')
    : fine(name, message);
}

/** What `statfs` calls file systems whose locks or order of writes are not those of a disk. */
const SHARED_STORAGE: Readonly<Record<number, string>> = {
  26985: 'NFS',
  20859: 'SMB',
  4283649346: 'CIFS (SMB)',
  4266872130: 'SMB2',
  16914839: '9P',
  1702057286: 'FUSE',
  12805120: 'Ceph',
  198183888: 'Lustre',
  1196443219: 'GPFS',
  1952539503: 'OCFS2',
  18225520: 'GFS2',
  428016422: 'BeeGFS',
  1397113167: 'AFS',
};

/** @param type as `statfs` tells it. Pure. */
export function judgeStorage(folder: string, type: number): DoctorCheck | undefined {
  // Told as a signed number on some systems.
  const name = SHARED_STORAGE[type >>> 0];
  if (name === undefined) return undefined;
  return warning(
    'disk',
    `The checkpoint would be on ${name} storage, in ${folder}: locks and the order of writes are not reliable there.`,
    'Two runs could write at once, and a crash could lose what was recorded. Name a file on a disk of this machine with --checkpoint, and copy it with: helpdesk-import checkpoint backup',
  );
}

export async function checkStorage(folder: string): Promise<DoctorCheck | undefined> {
  try {
    return judgeStorage(folder, (await statfs(folder)).type);
  } catch {
    // The check of its room says so.
    return undefined;
  }
}

export async function checkSpace(what: string, folder: string, needed: number): Promise<DoctorCheck> {
  try {
    const { bavail, bsize } = await statfs(folder);
    return judgeSpace(what, folder, bavail * bsize, needed);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'error';
    return failed(
      'disk',
      2,
      `The folder ${folder} for ${what} cannot be used (${code}).`,
      'Create it, or name another.',
    );
  }
}

/** @param target whose tickets it should list, where that is known */
export function checkCheckpoint(path: string, target: string | undefined): DoctorCheck {
  const name = 'checkpoint';
  try {
    if (!isFileThere(path))
      return fine(name, `There is no checkpoint at ${path} yet: the first run creates it.`);
    const stats = statSync(path);
    const reader = readCheckpoint(path, target);
    try {
      const writer = reader.writer();
      const { known, inDoubt } = knownCounts(reader, writer !== undefined);
      const holds = `${path} is sound: ${formatBytes(stats.size)}, ${countOf(known, 'ticket')}`;
      if (writer !== undefined)
        return warning(
          name,
          `${holds}; ${writer.pid === undefined ? 'a process' : `process ${writer.pid}`} writes to it.`,
          'Wait until that run has ended: two runs never share a checkpoint.',
        );
      if (inDoubt > 0)
        return warning(
          name,
          `${holds}, ${inDoubt} of them in doubt.`,
          'Settle them: helpdesk-import resolve',
        );
      if ((stats.mode & 0o077) !== 0 && process.platform !== 'win32')
        return warning(name, `${holds}; others on this machine can read it.`, `chmod 600 ${path}`);
      return fine(name, `${holds}.`);
    } finally {
      reader.close();
    }
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return failed(name, 2, error.message, error.hint);
  }
}

/** Where the checkpoint stands. */
export function folderOf(path: string): string {
  return dirname(resolve(path));
}

/** The folder that is there already, on the same disk as the one that will be made for the checkpoint. */
export function nearestFolder(path: string): string {
  let folder = folderOf(path);
  while (!existsSync(folder) && dirname(folder) !== folder) folder = dirname(folder);
  return folder;
}
