/** A clock that a test moves: sleeps end in the order of their due times, ties in that of their beginning. */
import type { Clock } from '../../src/domain/ports.ts';

interface Sleeper {
  readonly due: number;
  readonly order: number;
  readonly wake: () => void;
}

export interface FakeClock extends Clock {
  /** Moves both clocks on by `ms`, waking every sleeper that falls due, and lets what they trigger run in between. */
  advance(ms: number): Promise<void>;
  /** Moves both clocks on to the next due sleeper and wakes it. False without a sleeper. */
  advanceToNext(): Promise<boolean>;
  /** Sets the wall clock off by `ms` (forth or back) and leaves the monotonic one alone, as an NTP step does. */
  jump(ms: number): void;
  /** Moves on from sleeper to sleeper until the promise settles; throws when it waits for something else than time. */
  settle<T>(promise: Promise<T>): Promise<T>;
  /** Sleeps that have neither ended nor been aborted. 0 if no timer was left behind. */
  sleeping(): number;
  /** Every sleep asked for so far, in milliseconds, first to last. */
  readonly slept: readonly number[];
}

/** `mostIdleMs`: how long `settle` waits in real time for what does not sleep; modules that load on a busy machine take seconds. */
export function createFakeClock(
  startAt: number | string = '2025-06-02T08:00:00.000Z',
  mostIdleMs = 15_000,
): FakeClock {
  const start = typeof startAt === 'string' ? Date.parse(startAt) : startAt;
  let elapsed = 0;
  let skew = 0;
  let asked = 0;
  const sleepers = new Set<Sleeper>();
  const slept: number[] = [];

  const next = (): Sleeper | undefined => {
    let first: Sleeper | undefined;
    for (const sleeper of sleepers) {
      if (
        first === undefined ||
        sleeper.due < first.due ||
        (sleeper.due === first.due && sleeper.order < first.order)
      )
        first = sleeper;
    }
    return first;
  };

  const wake = async (sleeper: Sleeper) => {
    elapsed = Math.max(elapsed, sleeper.due);
    sleepers.delete(sleeper);
    sleeper.wake();
    await turn();
  };

  const advanceToNext = async () => {
    await turn();
    const sleeper = next();
    if (sleeper === undefined) return false;
    await wake(sleeper);
    return true;
  };

  return {
    slept,
    now: () => start + elapsed + skew,
    monotonic: () => elapsed,
    sleeping: () => sleepers.size,
    jump: (ms) => {
      skew += ms;
    },

    sleep(ms, signal) {
      slept.push(ms);
      if (signal?.aborted) return Promise.reject(signal.reason);
      return new Promise((resolve, reject) => {
        const onAbort = () => {
          sleepers.delete(sleeper);
          reject(signal?.reason);
        };
        const sleeper: Sleeper = {
          due: elapsed + Math.max(0, ms),
          order: asked++,
          wake: () => {
            signal?.removeEventListener('abort', onAbort);
            resolve();
          },
        };
        sleepers.add(sleeper);
        signal?.addEventListener('abort', onAbort, { once: true });
      });
    },

    async advance(ms) {
      const until = elapsed + ms;
      await turn();
      for (let sleeper = next(); sleeper !== undefined && sleeper.due <= until; sleeper = next())
        await wake(sleeper);
      elapsed = until;
      await turn();
    },

    advanceToNext,

    async settle(promise) {
      let settled = false;
      const mark = () => {
        settled = true;
      };
      promise.then(mark, mark);
      // Sockets, workers and modules that are loaded need real time, more of it where the machine is busy; a bound keeps a
      // hanging test from hanging for good.
      for (let since = performance.now(); !settled; ) {
        if (await advanceToNext()) since = performance.now();
        else if (performance.now() - since > mostIdleMs)
          throw new Error('The promise does not settle, and nothing sleeps.');
      }
      return promise;
    },
  };
}

/** One turn of the event loop: all promise callbacks and what was queued by them. */
function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
