/** How much of the request budget is used, and whether it is ever exceeded: an hour of a made-up clock, and a real minute. */
import type { Rate } from '../src/domain/limits.ts';
import { Pacer } from '../src/helpdesk/pacer.ts';
import { createFakeClock } from '../test/support/fake-clock.ts';
import { seeded } from '../test/support/seeded.ts';
import { startTarget } from './support/start-target.ts';
import { fixed, printTable, title, whole } from './support/table.ts';
import { plannedTickets } from './support/tickets.ts';
import { ours } from './support/ways-of-sending.ts';

const CASES: readonly (readonly Rate[])[] = [
  [
    { requests: 1000, seconds: 60 },
    { requests: 5000, seconds: 300 },
  ],
  [{ requests: 250, seconds: 5 }],
];
const HOUR = 3600;
const REAL_SECONDS = 65;
const IN_FLIGHT = 32;

export async function budget(): Promise<void> {
  title(
    'The request budget: an hour of a made-up clock, requests take 50 to 150 ms and reach the service 0 to 40 ms late',
  );
  const rows: (string | number)[][] = [];
  for (const budgets of CASES) {
    const arrivals = await simulatedHour(budgets);
    const allowed = Math.min(...budgets.map(({ requests, seconds }) => (requests / seconds) * HOUR));
    rows.push([
      nameOf(budgets),
      whole(arrivals.length),
      `${fixed((arrivals.length / allowed) * 100)} %`,
      ...worstOf(arrivals, budgets),
    ]);
  }
  printTable(['budget', 'requests', 'used', 'most in a window', 'allowed'], rows);

  title(`The request budget: ${REAL_SECONDS} real seconds against a service that counts`);
  const real: (string | number)[][] = [];
  for (const budgets of CASES) {
    await using target = await startTarget({ latencyMs: 50, windows: budgets });
    const perSecond = Math.min(...budgets.map(({ requests, seconds }) => requests / seconds));
    const tickets = plannedTickets(Math.round((perSecond * REAL_SECONDS) / 3));
    await ours(target.url, tickets, IN_FLIGHT, { durable: 'machine', budgets });
    const { requests, refused, worst, spanMs } = await target.report();
    real.push([
      nameOf(budgets),
      whole(requests),
      `${fixed(((requests - 1) / (spanMs / 1000) / perSecond) * 100)} %`,
      budgets.map(({ seconds }) => worst[String(seconds)] ?? '–').join(' and '),
      budgets.map(({ requests: most }) => most).join(' and '),
      refused,
    ]);
  }
  printTable(['budget', 'requests', 'used', 'most in a window', 'allowed', '429'], real);
}

/** Arrival times of an hour, milliseconds. */
async function simulatedHour(budgets: readonly Rate[]): Promise<number[]> {
  const clock = createFakeClock();
  const pacer = new Pacer({ budgets, clock, random: () => 1, probe: () => Promise.resolve() });
  const random = seeded(7, 1);
  const arrivals: number[] = [];
  const { signal } = new AbortController();
  const worker = async () => {
    for (;;) {
      await pacer.turn(signal);
      const sent = clock.monotonic();
      if (sent >= HOUR * 1000) return;
      arrivals.push(sent + random.between(0, 40));
      await clock.sleep(random.between(50, 150));
    }
  };
  await clock.settle(Promise.all(Array.from({ length: IN_FLIGHT }, worker)));
  return arrivals.sort((a, b) => a - b);
}

function worstOf(arrivals: readonly number[], budgets: readonly Rate[]): [string, string] {
  const worst = budgets.map(({ seconds }) => {
    let most = 0;
    let oldest = 0;
    for (const [index, at] of arrivals.entries()) {
      while ((arrivals[oldest] ?? 0) < at - seconds * 1000) oldest++;
      most = Math.max(most, index - oldest + 1);
    }
    return most;
  });
  return [worst.join(' and '), budgets.map(({ requests }) => requests).join(' and ')];
}

function nameOf(budgets: readonly Rate[]): string {
  return budgets.map(({ requests, seconds }) => `${requests}/${seconds}`).join(' and ');
}
