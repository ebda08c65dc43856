/** Seven kills, each at a request that was chosen beforehand, while the service was at work on it. */
import { describe, expect, it } from 'vitest';
import { readCheckpoint } from '../../src/checkpoint/read-checkpoint.ts';
import { startCli, temporaryFolder } from '../support/cli.ts';
import { generateExport } from '../support/generate-export.ts';
import { account } from './fault-run.ts';
import { count, reportedByProcess, type Service, withServiceOfProcesses } from './service-run.ts';

const SHAPE = { tickets: 160, contacts: 40, messages: 2, events: true, seed: 12 };
const CONCURRENCY = 8;

/** Of this kind of request the n-th of each process: its effect is there, and its answer never arrives. */
const MOMENTS: readonly (readonly [kind: 'create' | 'messages' | 'events', n: number])[] = [
  ['create', 1],
  ['messages', 10],
  ['create', 25],
  ['events', 15],
  ['create', 30],
  ['messages', 20],
  ['events', 1],
];

/** Calls `then` in the very turn in which the service has carried out its n-th request from now on, before it answers. */
function atRequest(service: Service, kind: string, n: number, then: () => void): void {
  const { log } = service;
  let left = n;
  log.onRequest = (request) => {
    if (request.kind !== kind || request.effect === 'none') return;
    left -= 1;
    if (left === 0) then();
  };
}

describe('an import that is killed seven times', () => {
  it('leaves no more in doubt than was in flight, each time, and ends with every ticket once', async () => {
    using folder = temporaryFolder();
    await generateExport({ ...SHAPE, dir: folder.join('export'), format: 'jsonl' });
    await withServiceOfProcesses({}, async (service) => {
      const args = ['run', 'export', '--set', `run.batchSize=${CONCURRENCY}`, '--set', 'run.rate=100000/1'];
      const options = { cwd: folder.path, env: service.env };
      let before = new Set<string>();
      for (const [kind, n] of MOMENTS) {
        const run = startCli([...args], options);
        atRequest(service, kind, n, () => run.kill('SIGKILL'));
        const { code, stderr } = await run.result;
        expect(code, `${kind} ${n}: ${stderr}`).toBe('SIGKILL');

        const checkpoint = readCheckpoint(folder.join('helpdesk-import.checkpoint.sqlite'));
        const { created, done } = checkpoint.counts();
        const doubts = new Set(
          [...checkpoint.inStates(['creating', 'inDoubt'])].map(({ externalId }) => externalId),
        );
        checkpoint.close();
        const there = count(service, 'SELECT count(*) FROM tickets');
        // Those of the kill before may still be in doubt: a ticket that is not found is looked for again after a while.
        const added = [...doubts].filter((id) => !before.has(id));
        expect(added.length, `${kind} ${n}`).toBeLessThanOrEqual(CONCURRENCY);
        // The create at which it died was not reported.
        if (kind === 'create') expect(doubts.size, `${kind} ${n}`).toBeGreaterThan(0);
        before = doubts;
        // Every ticket in the service is known by its id, or is one of those in doubt.
        const known = created + done;
        expect(there, `${kind} ${n}`).toBeGreaterThanOrEqual(known);
        expect(there, `${kind} ${n}`).toBeLessThanOrEqual(known + doubts.size);
      }
      const last = await reportedByProcess(args, folder.path, service.env);
      expect(last).toMatchObject({
        exitCode: 0,
        tickets: { read: 160, done: 160, failed: 0, inDoubt: 0, pending: 0 },
        messages: { read: 320, sent: 320 },
      });
      const end = account(service, SHAPE, last, {
        processes: MOMENTS.length + 1,
        leftToPerson: 0,
      });
      expect(end).toMatchObject({ created: 160, duplicates: 0, wrongThreads: [] });
      expect(end.contacts).toBe(end.contactsInExport);
    });
  }, 180_000);
});
