/** Contents of checkpoints, for `status` on screen and as JSON. Reads only, also during a run. */
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

/** Tickets that no run has reached are in no checkpoint. */
export type KnownCounts = Record<Outcome, number> & { known: number };

export interface RunStatus extends Pick<RunInfo, 'mode' | 'version' | 'pid' | 'exitCode' | 'summary'> {
  readonly startedAt: string;
  readonly endedAt?: string | undefined;
  readonly isGoingOn: boolean;
}

export function runTagOf({ summary }: Pick<RunStatus, 'summary'>): string | undefined {
  const tag = summary?.['runTag'];
  return typeof tag === 'string' ? tag : undefined;
}

export interface ExportProgress {
  readonly total: number;
  readonly done: number;
  readonly left: number;
}

export interface UndoStatus {
  readonly undone: number;
  readonly begun: number;
  readonly unfinished: readonly string[];
}

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
  readonly bytes: number;
  readonly tickets: KnownCounts;
  readonly undo?: UndoStatus | undefined;
  readonly files?: FilesStatus | undefined;
  readonly export?: ExportProgress | undefined;
  readonly writer?: { readonly pid?: number | undefined; readonly since?: string | undefined } | undefined;
  readonly runs: readonly RunStatus[];
}

const RUNS = 10;

export function checkpointStatus(reader: CheckpointReader): CheckpointStatus {
  const { meta, path } = reader;
  const writer = reader.writer();
  const runs = reader.runs(RUNS).map(
    ({ id: _, startedAt, endedAt, ...run }, index): RunStatus => ({
      ...run,
      startedAt: isoOf(startedAt),
      endedAt: endedAt === undefined ? undefined : isoOf(endedAt),
      isGoingOn: index === 0 && endedAt === undefined && writer !== undefined,
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
    ...(writer && {
      writer: { ...writer, since: writer.since === undefined ? undefined : isoOf(writer.since) },
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

export function outcomesOf(
  counts: Readonly<Record<TicketState, number>>,
  isBeingWritten: boolean,
): Record<Outcome, number> {
  const outcomes = Object.fromEntries(OUTCOMES.map((outcome) => [outcome, 0])) as Record<Outcome, number>;
  for (const state of TICKET_STATES) outcomes[outcomeOf(state, isBeingWritten)] += counts[state];
  return outcomes;
}

/** Open when the latest whole run began, minus settled since. */
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
