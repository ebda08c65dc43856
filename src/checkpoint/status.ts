/** What checkpoints hold, as data: for `status` on screen and as JSON. Reads only, also while a run goes on. */
import { statSync } from 'node:fs';
import type { MissingReason } from '../domain/ledger.ts';
import { OUTCOMES, type Outcome } from '../domain/ticket-state.ts';
import { type CheckpointReader, outcomesOf } from './read-checkpoint.ts';

/** Tickets that a checkpoint knows, by outcome. What no run has reached yet is in no checkpoint. */
export type KnownCounts = Record<Outcome, number> & { known: number };

export interface RunStatus {
  readonly mode: string;
  /** UTC ISO-8601. */
  readonly startedAt: string;
  /** Absent while it goes on, and for ever where it was killed. */
  readonly endedAt?: string | undefined;
  readonly exitCode?: number | undefined;
  readonly isGoingOn: boolean;
  readonly version: string;
  readonly pid: number;
  /** Batches that it settled, and the tickets in them. */
  readonly batches: { readonly count: number; readonly tickets: number };
  /** Counts of the export as they stood at its end. */
  readonly summary?: Readonly<Record<string, unknown>> | undefined;
}

/** What the tickets that it created carry. */
export function runTagOf({ summary }: Pick<RunStatus, 'summary'>): string | undefined {
  const tag = summary?.['runTag'];
  return typeof tag === 'string' ? tag : undefined;
}

/** How far an import has come, by what the latest run over the whole export found in it. */
export interface ExportProgress {
  /** Tickets in the export. */
  readonly total: number;
  readonly done: number;
  /** Tickets that have no outcome yet. */
  readonly left: number;
}

/** Tickets of the target that `undo` closed and emptied, and those of which it had only begun. */
export interface UndoStatus {
  readonly undone: number;
  readonly begun: number;
  /** Tags of the runs whose undo was stopped before its end. */
  readonly unfinished: readonly string[];
}

/** Files that were fetched for the tickets. */
export interface FilesStatus {
  readonly addresses: number;
  readonly contents: number;
  readonly bytes: number;
  readonly missing: readonly {
    readonly address: string;
    readonly reason: MissingReason;
    readonly detail: string;
  }[];
}

export interface CheckpointStatus {
  readonly checkpoint: string;
  readonly target: string;
  readonly createdAt: string;
  readonly createdBy: string;
  /** Size of the file, bytes. */
  readonly bytes: number;
  readonly tickets: KnownCounts;
  /** Absent where nothing was undone. */
  readonly undo?: UndoStatus | undefined;
  /** Absent where no file was asked for. */
  readonly files?: FilesStatus | undefined;
  /** Absent where no run has got as far as to know it. */
  readonly export?: ExportProgress | undefined;
  /** The process that writes to it at this moment. */
  readonly writer?: { readonly pid?: number | undefined; readonly since?: string | undefined } | undefined;
  /** Newest first. */
  readonly runs: readonly RunStatus[];
}

const RUNS = 10;

export function checkpointStatus(reader: CheckpointReader): CheckpointStatus {
  const { meta, path } = reader;
  const writer = reader.writer();
  const runs = reader
    .runs(RUNS)
    .map(({ id, startedAt, endedAt, exitCode, summary, mode, version, pid }, index): RunStatus => {
      const batches = reader.batches(id);
      return {
        mode,
        startedAt: isoOf(startedAt),
        endedAt: endedAt === undefined ? undefined : isoOf(endedAt),
        exitCode,
        isGoingOn: index === 0 && endedAt === undefined && writer !== undefined,
        version,
        pid,
        batches: {
          count: batches.length,
          tickets: batches.reduce((sum, { tickets }) => sum + tickets, 0),
        },
        summary,
      };
    });
  const tickets = knownCounts(reader, writer !== undefined);
  const undo = {
    ...reader.undos.counts(),
    unfinished: [...new Set(reader.undos.begun().map(({ run }) => run))],
  };
  return {
    checkpoint: path,
    target: meta.target,
    createdAt: isoOf(meta.createdAt),
    createdBy: meta.createdBy,
    bytes: statSync(path).size,
    tickets,
    ...(undo.undone + undo.begun === 0 ? {} : { undo }),
    files: filesStatus(reader),
    export: exportProgress(runs, tickets),
    ...(writer === undefined
      ? {}
      : {
          writer: {
            pid: writer.pid,
            since: writer.since === undefined ? undefined : isoOf(writer.since),
          },
        }),
    runs,
  };
}

function filesStatus({ files }: CheckpointReader): FilesStatus | undefined {
  const missing: FilesStatus['missing'][number][] = [];
  let addresses = 0;
  for (const { label, hash, reason, detail = '' } of files.all())
    if (hash !== undefined) addresses += 1;
    else if (reason !== undefined) missing.push({ address: label, reason, detail });
  if (addresses + missing.length === 0) return undefined;
  let contents = 0;
  let bytes = 0;
  for (const { begun, size } of files.contents())
    if (!begun) {
      contents += 1;
      bytes += size;
    }
  return { addresses, contents, bytes, missing };
}

export function knownCounts(reader: CheckpointReader, isBeingWritten: boolean): KnownCounts {
  const outcomes = outcomesOf(reader.counts(), isBeingWritten);
  return { known: OUTCOMES.reduce((sum, outcome) => sum + outcomes[outcome], 0), ...outcomes };
}

export function addCounts(all: readonly KnownCounts[]): KnownCounts {
  const sum = (key: keyof KnownCounts) => all.reduce((total, counts) => total + counts[key], 0);
  const keys = ['known', ...OUTCOMES] as const;
  return Object.fromEntries(keys.map((key) => [key, sum(key)])) as KnownCounts;
}

/**
 * Counts of the export as the latest run that counted left them, or as it planned them where it still goes on. One that
 * read a part of it on purpose says nothing of the whole, as long as another one does.
 */
export function latestSummary({
  runs,
}: {
  readonly runs: readonly Pick<RunStatus, 'summary'>[];
}): RunStatus['summary'] {
  const reported = runs.map(({ summary }) => summary).filter((summary) => summary !== undefined);
  return reported.find((summary) => summary['isPart'] !== true) ?? reported[0];
}

/** What was open when the latest run began, less what was settled since. */
function exportProgress(runs: readonly RunStatus[], tickets: KnownCounts): ExportProgress | undefined {
  const summary = latestSummary({ runs });
  const total = summaryCount(summary, 'read');
  const [open, settledBefore] = [summary?.['open'], summary?.['settledBefore']];
  if (total === undefined || typeof open !== 'number' || typeof settledBefore !== 'number') return undefined;
  const settled = tickets.known - tickets.pending;
  return { total, done: tickets.done, left: Math.max(tickets.pending, open - (settled - settledBefore)) };
}

/** A count of tickets in a run's summary, where it is there. */
export function summaryCount(summary: RunStatus['summary'], name: 'read' | 'skipped'): number | undefined {
  const tickets: unknown = summary?.['tickets'];
  const count = typeof tickets === 'object' && tickets !== null ? Reflect.get(tickets, name) : undefined;
  return typeof count === 'number' ? count : undefined;
}

function isoOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
