/** The power of the machine: for certain is on the disk what a returned `fdatasync` was called for. */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

export interface Power {
  /** Files that `fdatasync` was called for, first to last. */
  readonly synced: readonly string[];
  /** What a loss of power would leave at this moment of the checkpoint: the path of a copy. */
  lost(): string;
  /** From now on every flush fails. */
  fail(): void;
  /** From now on a flush takes so many turns of the event loop. */
  slow(turns: number): void;
  /** It is back: flushing is as ever. At the end of the test at the latest. */
  back(): void;
}

/** Watches over the open checkpoint at `path`, whose file grows into the log alone until the log is full. */
export function powerOver(path: string, folder: string): Power {
  const log = `${path}-wal`;
  const real = fs.fdatasync;
  const synced: string[] = [];
  // Of the commits before it was watched over: SQLite flushed them itself while it opened the file.
  let safe: Buffer = fs.readFileSync(log);
  const main = fs.readFileSync(path);
  let copies = 0;
  let isBroken = false;
  let turns = 1;
  const later = (left: number, end: () => void): void =>
    void setImmediate(() => (left > 1 ? later(left - 1, end) : end()));
  fs.fdatasync = ((descriptor: number, done: (error: Error | null) => void) => {
    const isLog = fs.fstatSync(descriptor).ino === fs.statSync(log).ino;
    synced.push(isLog ? log : `descriptor ${descriptor}`);
    // What is written while it goes on may have reached the disk or not: it has not.
    const now = isLog ? fs.readFileSync(log) : undefined;
    later(turns, () => {
      if (isBroken) return done(Object.assign(new Error('input/output error'), { code: 'EIO' }));
      if (now !== undefined) safe = now;
      done(null);
    });
  }) as typeof fs.fdatasync;
  syncBuiltinESMExports();
  const back = () => {
    fs.fdatasync = real;
    syncBuiltinESMExports();
  };
  onTestFinished(back);
  return {
    synced,
    back,
    fail() {
      isBroken = true;
    },
    slow(most) {
      turns = most;
    },
    lost() {
      copies += 1;
      const copy = join(folder, `lost-${copies}.sqlite`);
      fs.writeFileSync(copy, main);
      fs.writeFileSync(`${copy}-wal`, safe);
      return copy;
    },
  };
}
