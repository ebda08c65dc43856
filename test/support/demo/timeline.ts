/** When things happen in a thread: customers write at any hour, agents during theirs. All times UTC, milliseconds. */
import type { Seeded } from '../seeded.ts';
import type { Step, Wait } from './thread.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const RANGES: Readonly<Record<Wait, readonly [number, number]>> = {
  start: [0, 0],
  minutes: [3 * MINUTE, 40 * MINUTE],
  hours: [HOUR, 7 * HOUR],
  day: [16 * HOUR, 30 * HOUR],
  days: [2 * DAY, 4 * DAY],
  week: [5 * DAY, 9 * DAY],
};

/** Times in whole seconds, each at least two minutes after the one before. */
export function timesOf(steps: readonly Step[], start: number, random: Seeded): number[] {
  const times: number[] = [];
  let at = start;
  for (const { by, after } of steps) {
    const [least, most] = RANGES[after];
    at += random.between(least / 1000, most / 1000) * 1000;
    if (by === 'agent' || by === 'expert' || by === 'note') at = withinOfficeHours(at, random);
    times.push(at);
  }
  return times;
}

/** Monday to Friday, 7 to 18 o'clock; else early on the next working day. */
export function withinOfficeHours(at: number, random: Seeded): number {
  let time = at;
  for (;;) {
    const date = new Date(time);
    const hour = date.getUTCHours();
    const weekend = date.getUTCDay() === 0 || date.getUTCDay() === 6;
    if (!weekend && hour >= 7 && hour < 18) return time;
    const midnight = Math.floor(time / DAY) * DAY;
    const next = !weekend && hour < 7 ? midnight : midnight + DAY;
    time = next + 7 * HOUR + random.between(60, 5_400) * 1000;
  }
}

/** UTC ISO-8601 in whole seconds, as the made-up old desk kept its times. */
export function seconds(at: number): string {
  return new Date(at).toISOString().replace('.000Z', 'Z');
}
