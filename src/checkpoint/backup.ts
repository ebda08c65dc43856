/** A whole copy of a checkpoint, also while a run writes to it: what was recorded up to one moment, in one file without a log. */
import { existsSync, renameSync, rmSync } from 'node:fs';
import Database from 'better-sqlite3';
import { AppError } from '../domain/errors.ts';
import { resolveCheckpointPath } from './file-kind.ts';
import { createPrivately, openForReading } from './open-database.ts';
import { CLOSED_ID } from './schema.ts';
import { writeFailure } from './sqlite-failure.ts';

/** Throws AppError `checkpoint` as reading does, `usage` where the copy would replace a file, `disk-write` where it cannot be written. */
export function backUpCheckpoint(path: string, to: string): void {
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
    db.prepare('VACUUM INTO ?').run(begun);
    const made = new Database(begun);
    try {
      // The copy lacks no log.
      made.pragma(`application_id = ${CLOSED_ID}`);
    } finally {
      made.close();
    }
    renameSync(begun, copy);
  } catch (error) {
    rmSync(begun, { force: true });
    throw writeFailure(to, error);
  } finally {
    db.close();
  }
}
