/**
 * What a checkpoint says, and the checkpoint open for reading: for `status`, `report` and dry runs. Reading works while another
 * process writes, every call sees what is on the disk at that moment, and nothing is changed.
 */

import { existsSync } from 'node:fs';
import { AppError } from '../domain/errors.ts';
import type { TicketRecord } from '../domain/ledger.ts';
import { OUTCOMES, type Outcome, TICKET_STATES, type TicketState } from '../domain/ticket-state.ts';
import type { Database } from '../sqlite/database.ts';
import { ExportTimeTable } from './export-times.ts';
import { resolveCheckpointPath } from './file-kind.ts';
import { FileTable } from './file-ledger.ts';
import { LinkTable } from './link-ledger.ts';
import { type CheckpointMeta, type Holder, readHolder, requiredMeta, requireTarget } from './meta.ts';
import { openForReading } from './open-database.ts';
import { type BatchInfo, batchesOf, latestRuns, type RunInfo } from './runs.ts';
import { TicketTable } from './tickets.ts';
import { rejected, type Write } from './turn-commit.ts';
import { UndoTable } from './undo-ledger.ts';
import { acquireWriterLock, lockPathOf, type WriterLock } from './writer-lock.ts';

/** What reading and writing share. */
export class StoredCheckpoint {
  /** As the user named it. */
  readonly path: string;
  /** Files of the export that are kept. */
  readonly files: FileTable;
  /** Tickets in which links were rewritten. */
  readonly links: LinkTable;
  readonly exportTimes: ExportTimeTable;
  /** Tickets that an undo emptied. */
  readonly undos: UndoTable;
  /** As it was when the checkpoint was opened, until this process changes it. */
  meta: CheckpointMeta;
  protected readonly db: Database;
  protected readonly tickets: TicketTable;

  constructor(db: Database, path: string, write: Write) {
    this.path = path;
    this.db = db;
    this.meta = requiredMeta(db);
    this.tickets = new TicketTable(db);
    this.files = new FileTable(db, write);
    this.links = new LinkTable(db, write);
    this.exportTimes = new ExportTimeTable(db, write);
    this.undos = new UndoTable(db, write);
  }

  get(externalId: string): TicketRecord | undefined {
    return this.tickets.get(externalId);
  }

  has(externalId: string): boolean {
    return this.tickets.has(externalId);
  }

  /** How many tickets it knows. */
  size(): number {
    return Object.values(this.counts()).reduce((sum, count) => sum + count, 0);
  }

  counts(): Record<TicketState, number> {
    return this.tickets.counts();
  }

  inStates(states: readonly TicketState[]): IterableIterator<TicketRecord> {
    return this.tickets.inStates(states);
  }

  /** At most `limit` records in these states, by external id, behind `after`. */
  page(states: readonly TicketState[], limit: number, after?: string): TicketRecord[] {
    return this.tickets.page(states, limit, after);
  }

  /** The latest runs, newest first. */
  runs(limit: number): RunInfo[] {
    return latestRuns(this.db, limit);
  }

  batches(run: number): BatchInfo[] {
    return batchesOf(this.db, run);
  }

  /** How many tickets were last changed in each second, for tickets in these states: the rate over time. */
  changesBySecond(states: readonly TicketState[]): { second: number; tickets: number }[] {
    return this.tickets.changesBySecond(states);
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
      if (error instanceof AppError) return readHolder(this.db);
      throw error;
    }
    if (lock === undefined) return readHolder(this.db) ?? {};
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
    if (target !== undefined) requireTarget(requiredMeta(db), target, path);
    return new CheckpointReader(db, path);
  } catch (error) {
    db.close();
    throw error;
  }
}

/**
 * Tickets of the checkpoint by outcome (contract, "Words"). A create that no process is carrying out has an unknown
 * outcome; with a writer at work it is still pending.
 */
export function outcomesOf(
  counts: Readonly<Record<TicketState, number>>,
  isBeingWritten: boolean,
): Record<Outcome, number> {
  const outcomes = Object.fromEntries(OUTCOMES.map((outcome) => [outcome, 0])) as Record<Outcome, number>;
  for (const state of TICKET_STATES) outcomes[outcomeOf(state, isBeingWritten)] += counts[state];
  return outcomes;
}

/** The outcome of one ticket, as `outcomesOf` counts it. */
export function outcomeOf(state: TicketState, isBeingWritten: boolean): Outcome {
  switch (state) {
    case 'done':
    case 'rejected':
    case 'failed':
    case 'inDoubt':
    case 'skipped':
    case 'pending':
      return state;
    case 'created':
    case 'messaged':
      return 'pending';
    case 'creating':
      return isBeingWritten ? 'pending' : 'inDoubt';
    default:
      throw new AppError('internal', `No outcome for the state ${String(state satisfies never)}.`);
  }
}
