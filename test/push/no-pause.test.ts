/**
 * The window between two processes: the next one begins in the moment in which the one before has died, while the target still
 * works on what that one sent, for as long as a request may take.
 */
import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Checkpoint, openCheckpoint } from '../../src/checkpoint/checkpoint.ts';
import type { TicketApi } from '../../src/domain/ticket-api.ts';
import { createFakeClock, type FakeClock } from '../support/fake-clock.ts';
import { mortal } from './crash.ts';
import { FakeTarget } from './fake-target.ts';
import { DEFAULTS, driven, start, type TestTicket } from './import-run.ts';

function checkpointAt(path: string, clock: FakeClock): Checkpoint {
  const target = 'https://helpdesk.example.com';
  const checkpoint = openCheckpoint(path, { target, programVersion: 'test', survives: 'process', clock });
  onTestFinished(() => checkpoint.close());
  return checkpoint;
}

/** The target takes a while over each create, and finishes it even if the client is gone. */
function slowWithCreates(target: FakeTarget, clock: FakeClock, takesMs: () => number): TicketApi {
  return new Proxy<TicketApi>(target, {
    get(api, name) {
      const call: unknown = Reflect.get(api, name, api);
      if (typeof call !== 'function') return call;
      if (name !== 'createTicket')
        return (...args: unknown[]) => (call as () => unknown).apply(api, args as []);
      return async (...[ticket, , wire]: Parameters<TicketApi['createTicket']>) => {
        await wire?.beforeSending?.();
        await clock.sleep(takesMs());
        return await target.createTicket(ticket, new AbortController().signal);
      };
    },
  });
}

const ALL = 7;
const tickets = Array.from(
  { length: ALL },
  (_, at): TestTicket => ({
    id: `t${at}`,
    email: `p${at % 3}@example.com`,
    messages: ['agent'],
  }),
);

describe('a process that is killed, and the next one at once', () => {
  it('however long the target takes for the creates of the dead one, up to the time-out: no ticket is there twice', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 1, max: 45 }), { minLength: 1, maxLength: 4 }),
        fc.integer({ min: 1, max: 5 }),
        fc.array(fc.integer({ min: 0, max: DEFAULTS.timeoutMs - 1 }), { minLength: 1, maxLength: 8 }),
        async (kills, concurrency, durations) => {
          const folder = mkdtempSync(join(tmpdir(), 'no-pause-'));
          const clock = createFakeClock();
          const target = new FakeTarget();
          let creates = 0;
          const takesMs = () => durations[creates++ % durations.length] ?? 0;
          let path = join(folder, 'c0.sqlite');
          const open: Checkpoint[] = [];
          for (const [at, dieAt] of [...kills, 0].entries()) {
            const checkpoint = checkpointAt(path, clock);
            open.push(checkpoint);
            const left = join(folder, `c${at + 1}.sqlite`);
            const here = path;
            const process = mortal(checkpoint, slowWithCreates(target, clock, takesMs), dieAt, () => {
              for (const suffix of ['', '-wal'])
                if (existsSync(here + suffix)) copyFileSync(here + suffix, left + suffix);
            });
            const { run } = start({
              tickets,
              api: process.api,
              ledger: process.ledger,
              clock,
              options: { concurrency },
            });
            await driven(clock, Promise.race([process.death, run]));
            // One that came to its end before it could die has closed its own.
            if (existsSync(left)) path = left;
            else await checkpoint.close();
          }
          await clock.advance(DEFAULTS.timeoutMs);
          await target.quiet();
          const counts = target.created();
          for (const [subject, count] of Object.entries(counts)) expect(count, subject).toBe(1);
          const last = checkpointAt(path, clock);
          open.push(last);
          for (const { id } of tickets) {
            const state = last.get(id)?.state;
            expect(['done', 'inDoubt'], id).toContain(state);
            if (state === 'done') expect(counts[`Subject of ${id}`], id).toBe(1);
          }
          for (const checkpoint of open) await checkpoint.close();
          rmSync(folder, { recursive: true, force: true });
        },
      ),
      { numRuns: 15 },
    );
  });
});
