/** How much of what a latency allows is used: requests a second over C / latency, checkpoint on, and what durability costs. */
import { ratio, sideBySide } from './support/rounds.ts';
import { startTarget } from './support/start-target.ts';
import { fixed, printTable, title, whole } from './support/table.ts';
import { plannedTickets } from './support/tickets.ts';
import { bareLoop, ours } from './support/ways-of-sending.ts';

const LATENCIES = [25, 50, 200];
const IN_FLIGHT = [16, 64, 256];
const CALLS = 3;
/** About so long a round. */
const SECONDS = 4;
const ROUNDS = 5;

/** What an answer really takes, milliseconds: timers of the target end up to a millisecond late, and there is a way to it. */
async function measured(url: string): Promise<number> {
  const tickets = plannedTickets(30);
  return 1000 / ((await bareLoop(url, tickets, 1)) * CALLS);
}

export async function latency(): Promise<void> {
  title('Requests a second over C / latency: C in flight, checkpoint on');
  const rows: (string | number)[][] = [];
  for (const latencyMs of LATENCIES) {
    await using target = await startTarget({ latencyMs });
    const realMs = await measured(target.url);
    for (const inFlight of IN_FLIGHT) {
      const most = (inFlight / latencyMs) * 1000;
      // Whole waves, so that the last one does not end with idle connections.
      const waves = Math.max(12, Math.round((SECONDS * 1000) / latencyMs / CALLS));
      const tickets = plannedTickets(Math.min(inFlight * waves, 12_000));
      const [own, bare, light] = await sideBySide(
        [
          { name: 'ours', run: () => ours(target.url, tickets, inFlight) },
          { name: 'bare', run: () => bareLoop(target.url, tickets, inFlight) },
          { name: 'no flush', run: () => ours(target.url, tickets, inFlight, { durable: 'process' }) },
        ],
        ROUNDS,
        false,
      );
      const perCall = (figure = Number.NaN) => figure * CALLS;
      rows.push([
        `${latencyMs} (${fixed(realMs, 1)}) ms`,
        inFlight,
        whole(most),
        whole(perCall(own?.median)),
        fixed(perCall(own?.median) / most),
        fixed(perCall(own?.median) / ((inFlight / realMs) * 1000)),
        fixed(perCall(bare?.median) / most),
        fixed(ratio(own, bare)),
        `${fixed((1 - ratio(own, light)) * 100, 1)} %`,
      ]);
    }
  }
  printTable(
    [
      'latency (measured)',
      'C',
      'C / latency',
      'requests/s',
      'of C / latency',
      'of C / measured',
      'bare loop',
      'over bare',
      'cost of durability',
    ],
    rows,
  );
}
