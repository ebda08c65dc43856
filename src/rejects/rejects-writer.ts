/**
 * The rejects: what could not be imported, in the files, columns and bytes of the source, so that a person corrects it
 * there and the same command reads it again (contract, "Changed exports, rejects, delta").
 */

import type { JoinPlan } from '../domain/join-plan.ts';
import type { RecordRef } from '../domain/source.ts';
import type { ExportFiles } from '../domain/source-file.ts';
import { RejectFiles, type RejectRow } from './reject-files.ts';
import { RejectFolder } from './reject-folder.ts';

/** Calls are carried out one after another, in the order in which they are made. Any may throw AppError `disk-write`. */
export interface RejectsWriter {
  /** Other files that rows are written from: those of the old folder, which keep their names. */
  from(files: ExportFiles, plan: JoinPlan, names: ReadonlyMap<number, string>): void;
  /** A ticket with all its rows. */
  ticket(rows: readonly RejectRow[], reason: string, from?: ExportFiles): Promise<void>;
  /** One row that is no whole ticket: an orphan. Its table matters where a JSON file has arrays of several. */
  row(ref: RecordRef, reason: string, table?: string): Promise<void>;
  /** A record that could not be read, verbatim; the reason stands in the report, not beside it. */
  unreadable(ref: RecordRef, reason: string, from?: ExportFiles): Promise<void>;
  /** Lines for whoever writes the folder next; a folder without rows keeps none. */
  note(lines: readonly string[]): Promise<void>;
  /** A file of the old folder that holds no rows. */
  keepFile(name: string, bytes: Buffer): Promise<void>;
  /** Whether another process has replaced the folder since this writer was opened. */
  isOvertaken(): boolean;
  /**
   * Puts the new folder in the place of the old one, or removes the old one when there is nothing to write. Resolves with
   * whether there is a folder now. The files must still be open.
   */
  finish(): Promise<boolean>;
  /** Writes nothing and leaves the old folder. */
  discard(): Promise<void>;
}

/** Writes nothing before the first row. Throws AppError `usage` when `folder` exists and is no folder of rejects. */
export function openRejects(folder: string, files: ExportFiles, plan: JoinPlan): RejectsWriter {
  const writer = new RejectFiles(RejectFolder.open(folder));
  writer.from(files, plan);
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const done = last.then(work);
    last = done.catch(() => undefined);
    return done;
  };
  return {
    from: (others, theirs, names) => writer.from(others, theirs, names),
    ticket: (rows, reason, from = files) => inTurn(() => writer.rows(from, rows, reason)),
    row: (ref, reason, table) => inTurn(() => writer.rows(files, [{ table, ref }], reason)),
    unreadable: (ref, _reason, from = files) => inTurn(() => writer.unreadable(from, ref)),
    note: (lines) => inTurn(() => writer.note(lines)),
    keepFile: (name, bytes) => inTurn(() => writer.keepFile(name, bytes)),
    isOvertaken: () => writer.isOvertaken,
    finish: () => inTurn(() => writer.finish()),
    discard: () => inTurn(() => writer.discard()),
  };
}
