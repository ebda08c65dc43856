/**
 * The checkpoint, open for reading: for `status`, `report` and dry runs. Works while another process writes, and every call
 * sees what was durable at that moment. Changes nothing.
 */

import { existsSync } from 'node:fs';
import { AppError } from '../domain/errors.ts';
import type { TicketRecord } from '../domain/ledger.ts';
import { OUTCOMES, type Outcome, TICKET_STATES, type TicketState } from '../domain/ticket-state.ts';
import type { Database } from '../sqlite/database.ts';
import { ExportTimeTable } from './export-times.ts';
import { FileTable } from './file-ledger.ts';
import { LinkTable } from './link-ledger.ts';
import { type CheckpointMeta, type Holder, readHolder, readMeta, requireTarget } from './meta.ts';
import { openForReading, resolveCheckpointPath } from './open-database.ts';
import { type BatchInfo, batchesOf, latestRuns, type RunInfo } from './runs.ts';
import { TicketTable } from './ticket-table.ts';
import { UndoTable } from './undo-ledger.ts';
import { acquireWriterLock, lockPathOf, type WriterLock } from './writer-lock.ts';

export interface CheckpointReader {
  readonly path: string;
  readonly meta: CheckpointMeta;
  /** Files of the export that are kept; never written through this. */
  readonly files: FileTable;
  /** Tickets in which links were rewritten; never written through this. */
  readonly links: LinkTable;
  readonly exportTimes: ExportTimeTable;
  /** Tickets of the target that were undone; never written through this. */
  readonly undos: UndoTable;
  get(externalId: string): TicketRecord | undefined;
  has(externalId: string): boolean;
  /** How many tickets it knows. */
  size(): number;
  counts(): Record<TicketState, number>;
  inStates(states: readonly TicketState[]): IterableIterator<TicketRecord>;
  /** At most `limit` records in these states, by external id, behind `after`. */
  page(states: readonly TicketState[], limit: number, after?: string): TicketRecord[];
  /** The latest runs, newest first. */
  runs(limit: number): RunInfo[];
  batches(run: number): BatchInfo[];
  /** How many tickets were last changed in each second, for tickets in these states: the rate over time. */
  changesBySecond(states: readonly TicketState[]): { second: number; tickets: number }[];
  /** Requests that its runs sent, by second, for the rate budget of who sends more. */
  /** What is known of the process that writes to it at this moment, if one does. */
  writer(): Partial<Holder> | undefined;
  close(): void;
}

/**
 * Throws AppError `checkpoint` when there is none, or it is damaged, newer or older than the program, or, with `target`,
 * belongs to another one.
 */
export function readCheckpoint(path: string, target?: string): CheckpointReader {
  const real = resolveCheckpointPath(path);
  const db = openForReading(real);
  try {
    const meta = readMeta(db);
    if (target !== undefined) requireTarget(meta, target, path);
    return reader(db, path, real, meta);
  } catch (error) {
    db.close();
    throw error;
  }
}

function reader(db: Database, path: string, real: string, meta: CheckpointMeta): CheckpointReader {
  const tickets = new TicketTable(db);
  const readOnly = () => Promise.reject(new AppError('internal', 'A checkpoint is read only.'));
  return {
    path,
    meta,
    files: new FileTable(db, readOnly),
    links: new LinkTable(db, readOnly),
    exportTimes: new ExportTimeTable(db, readOnly),
    undos: new UndoTable(db, readOnly),
    get: (externalId) => tickets.get(externalId),
    has: (externalId) => tickets.has(externalId),
    size: () => db.prepare('SELECT count(*) FROM ticket').pluck().get() as number,
    counts: () => tickets.counts(),
    inStates: (states) => tickets.inStates(states),
    page: (states, limit, after) => tickets.page(states, limit, after),
    runs: (limit) => latestRuns(db, limit),
    batches: (run) => batchesOf(db, run),
    changesBySecond: (states) => tickets.changesBySecond(states),
    writer: () => writerOf(db, real),
    close: () => void db.close(),
  };
}

/** Asks the lock, not the note: a note may be of a process that died. Where the lock can't be asked, the note has to do. */
function writerOf(db: Database, real: string): Partial<Holder> | undefined {
  if (!existsSync(lockPathOf(real))) return undefined;
  let lock: WriterLock | undefined;
  try {
    lock = acquireWriterLock(real);
  } catch (error) {
    if (error instanceof AppError) return readHolder(db);
    throw error;
  }
  if (lock === undefined) return readHolder(db) ?? {};
  lock.release();
  return undefined;
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
