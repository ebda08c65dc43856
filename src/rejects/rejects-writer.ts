/** What a run hands over to the rejects, and how it ends. */
import type { RecordRef } from '../domain/source.ts';
import type { ExportFiles } from '../domain/source-file.ts';

export interface RejectRow {
  readonly table: string;
  readonly ref: RecordRef;
}

export interface RejectsResult {
  /** Absent when there was nothing to write; then the folder is gone. */
  readonly folder?: string;
  readonly rows: number;
}

/** Calls are carried out one after another, in the order in which they are made. Any may throw AppError `disk-write`. */
export interface RejectsWriter {
  /** A ticket with all its rows. */
  ticket(rows: readonly RejectRow[], reason: string): Promise<void>;
  /** One row that is no whole ticket: an orphan, a record without an id, a duplicate. */
  row(row: RejectRow, reason: string): Promise<void>;
  /** A record that could not be read, verbatim. */
  unreadable(ref: RecordRef, reason: string): Promise<void>;
  /** A ticket of earlier rejects that this run did not decide; `from`: the files of these rejects. */
  keep(from: ExportFiles, rows: readonly RejectRow[], reason: string): Promise<void>;
  /** Puts the new folder in the place of the old one, or removes the old one when there is nothing to write. */
  finish(): Promise<RejectsResult>;
  /** Writes nothing and leaves the old folder. */
  discard(): Promise<void>;
}
