/**
 * A run that goes on in other processes, watched through its checkpoints: looks at the counts again and again until nobody
 * writes to it any more. What it sees has the form of a run's own progress, so that both are shown alike.
 */
import type { CheckpointReader } from '../../checkpoint/read-checkpoint.ts';
import type { Clock } from '../../domain/clock.ts';
import {
  addCounts,
  type KnownCounts,
  knownCounts,
  latestSummary,
  summaryCount,
} from '../../import/checkpoint-status.ts';
import { INITIAL_STATE, type Instant, type ProgressState } from '../../present/terminal/progress-state.ts';

export interface Sample {
  readonly tickets: KnownCounts;
  /** Its `total` is 0 where it is not known how many tickets the export has. */
  readonly progress: ProgressState;
  readonly now: Instant;
}

export interface WatchPorts {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly show: (sample: Sample) => void;
}

/** The speed is that of the last minute. */
const WINDOW_MS = 60_000;
/** A large checkpoint takes a moment to count; looking is no more than this share of the time. */
const BUSY_SHARE = 0.1;
/** Runs that are asked how many tickets the export has. */
const LOOK_BACK = 10;

/** `idle`: nobody wrote to it when the watch began. `stopped`: the signal ended the watch. */
export async function watchRun(
  readers: readonly CheckpointReader[],
  intervalMs: number,
  { clock, signal, show }: WatchPorts,
): Promise<'idle' | 'ended' | 'stopped'> {
  const isGoingOn = () => readers.some((reader) => reader.writer() !== undefined);
  if (!isGoingOn()) return 'idle';
  const began = clock.monotonic();
  let marks: ProgressState['marks'] = [];
  while (!signal.aborted) {
    const now = { at: clock.monotonic(), wall: clock.now() };
    const counts = readers.map((reader) => knownCounts(reader, true));
    const tickets = addCounts(counts);
    const totals = readers.map((reader, at) => totalOf(reader, counts[at] ?? tickets));
    const settled = settledIn(tickets);
    marks = [...marks.filter(({ at }) => now.at - at <= WINDOW_MS), { at: now.at, settled, requests: 0 }];
    show({
      tickets,
      now,
      progress: progressOf(tickets, totals.includes(0) ? 0 : sumOf(totals), marks, began),
    });
    if (!isGoingOn()) return 'ended';
    const tookMs = clock.monotonic() - now.at;
    try {
      await clock.sleep(Math.max(intervalMs, tookMs / BUSY_SHARE), signal);
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }
  return 'stopped';
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}

function settledIn({ known, pending }: KnownCounts): number {
  return known - pending;
}

function progressOf(
  tickets: KnownCounts,
  total: number,
  marks: ProgressState['marks'],
  since: number,
): ProgressState {
  return {
    ...INITIAL_STATE,
    stage: 'importing',
    total,
    settled: settledIn(tickets),
    done: tickets.done,
    failed: tickets.failed + tickets.rejected,
    inDoubt: tickets.inDoubt,
    importSince: since,
    marks,
  };
}

/**
 * Tickets that the run is about: those of the export without those that it leaves out, which no checkpoint knows. 0 where no
 * run has said yet how many the export has.
 */
function totalOf(reader: CheckpointReader, tickets: KnownCounts): number {
  const summary = latestSummary({ runs: reader.runs(LOOK_BACK) });
  const read = summaryCount(summary, 'read');
  if (read === undefined) return 0;
  const leftOut = (summaryCount(summary, 'skipped') ?? 0) - tickets.skipped;
  return Math.max(read - Math.max(0, leftOut), settledIn(tickets));
}
