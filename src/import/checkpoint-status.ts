/** What checkpoints hold, as data: for `status` on screen, as JSON and live. Reads only, also while a run goes on. */
import { statSync } from 'node:fs';
import { type CheckpointReader, outcomesOf } from '../checkpoint/read-checkpoint.ts';
import { OUTCOMES, type Outcome, type TicketState } from '../domain/ticket-state.ts';
import { type ReportedCanary, reportedCanary } from '../summary/summary.ts';

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

/** A stretch of time and how many tickets were settled in it. */
export interface RateStep {
  /** UTC ISO-8601. */
  readonly from: string;
  readonly seconds: number;
  readonly tickets: number;
}

/** Tickets of the target that `undo` closed and emptied, and those of which it had only begun. */
export interface UndoStatus {
  readonly undone: number;
  readonly begun: number;
  /** Tags of the runs whose undo was stopped before its end. */
  readonly unfinished: readonly string[];
}

export interface CheckpointStatus {
  readonly checkpoint: string;
  readonly target: string;
  readonly createdAt: string;
  readonly createdBy: string;
  /** Size of the file, bytes. */
  readonly bytes: number;
  readonly tickets: KnownCounts;
  /** The ticket that was made first for a person's own address. */
  readonly canary?: ReportedCanary | undefined;
  /** Absent where nothing was undone. */
  readonly undo?: UndoStatus | undefined;
  /** Absent where no run has got as far as to know it. */
  readonly export?: ExportProgress | undefined;
  /** The process that writes to it at this moment. */
  readonly writer?: { readonly pid?: number | undefined; readonly since?: string | undefined } | undefined;
  /** Newest first. */
  readonly runs: readonly RunStatus[];
  /** Of the latest run. */
  readonly rate: readonly RateStep[];
}

const RUNS = 10;
/** States of tickets that need nothing more, or nothing more in this run. */
const SETTLED: readonly TicketState[] = ['done', 'rejected', 'failed', 'inDoubt', 'skipped'];

export function checkpointStatus(reader: CheckpointReader, now: number): CheckpointStatus {
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
    canary: reportedCanary(meta),
    ...(undo.undone + undo.begun === 0 ? {} : { undo }),
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
    rate: rateOfRun(reader, runs[0], now),
  };
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
 * Counts of the export as the latest run that told them left them, or as it planned them where it still goes on. One that
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

function rateOfRun(reader: CheckpointReader, run: RunStatus | undefined, now: number): RateStep[] {
  if (run === undefined) return [];
  const until = run.endedAt === undefined ? now : Date.parse(run.endedAt);
  return rateSteps(reader.changesBySecond(SETTLED), Date.parse(run.startedAt), until);
}

/** Lengths of a step that a person can read, seconds. */
const STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 21_600, 86_400] as const;
const MOST_STEPS = 20;

/** Even steps from the first change after `from` to the last one before `until`, at most twenty. Pure. */
export function rateSteps(
  changes: readonly { second: number; tickets: number }[],
  from: number,
  until: number,
): RateStep[] {
  const within = changes.filter(
    ({ second }) => second >= Math.floor(from / 1000) && second <= Math.floor(until / 1000),
  );
  const [first, last] = [within[0]?.second, within.at(-1)?.second];
  if (first === undefined || last === undefined) return [];
  const span = last - first + 1;
  const seconds = STEPS.find((step) => span / step <= MOST_STEPS) ?? Math.ceil(span / MOST_STEPS);
  const counts = new Array<number>(Math.ceil(span / seconds)).fill(0);
  for (const { second, tickets } of within) {
    const at = Math.floor((second - first) / seconds);
    counts[at] = (counts[at] ?? 0) + tickets;
  }
  return counts.map((tickets, index) => ({
    from: isoOf((first + index * seconds) * 1000),
    seconds,
    tickets,
  }));
}

function isoOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
