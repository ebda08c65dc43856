/** A whole copy of a checkpoint, also while a run writes to it: what was recorded up to one moment, in one file without a log. */
import { chmodSync, existsSync, renameSync, rmSync } from 'node:fs';
import Database from 'better-sqlite3';
import { AppError } from '../domain/errors.ts';
import { removeHolder } from './meta.ts';
import { createPrivately, openForReading, resolveCheckpointPath } from './open-database.ts';
import { isSqliteError, writeFailure } from './sqlite-failure.ts';

/** Throws AppError `checkpoint` as reading does, `usage` where the copy would replace a file, `disk-write` where it cannot be written. */
export async function backUpCheckpoint(path: string, to: string, now: number): Promise<void> {
  const copy = resolveCheckpointPath(to);
  if (existsSync(copy))
    throw new AppError('usage', `The file ${to} already exists.`, {
      hint: 'Name another file for the copy.',
    });
  const db = openForReading(resolveCheckpointPath(path));
  const begun = `${copy}.part`;
  try {
    rmSync(begun, { force: true });
    createPrivately(begun);
    await db.backup(begun);
    // The copy is nobody's: it lacks no log.
    const made = new Database(begun);
    try {
      made.pragma('journal_mode = DELETE');
      made.transaction(() => removeHolder(made, now)).immediate();
    } finally {
      made.close();
    }
    chmodSync(begun, 0o600);
    renameSync(begun, copy);
  } catch (error) {
    rmSync(begun, { force: true });
    throw isSqliteError(error) || (error as NodeJS.ErrnoException).code !== undefined
      ? writeFailure(to, error)
      : error;
  } finally {
    db.close();
  }
}
