/**
 * What a checkpoint says, and the checkpoint open for reading: for `status`, `report` and dry runs. Reading works while another
 * process writes, every call sees what is on the disk at that moment, and nothing is changed.
 */

import { existsSync } from 'node:fs';
import { AppError } from '../domain/errors.ts';
import type { LinkRecord } from '../domain/ledger.ts';
import { OUTCOMES, type Outcome, TICKET_STATES, type TicketState } from '../domain/ticket-state.ts';
import type { Database } from '../sqlite/database.ts';
import { resolveCheckpointPath } from './file-kind.ts';
import { type CheckpointMeta, type Holder, readEntry, readMeta, requireTarget } from './meta.ts';
import { FileTable, Notes, UndoTable } from './notes.ts';
import { openForReading } from './open-database.ts';
import { type BatchInfo, batchesOf, latestRuns, type RunInfo } from './runs.ts';
import { TicketTable } from './tickets.ts';
import { rejected, type Write } from './turn-commit.ts';
import { acquireWriterLock, lockPathOf, type WriterLock } from './writer-lock.ts';

/** What reading and writing share. */
export class StoredCheckpoint extends TicketTable {
  /** As the user named it. */
  readonly path: string;
  /** As it was when the checkpoint was opened, until this process changes it. */
  meta: CheckpointMeta;
  /** Files of the export that are kept. */
  readonly files: FileTable;
  /** Tickets in which links were rewritten. */
  readonly links: Notes<LinkRecord>;
  readonly exportTimes: Notes<number>;
  /** Tickets that an undo emptied. */
  readonly undos: UndoTable;

  constructor(db: Database, path: string, write: Write) {
    super(db);
    this.path = path;
    this.meta = readMeta(db);
    this.files = new FileTable(db, write);
    this.links = new Notes(db, 'link', write);
    this.exportTimes = new Notes(db, 'exported', write);
    this.undos = new UndoTable(db, write);
  }

  /** The latest runs, newest first. */
  runs(limit: number): RunInfo[] {
    return latestRuns(this.db, limit);
  }

  batches(run: number): BatchInfo[] {
    return batchesOf(this.db, run);
  }
}

export class CheckpointReader extends StoredCheckpoint {
  constructor(db: Database, path: string) {
    super(db, path, () => rejected(new AppError('internal', 'A checkpoint is read only.')));
  }

  /**
   * What is known of the process that writes to it at this moment, if one does. Asks the lock, not the note: a note may be of
   * a process that died. Where the lock can't be asked, the note has to do.
   */
  writer(): Partial<Holder> | undefined {
    if (!existsSync(lockPathOf(this.db.name))) return undefined;
    let lock: WriterLock | undefined;
    try {
      lock = acquireWriterLock(this.db.name);
    } catch (error) {
      if (error instanceof AppError) return readEntry(this.db, 'holder');
      throw error;
    }
    if (lock === undefined) return readEntry(this.db, 'holder') ?? {};
    lock.release();
    return undefined;
  }

  close(): void {
    this.db.close();
  }
}

/** Throws AppError `checkpoint` when there is none, it is not sound, or, with `target`, belongs to another one. */
export function readCheckpoint(path: string, target?: string): CheckpointReader {
  const db = openForReading(resolveCheckpointPath(path));
  try {
    if (target !== undefined) requireTarget(readMeta(db), target, path);
    return new CheckpointReader(db, path);
  } catch (error) {
    db.close();
    throw error;
  }
}

/** The outcome of a ticket whose create, if one is under way, no process carries out any more. */
const OUTCOME_OF: Record<TicketState, Outcome> = {
  pending: 'pending',
  creating: 'inDoubt',
  created: 'pending',
  messaged: 'pending',
  done: 'done',
  rejected: 'rejected',
  failed: 'failed',
  inDoubt: 'inDoubt',
  skipped: 'skipped',
};

/**
 * The outcome of a ticket (contract, "Words"). A create that no process is carrying out has an unknown outcome; with a writer
 * at work it is still pending.
 */
export function outcomeOf(state: TicketState, isBeingWritten: boolean): Outcome {
  return state === 'creating' && isBeingWritten ? 'pending' : OUTCOME_OF[state];
}

/** Tickets of the checkpoint by outcome. */
export function outcomesOf(
  counts: Readonly<Record<TicketState, number>>,
  isBeingWritten: boolean,
): Record<Outcome, number> {
  const outcomes = Object.fromEntries(OUTCOMES.map((outcome) => [outcome, 0])) as Record<Outcome, number>;
  for (const state of TICKET_STATES) outcomes[outcomeOf(state, isBeingWritten)] += counts[state];
  return outcomes;
}
