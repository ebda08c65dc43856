/** `--concurrency auto` against a target that can work on K requests at a time: does it find K, and what does it get? */
import { createAdaptiveLimiter } from '../src/target/pace/concurrency-limit.ts';
import { startTarget } from './support/start-target.ts';
import { fixed, printTable, title, whole } from './support/table.ts';
import { plannedTickets } from './support/tickets.ts';
import { bareLoop, ours } from './support/ways-of-sending.ts';

const LATENCY_MS = 40;
const KNEES = [8, 32, 100];
const SECONDS = 15;

export async function knee(): Promise<void> {
  title(`The concurrency that is found (latency ${LATENCY_MS} ms, K requests are worked on at a time)`);
  const rows: (string | number)[][] = [];
  for (const capacity of KNEES) {
    await using target = await startTarget({ latencyMs: LATENCY_MS, capacity });
    const most = (capacity / LATENCY_MS) * 1000;
    const tickets = plannedTickets(Math.round((most * SECONDS) / 3));
    const bare = (await bareLoop(target.url, tickets.slice(0, Math.round(tickets.length / 3)), capacity)) * 3;
    const adaptive = createAdaptiveLimiter();
    const limits: number[] = [];
    const observer = setInterval(() => limits.push(adaptive.limit), 100);
    const rate =
      (await ours(target.url, tickets, 256, {
        durable: 'machine',
        limiter: { limiter: adaptive, observe: adaptive.observe },
      })) * 3;
    clearInterval(observer);
    const settled = limits.slice(Math.floor(limits.length / 2));
    rows.push([
      capacity,
      whole(Math.min(...settled)),
      whole(Math.max(...settled)),
      whole(rate),
      fixed(rate / most),
      fixed(bare / most),
    ]);
  }
  printTable(
    ['K', 'limit, least', 'limit, most', 'requests/s', 'of K / latency', 'bare loop with C = K'],
    rows,
  );
}
