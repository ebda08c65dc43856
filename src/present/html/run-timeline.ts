/**
 * How a run went over time, gathered from its events like the progress bar: requests and finished tickets in even steps.
 * Memory is bounded whatever the run's length: when the steps run out, two become one and each is twice as long.
 */
import type { Clock } from '../../domain/clock.ts';
import type { Emit } from '../../domain/run-events.ts';

export interface TimelineStep {
  readonly requests: number;
  /** Of the requests: answered with 429. */
  readonly rateLimited: number;
  /** Of the requests: not the first attempt of their call. */
  readonly retried: number;
  readonly done: number;
  /** Tickets that ended otherwise: failed, rejected, in doubt. */
  readonly notDone: number;
}

export interface Timeline {
  /** When the first step begins, milliseconds since the epoch. */
  readonly from: number;
  readonly stepMs: number;
  readonly steps: readonly TimelineStep[];
  /** Whether requests were counted; a checkpoint knows tickets only. */
  readonly hasRequests: boolean;
  /** Time in which nothing went on and which is left out: between runs, with the program not running. */
  readonly pausedMs: number;
  /** Of requests, milliseconds; absent where none was answered. */
  readonly latency?: { readonly median: number; readonly p95: number } | undefined;
}

const MOST_STEPS = 60;
/** Slots per doubling of the latency: within 5 % of the true one. */
const FINENESS = 8;

export interface RunTimeline {
  /** To be called with every event of the run. */
  readonly emit: Emit;
  /** Undefined where nothing was sent. */
  result(): Timeline | undefined;
}

type Counts = { -readonly [K in keyof TimelineStep]: TimelineStep[K] };

export function createRunTimeline(clock: Clock): RunTimeline {
  const steps = createSteps(1000);
  const latencies = new Map<number, number>();
  let start: { readonly wall: number; readonly monotonic: number } | undefined;
  let answered = 0;
  let sent = 0;
  const step = () => {
    start ??= { wall: clock.now(), monotonic: clock.monotonic() };
    return steps.at(clock.monotonic() - start.monotonic);
  };
  return {
    emit: (event) => {
      if (event.type === 'start-import') step();
      else if (event.type === 'request') {
        const now = step();
        sent++;
        now.requests++;
        if (event.status === 429) now.rateLimited++;
        if (event.attempt > 1) now.retried++;
        if (event.status === undefined) return;
        answered++;
        const slot = Math.round(Math.log2(1 + event.milliseconds) * FINENESS);
        latencies.set(slot, (latencies.get(slot) ?? 0) + 1);
      } else if (event.type === 'ticket' && event.outcome !== 'pending') {
        if (event.outcome === 'done') step().done++;
        else if (event.outcome !== 'skipped') step().notDone++;
      }
    },
    result: () => {
      if (start === undefined || sent === 0) return undefined;
      const at = (share: number) => 2 ** (quantile(latencies, answered * share) / FINENESS) - 1;
      return {
        from: start.wall,
        stepMs: steps.stepMs(),
        steps: steps.list(),
        hasRequests: true,
        pausedMs: 0,
        latency: answered === 0 ? undefined : { median: at(0.5), p95: at(0.95) },
      };
    },
  };
}

/** A pause of this many seconds is no part of the work; shorter ones are waits for the target or its rate limit. */
const LONGEST_WAIT = 900;

/**
 * The same of a checkpoint, which knows for each second how many tickets were settled in it. Runs may lie days apart, so
 * what lies between them is left out.
 */
export function timelineOfChanges(
  changes: readonly { readonly second: number; readonly tickets: number }[],
): Timeline | undefined {
  const [first] = changes;
  if (first === undefined) return undefined;
  const steps = createSteps(1000);
  let before = first.second;
  let paused = 0;
  for (const { second, tickets } of changes) {
    const wait = second - before;
    if (wait > LONGEST_WAIT) paused += wait - 1;
    before = second;
    steps.at((second - first.second - paused) * 1000).done += tickets;
  }
  return {
    from: first.second * 1000,
    stepMs: steps.stepMs(),
    steps: steps.list(),
    hasRequests: false,
    pausedMs: paused * 1000,
  };
}

function createSteps(firstStepMs: number) {
  let stepMs = firstStepMs;
  let steps: Counts[] = [];
  const fresh = (): Counts => ({ requests: 0, rateLimited: 0, retried: 0, done: 0, notDone: 0 });
  const halve = () => {
    const merged: Counts[] = [];
    for (const [index, counts] of steps.entries()) {
      const into = merged[Math.floor(index / 2)];
      if (into === undefined) {
        merged.push(counts);
        continue;
      }
      into.requests += counts.requests;
      into.rateLimited += counts.rateLimited;
      into.retried += counts.retried;
      into.done += counts.done;
      into.notDone += counts.notDone;
    }
    steps = merged;
    stepMs *= 2;
  };
  return {
    at: (elapsedMs: number): Counts => {
      while (Math.floor(elapsedMs / stepMs) >= MOST_STEPS) halve();
      const index = Math.max(0, Math.floor(elapsedMs / stepMs));
      while (steps.length <= index) steps.push(fresh());
      return steps[index] ?? fresh();
    },
    stepMs: () => stepMs,
    list: (): readonly TimelineStep[] => steps.map((counts) => ({ ...counts })),
  };
}

function quantile(slots: ReadonlyMap<number, number>, rank: number): number {
  let left = rank;
  let last = 0;
  for (const [slot, count] of [...slots].sort(([a], [b]) => a - b)) {
    left -= count;
    last = slot;
    if (left <= 0) break;
  }
  return last;
}
