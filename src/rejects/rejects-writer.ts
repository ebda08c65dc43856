/**
 * The rejects: what could not be imported, in the files, columns and bytes of the source, so that a person corrects it
 * there and the same command reads it again (contract, "Changed exports, rejects, delta").
 */
import type { RecordRef } from '../domain/source.ts';
import type { ExportFiles } from '../domain/source-file.ts';
import type { StagePlan } from '../domain/stage-plan.ts';
import { RejectFiles } from './reject-files.ts';
import { RejectFolder } from './reject-folder.ts';
import type { RejectRow } from './reject-row.ts';

/** Calls are carried out one after another, in the order in which they are made. Any may throw AppError `disk-write`. */
export interface RejectsWriter {
  /** A ticket with all its rows. */
  ticket(rows: readonly RejectRow[], reason: string): Promise<void>;
  /** One row that is no whole ticket: an orphan. Its table matters where a JSON file has arrays of several. */
  row(ref: RecordRef, reason: string, table?: string): Promise<void>;
  /** A record that could not be read, verbatim; the reason stands in the report, not beside it. */
  unreadable(ref: RecordRef, reason: string): Promise<void>;
  /** A ticket of earlier rejects that this run did not decide; `from`: these rejects, opened as an export. */
  keep(from: ExportFiles, rows: readonly RejectRow[], reason: string): Promise<void>;
  /**
   * Puts the new folder in the place of the old one, or removes the old one when there is nothing to write. Resolves with
   * whether there is a folder now. The export must still be open.
   */
  finish(): Promise<boolean>;
  /** Writes nothing and leaves the old folder. */
  discard(): Promise<void>;
}

/** Writes nothing before the first row. Throws AppError `usage` when `folder` exists and is no folder of rejects. */
export function openRejects(folder: string, files: ExportFiles, plan: StagePlan): RejectsWriter {
  const writer = new RejectFiles(RejectFolder.open(folder), files, plan);
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const done = last.then(work);
    last = done.catch(() => undefined);
    return done;
  };
  return {
    ticket: (rows, reason) => inTurn(() => writer.rows(files, rows, reason)),
    row: (ref, reason, table) => inTurn(() => writer.rows(files, [{ table, ref }], reason)),
    unreadable: (ref) => inTurn(() => writer.unreadable(ref)),
    keep: (from, rows, reason) => inTurn(() => writer.rows(from, rows, reason)),
    finish: () => inTurn(() => writer.finish()),
    discard: () => inTurn(() => writer.discard()),
  };
}
