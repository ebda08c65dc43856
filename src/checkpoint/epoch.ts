/**
 * Who opened the checkpoint last. Every opening for writing counts the epoch up, and every transaction that writes looks
 * whether it is still its own. Locks keep two writers apart; but a process that was stopped and wakes up days later, when somebody has
 * removed its lock and another process has gone on, finds out only so, and then it neither writes nor sends anything more.
 */
import type { Database } from 'better-sqlite3';
import { AppError } from '../domain/errors.ts';

export interface Epoch {
  /** Within a transaction that writes. Throws AppError `checkpoint` where another process has opened the checkpoint since. */
  require(): void;
}

/** Within a transaction that writes. */
export function nextEpoch(db: Database, path: string): Epoch {
  db.prepare(
    `INSERT INTO meta (key, value) VALUES ('epoch', '1')
     ON CONFLICT (key) DO UPDATE SET value = CAST(CAST(value AS INTEGER) + 1 AS TEXT)`,
  ).run();
  return currentEpoch(db, path);
}

/** Of a database that was opened by other means. */
export function currentEpoch(db: Database, path: string): Epoch {
  const read = db.prepare("SELECT value FROM meta WHERE key = 'epoch'").pluck();
  const own = read.get();
  return {
    require() {
      if (read.get() === own) return;
      throw new AppError('checkpoint', `Another process has taken over the checkpoint ${path}.`, {
        hint: 'This one sends and records nothing more. When the other has ended, run the same command again: it goes on where that one stopped.',
      });
    },
  };
}
