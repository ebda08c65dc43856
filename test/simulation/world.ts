/** Time of the simulation, and processes in it that can die. Nothing waits for real, and no timer of a dead process fires. */
import type { Clock } from '../../src/domain/ports.ts';

export interface Owner {
  isDead: boolean;
}

interface Timer {
  readonly due: number;
  readonly owner: Owner | undefined;
  readonly wake: () => void;
}

export const NEVER = new Promise<never>(() => undefined);

export class World {
  now = 0;
  #timers: Timer[] = [];

  /** Calls back at this time; timers of the same time in the order in which they were set. */
  at(due: number, wake: () => void, owner?: Owner): Timer {
    const timer = { due: Math.max(due, this.now), owner, wake };
    let index = this.#timers.length;
    while (index > 0 && (this.#timers[index - 1] as Timer).due > timer.due) index -= 1;
    this.#timers.splice(index, 0, timer);
    return timer;
  }

  /** Moves from timer to timer until the promise settles; throws when it waits for something else than time. */
  async until<T>(promise: Promise<T>, isBusy: () => boolean): Promise<T> {
    let isSettled = false;
    const mark = () => {
      isSettled = true;
    };
    promise.then(mark, mark);
    for (let steps = 0; ; steps += 1) {
      if (steps > MOST_STEPS) throw new Error('The run does not end.');
      await turn();
      while (isBusy()) await turn();
      if (isSettled) return promise;
      this.#fire();
    }
  }

  /** What was sent arrives, although nobody waits for it any more. */
  async settle(ms: number): Promise<void> {
    const end = this.now + ms;
    while ((this.#timers[0]?.due ?? Number.POSITIVE_INFINITY) <= end) {
      this.#fire();
      await turn();
    }
    this.now = end;
    for (let turns = 0; turns < 4; turns += 1) await turn();
  }

  #fire(): void {
    const timer = this.#timers.shift();
    if (timer === undefined) throw new Error('The run does not end, and no timer is set.');
    if (timer.owner?.isDead === true) return;
    this.now = timer.due;
    timer.wake();
  }

  /** The clocks of one process: its wall clock is off by `skewMs`, and its monotonic one begins anywhere. */
  clock(owner: Owner, skewMs: number, beganAt: number): Clock {
    return {
      now: () => EPOCH + this.now + skewMs,
      monotonic: () => this.now - beganAt,
      sleep: (ms, signal) => {
        if (signal?.aborted) return Promise.reject(signal.reason);
        return new Promise((resolve, reject) => {
          const onAbort = () => {
            const at = this.#timers.indexOf(timer);
            if (at >= 0) this.#timers.splice(at, 1);
            reject(signal?.reason);
          };
          const wake = () => {
            signal?.removeEventListener('abort', onAbort);
            resolve();
          };
          const timer = this.at(this.now + Math.max(1, Math.ceil(ms)), wake, owner);
          signal?.addEventListener('abort', onAbort, { once: true });
        });
      },
    };
  }
}

/** Of one process; a run that takes more goes round in circles. */
const MOST_STEPS = 20_000;

export const EPOCH = Date.parse('2025-06-02T08:00:00Z');

function turn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}
