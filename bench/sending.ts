/**
 * What sending costs where the target costs nothing, against a loop that keeps nothing, by the
 * clock and by the time of this process on its processors. The clock is what a user feels; where others share the machine, so that
 * the target waits for its turn, the processors are what can be compared.
 */
import { cpuMs } from './support/cpu-time.ts';
import { median, ratio, sideBySide } from './support/rounds.ts';
import { startTarget } from './support/start-target.ts';
import { fixed, printTable, title, whole } from './support/table.ts';
import { plannedTickets } from './support/tickets.ts';
import { bareLoop, ours } from './support/ways-of-sending.ts';

const TICKETS = 3000;
const IN_FLIGHT = [16, 64];

export async function sending(): Promise<void> {
  title('Sending without latency: three calls a ticket, the target in a process of its own');
  const tickets = plannedTickets(TICKETS);
  const rows: (string | number)[][] = [];
  for (const inFlight of IN_FLIGHT) {
    await using target = await startTarget({ latencyMs: 0 });
    const perTicket: Record<string, number[]> = { bare: [], ours: [], process: [] };
    /** Tickets a second; the time of the processors is noted beside it. */
    const way = (name: string, send: () => Promise<number>) => ({
      name,
      run: async () => {
        const before = cpuMs();
        const rate = await send();
        perTicket[name]?.push((cpuMs() - before) / TICKETS);
        return rate;
      },
    });
    const [bare, ourProgram, lighter] = await sideBySide([
      way('bare', () => bareLoop(target.url, tickets, inFlight)),
      way('ours', () => ours(target.url, tickets, inFlight)),
      way('process', () => ours(target.url, tickets, inFlight, { durable: 'process' })),
    ]);
    // The first round warmed up.
    const [bareMs, ourMs] = ['bare', 'ours'].map((name) => (perTicket[name] ?? []).slice(1));
    rows.push([
      inFlight,
      whole(ourProgram?.median ?? 0),
      whole(bare?.median ?? 0),
      fixed(ratio(ourProgram, bare)),
      fixed(median((bareMs ?? []).map((ms, round) => ms / (ourMs?.[round] ?? Number.NaN)))),
      fixed(ratio(ourProgram, lighter)),
    ]);
  }
  printTable(
    ['in flight', 'tickets/s', 'bare undici loop', 'over bare', 'by processor time', 'over no disk flush'],
    rows,
  );
}
