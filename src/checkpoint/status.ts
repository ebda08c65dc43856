/** What checkpoints hold, as data: for `status` on screen and as JSON. Reads only, also while a run goes on. */
import { statSync } from 'node:fs';
import type { MissingReason } from '../domain/ledger.ts';
import {
  OUTCOMES,
  type Outcome,
  outcomeOf,
  TICKET_STATES,
  type TicketState,
} from '../domain/ticket-state.ts';
import type { CheckpointReader, RunInfo } from './read-checkpoint.ts';

/** Tickets of a checkpoint, by outcome. Tickets that no run has reached yet are in no checkpoint. */
export type KnownCounts = Record<Outcome, number> & { known: number };

export interface RunStatus extends Pick<RunInfo, 'mode' | 'version' | 'pid' | 'exitCode' | 'summary'> {
  /** UTC ISO-8601. */
  readonly startedAt: string;
  /** Absent while it goes on, and for ever where it was killed. */
  readonly endedAt?: string | undefined;
  readonly isGoingOn: boolean;
  /** Batches that it settled, and the tickets in them. */
  readonly batches: { readonly count: number; readonly tickets: number };
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
  const runs = reader.runs(RUNS).map(
    ({ id: _, startedAt, endedAt, batches, tickets, ...run }, index): RunStatus => ({
      ...run,
      startedAt: isoOf(startedAt),
      endedAt: endedAt === undefined ? undefined : isoOf(endedAt),
      isGoingOn: index === 0 && endedAt === undefined && writer !== undefined,
      batches: { count: batches, tickets },
    }),
  );
  const tickets = knownCounts(reader, writer !== undefined);
  const undos = [...reader.undos.values()];
  const begun = undos.filter((each) => each.begun !== undefined);
  const undo = {
    undone: undos.length - begun.length,
    begun: begun.length,
    unfinished: [...new Set(begun.map(({ run }) => run))],
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
  const all = files.all();
  const missing = all.flatMap(({ label: address, hash, reason, detail = '' }) =>
    hash !== undefined || reason === undefined ? [] : { address, reason, detail },
  );
  const addresses = all.filter(({ hash }) => hash !== undefined).length;
  if (addresses + missing.length === 0) return undefined;
  const stored = [...files.contents()].filter(({ begun }) => !begun);
  return {
    addresses,
    contents: stored.length,
    bytes: stored.reduce((sum, { size }) => sum + size, 0),
    missing,
  };
}

export function knownCounts(reader: CheckpointReader, isBeingWritten: boolean): KnownCounts {
  const outcomes = outcomesOf(reader.counts(), isBeingWritten);
  return { known: OUTCOMES.reduce((sum, outcome) => sum + outcomes[outcome], 0), ...outcomes };
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

export function addCounts(all: readonly KnownCounts[]): KnownCounts {
  const sum = (key: keyof KnownCounts) => all.reduce((total, counts) => total + counts[key], 0);
  const keys = ['known', ...OUTCOMES] as const;
  return Object.fromEntries(keys.map((key) => [key, sum(key)])) as KnownCounts;
}

/**
 * What was open when the latest run began, less what was settled since. A run that read a part of the export on purpose says nothing of
 * the whole, as long as another one does.
 */
function exportProgress(runs: readonly RunStatus[], tickets: KnownCounts): ExportProgress | undefined {
  const reported = runs.map(({ summary }) => summary).filter((summary) => summary !== undefined);
  const summary = reported.find(({ isPart }) => isPart !== true) ?? reported[0];
  const read: unknown = (summary?.['tickets'] as { read?: unknown } | undefined)?.read;
  const [open, settledBefore] = [summary?.['open'], summary?.['settledBefore']];
  if (typeof read !== 'number' || typeof open !== 'number' || typeof settledBefore !== 'number')
    return undefined;
  const settled = tickets.known - tickets.pending;
  return {
    total: read,
    done: tickets.done,
    left: Math.max(tickets.pending, open - (settled - settledBefore)),
  };
}

function isoOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
