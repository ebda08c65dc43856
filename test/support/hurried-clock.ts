/** Clocks that run faster than the machine's, so that pacing, pauses and timeouts cost a test a fraction of their time. */
import type { Clock } from '../../src/domain/ports.ts';
import { systemClock } from '../../src/system-clock.ts';

export function hurried(speed: number): Clock {
  const [wall, steady] = [systemClock.now(), systemClock.monotonic()];
  return {
    now: () => Math.round(wall + (systemClock.now() - wall) * speed),
    monotonic: () => steady + (systemClock.monotonic() - steady) * speed,
    sleep: (ms, signal) => systemClock.sleep(ms / speed, signal),
  };
}

/** Shared by commands and services in this process, which compare their times. */
export const hurriedClock = hurried(10);
