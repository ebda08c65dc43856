/**
 * Brings the write-ahead log to the disk without stopping the program meanwhile.
 *
 * `synchronous=FULL` is `synchronous=NORMAL` and one thing more: after every commit SQLite flushes the log, and waits. That wait,
 * half a millisecond and more, would stop everything else, since SQLite works in the thread of its caller. So the ledger commits
 * under NORMAL and then has the log flushed by a thread of the pool (`fdatasync`, which SQLite calls itself); a change counts as
 * durable only when that has returned. Nothing else differs: before a checkpoint and when the log starts anew SQLite flushes
 * as ever, and after a loss of power the log is read up to the last commit that is whole, by its checksums.
 *
 * The log keeps its file for as long as the database is open (checkpoints overwrite it, only the last close deletes it), so its
 * descriptors serve until then. Closing them gives no lock away: SQLite holds none on this file. Flushes that go on at the same
 * time have one each: the system tells of a page that could not be written once for each open file, so that one flush would
 * swallow the error of the other.
 */
import { closeSync, fdatasync, openSync } from 'node:fs';
import type { Database } from '../sqlite/database.ts';

/**
 * What a durable change survives. `machine`: also a loss of power. `process`: the end of the process however it comes, since
 * the operating system has the change by then; enough where the target is no more durable itself, and in tests.
 */
export type Survives = 'machine' | 'process';

export interface WalFlush {
  /** Resolves when every commit made before this call is on the disk. May be called again meanwhile. */
  flush(): Promise<void>;
  /** Before the database is closed. A flush that is under way ends first. */
  close(): void;
}

/** The database is in WAL mode and has been written to, so its log is there. */
export function openWalFlush(db: Database, survives: Survives): WalFlush {
  if (survives === 'process') return { flush: () => Promise.resolve(), close: () => undefined };
  const log = `${db.name}-wal`;
  const free = [openSync(log, 'r+')];
  db.pragma('synchronous = NORMAL');
  let isOpen = true;
  const giveBack = (descriptor: number) => {
    if (isOpen) free.push(descriptor);
    else closeSync(descriptor);
  };
  return {
    flush: () =>
      new Promise((resolve, reject) => {
        const descriptor = free.pop() ?? openSync(log, 'r+');
        fdatasync(descriptor, (error) => {
          giveBack(descriptor);
          if (error === null) resolve();
          else reject(error);
        });
      }),
    close: () => {
      isOpen = false;
      for (const descriptor of free.splice(0)) closeSync(descriptor);
    },
  };
}
