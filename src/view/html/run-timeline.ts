/**
 * How a run went over time, gathered from its events like the progress bar: requests and finished tickets in even steps.
 * Memory is bounded whatever the run's length: when the steps run out, two become one and each is twice as long.
 */
import type { Clock } from '../../domain/clock.ts';
import type { Emit } from '../../domain/run-events.ts';
import { Slots } from './chart-data.ts';

interface TimelineStep {
  readonly requests: number;
  /** Of the requests: answered with 429. */
  readonly rateLimited: number;
  readonly done: number;
  /** Tickets that ended otherwise: failed, rejected, in doubt. */
  readonly notDone: number;
}

export interface Timeline {
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

export interface RunTimeline {
  /** To be called with every event of the run. */
  readonly emit: Emit;
  /** Undefined where nothing was sent. */
  result(): Timeline | undefined;
}

type Counts = { -readonly [K in keyof TimelineStep]: TimelineStep[K] };

export function createRunTimeline(clock: Clock): RunTimeline {
  const steps = createSteps(1000);
  const latencies = Slots.ofTimes();
  let start: number | undefined;
  let sent = 0;
  const step = () => {
    start ??= clock.monotonic();
    return steps.at(clock.monotonic() - start);
  };
  return {
    emit: (event) => {
      if (event.type === 'start-import') step();
      else if (event.type === 'request') {
        const now = step();
        sent++;
        now.requests++;
        if (event.status === 429) now.rateLimited++;
        if (event.status !== undefined) latencies.add(event.milliseconds);
      } else if (event.type === 'ticket' && event.outcome !== 'pending') {
        if (event.outcome === 'done') step().done++;
        else if (event.outcome !== 'skipped') step().notDone++;
      }
    },
    result: () => {
      if (sent === 0) return undefined;
      const [median, p95] = [latencies.quantile(0.5), latencies.quantile(0.95)];
      const latency = median === undefined || p95 === undefined ? undefined : { median, p95 };
      return { ...steps.result(), hasRequests: true, pausedMs: 0, latency };
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
  return { ...steps.result(), hasRequests: false, pausedMs: paused * 1000 };
}

function createSteps(firstStepMs: number) {
  let stepMs = firstStepMs;
  let steps: Counts[] = [];
  const fresh = (): Counts => ({ requests: 0, rateLimited: 0, done: 0, notDone: 0 });
  const halve = () => {
    const merged: Counts[] = [];
    for (const [index, counts] of steps.entries()) {
      const into = merged[Math.floor(index / 2)];
      if (into === undefined) merged.push(counts);
      else
        for (const key of ['requests', 'rateLimited', 'done', 'notDone'] as const) into[key] += counts[key];
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
    result: () => ({ stepMs, steps: steps as readonly TimelineStep[] }),
  };
}
