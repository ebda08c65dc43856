/** What sending costs where the target costs nothing: against a loop that keeps nothing, and against a script with fetch. */
import { ratio, sideBySide } from './support/rounds.ts';
import { startTarget } from './support/start-target.ts';
import { fixed, printTable, title, whole } from './support/table.ts';
import { plannedTickets } from './support/tickets.ts';
import { bareLoop, naiveFetch, ours } from './support/ways-of-sending.ts';

const TICKETS = 8000;
const IN_FLIGHT = [16, 64];

export async function sending(): Promise<void> {
  title('Sending without latency: three calls a ticket, the target in a process of its own');
  const tickets = plannedTickets(TICKETS);
  const rows: (string | number)[][] = [];
  for (const inFlight of IN_FLIGHT) {
    await using target = await startTarget({ latencyMs: 0 });
    const [bare, fetched, ourProgram, lighter] = await sideBySide([
      { name: 'bare', run: () => bareLoop(target.url, tickets, inFlight) },
      { name: 'fetch', run: () => naiveFetch(target.url, tickets, inFlight) },
      { name: 'ours', run: () => ours(target.url, tickets, inFlight) },
      { name: 'process', run: () => ours(target.url, tickets, inFlight, { durable: 'process' }) },
    ]);
    rows.push([
      inFlight,
      whole(ourProgram?.median ?? 0),
      whole(bare?.median ?? 0),
      whole(fetched?.median ?? 0),
      fixed(ratio(ourProgram, bare)),
      fixed(ratio(ourProgram, fetched)),
      fixed(ratio(ourProgram, lighter)),
    ]);
  }
  printTable(
    [
      'in flight',
      'tickets/s',
      'bare undici loop',
      'fetch script',
      'over bare',
      'over fetch',
      'over no disk flush',
    ],
    rows,
  );
}
