/**
 * A run that goes on in other processes, watched through its checkpoints: looks at the counts again and again until nobody
 * writes to it any more. What it sees has the form of a run's own progress, so that both are shown alike.
 */
import type { CheckpointReader } from '../../checkpoint/read-checkpoint.ts';
import type { CliContext } from '../../cli/context.ts';
import type { Clock } from '../../domain/clock.ts';
import {
  addCounts,
  type KnownCounts,
  knownCounts,
  latestSummary,
  summaryCount,
} from '../../import/checkpoint-status.ts';
import { countOf, formatElapsed, formatRate } from '../../present/terminal/format.ts';
import { progressLine } from '../../present/terminal/progress-line.ts';
import {
  INITIAL_STATE,
  type Instant,
  type ProgressState,
  speedOf,
} from '../../present/terminal/progress-state.ts';
import { createStyle, type Style } from '../../present/terminal/style.ts';

export interface Sample {
  readonly tickets: KnownCounts;
  /** Its `total` is 0 where it is not known how many tickets the export has. */
  readonly progress: ProgressState;
  readonly now: Instant;
}

interface WatchPorts {
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

/** `status --watch` on screen: one line that moves on a terminal, a line now and then elsewhere. */
interface WatchView {
  /** Seconds. */
  readonly interval: number | undefined;
  readonly color: boolean;
  /** The line goes to standard error then, and the JSON comes at the end. */
  readonly json: boolean;
}

const START_OF_LINE = '\r';
const ERASE_TO_END = '\u001b[K';

/** Resolves when the run has ended, when there is none, or at the first signal: that is a watch's normal end. */
export async function watchStatus(
  readers: readonly CheckpointReader[],
  view: WatchView,
  context: CliContext,
): Promise<void> {
  const { clock, stdout, stderr, env, commands } = context;
  const stream = view.json ? stderr : stdout;
  const isTerminal = stream.isTTY === true && env['TERM'] !== 'dumb';
  const began = clock.monotonic();
  const end = new AbortController();
  const stopListening = context.onSignal(() => end.abort());
  const show = (sample: Sample) => {
    const style = createStyle({ stream, env, color: view.color, commands });
    const line =
      sample.progress.total === 0
        ? openLine(sample, style)
        : progressLine(sample.progress, [], sample.now, style);
    stream.write(
      isTerminal
        ? `${START_OF_LINE}${line}${ERASE_TO_END}`
        : `${formatElapsed(sample.now.at - began)}  ${plainLine(sample, style)}\n`,
    );
  };
  try {
    const intervalMs = (view.interval ?? (isTerminal ? 1 : 5)) * 1000;
    const outcome = await watchRun(readers, intervalMs, { clock, signal: end.signal, show });
    if (isTerminal && outcome !== 'idle') stream.write(`${START_OF_LINE}${ERASE_TO_END}`);
    const said = {
      idle: `No run is going on with ${readers.length === 1 ? 'this checkpoint' : 'these checkpoints'}.`,
      ended: 'The run has ended.',
      stopped: 'The watch has ended; the run goes on.',
    };
    stream.write(`${said[outcome]}\n\n`);
  } finally {
    stopListening();
  }
}

/** Nobody has said yet how many tickets the export has: no share, no time left. */
function openLine(sample: Sample, style: Style): string {
  const frame = style.symbols.spinner[Math.floor(sample.now.at / 250) % style.symbols.spinner.length] ?? '';
  return `${style.cyan(frame)} ${style.bold('Importing')}  ${plainLine(sample, style)}`;
}

function plainLine({ tickets, progress, now }: Sample, style: Style): string {
  const speed = speedOf(progress, now);
  const of = progress.total === 0 ? '' : ` of ${countOf(progress.total, 'ticket')}`;
  return [
    `${countOf(tickets.done, 'ticket')} done${of}`,
    ...(progress.failed > 0 ? [`${countOf(progress.failed, 'ticket')} failed or rejected`] : []),
    ...(tickets.inDoubt > 0 ? [`${countOf(tickets.inDoubt, 'ticket')} in doubt`] : []),
    ...(speed === undefined ? [] : [formatRate(speed.tickets)]),
  ].join(` ${style.symbols.separator} `);
}
