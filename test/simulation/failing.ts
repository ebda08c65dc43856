/** Looks for a schedule that breaks a promise. One alone: `SEED=17 npx vitest run test/simulation/simulation.test.ts`. */
import { brokenIn } from './promises.ts';
import { described, type Schedule, scheduleOf, shrunk } from './schedule.ts';
import { simulated } from './simulate.ts';

/** The first one of these seeds that fails, made small, with what happened in it; empty where none does. */
export async function failingIn(first: number, count: number): Promise<string> {
  const { SEED } = process.env;
  const seeds = SEED === undefined ? Array.from({ length: count }, (_, at) => first + at) : [Number(SEED)];
  for (const seed of seeds) {
    const schedule = scheduleOf(seed);
    const broken = await brokenOf(schedule);
    if (broken.length === 0) continue;
    const kind = kindOf(broken[0] ?? '');
    const least = await shrunk(schedule, async (smaller) =>
      (await brokenOf(smaller)).some((each) => kindOf(each) === kind),
    );
    const { log } = await simulated(least);
    return [...(await brokenOf(least)), described(least), ...log].join('\n');
  }
  return '';
}

async function brokenOf(schedule: Schedule): Promise<readonly string[]> {
  return brokenIn(await simulated(schedule));
}

function kindOf(broken: string): string {
  return broken.split(':', 1)[0] ?? '';
}
