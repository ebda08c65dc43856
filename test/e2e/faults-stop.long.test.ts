/** What ends a run early, and what only holds it up: a target that goes away, one that comes back, and the error budget. */
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { systemClock } from '../../src/system-clock.ts';
import { startCli, temporaryFolder } from '../support/cli.ts';
import { generateExport } from '../support/generate-export.ts';
import { count, type RunSummary, reportedByProcess } from './service-run.ts';

const TICKETS = 150;
const run = ['run', 'export', '--rate', '150/1', '--timeout', '0.5', '--no-progress'];

/** A service that goes away when some tickets are in it, and comes back after `awayMs`, or never. */
async function outage(awayMs: number | undefined) {
  using folder = temporaryFolder();
  await generateExport({
    dir: folder.join('export'),
    tickets: TICKETS,
    messages: 1,
    seed: 6,
    format: 'jsonl',
  });
  const options = { clock: systemClock, dir: folder.join('service') };
  let desk = await startSandbox(options);
  const { port } = desk;
  const env = { HELPDESK_BASE_URL: desk.url, HELPDESK_TOKEN: desk.token };
  try {
    const importing = startCli([...run, '--json'], { cwd: folder.path, env });
    while (count(desk, 'SELECT count(*) FROM tickets') < 30) await pause(5);
    await desk.close();
    await importing.shown(/cannot reach http/);
    if (awayMs !== undefined) {
      await pause(awayMs);
      desk = await startSandbox({ ...options, port });
    }
    const first = await importing.result;
    if (awayMs === undefined) desk = await startSandbox({ ...options, port });
    const last = await reportedByProcess(run, folder.path, env);
    const created = count(desk, 'SELECT count(*) FROM tickets');
    return { first, last, created, duplicates: desk.store.log.duplicates() };
  } finally {
    await desk.close();
  }
}

describe('a target that is down', () => {
  it('is waited for and gone on with when it is back, and the screen says so', async () => {
    const { first, created, duplicates } = await outage(800);
    const summary = JSON.parse(first.stdout) as RunSummary;
    expect(first.code, first.stderr).toBe(0);
    expect(summary.tickets).toMatchObject({ read: TICKETS, done: TICKETS });
    expect(created).toBe(TICKETS);
    expect(duplicates).toEqual([]);
  }, 60_000);

  it('for longer than twenty time-outs ends the run with 6, and the same command goes on later', async () => {
    const { first, last, created, duplicates } = await outage(undefined);
    expect(first.code, first.stderr).toBe(6);
    expect(first.stderr).toMatch(/could not be reached for .*run the same command again/s);
    const {
      done = 0,
      pending = 0,
      inDoubt = 0,
      failed = 0,
    } = (JSON.parse(first.stdout) as RunSummary).tickets;
    expect(done + pending + inDoubt + failed).toBe(TICKETS);
    expect(last).toMatchObject({ exitCode: 0, tickets: { done: TICKETS } });
    expect(created).toBe(TICKETS);
    expect(duplicates).toEqual([]);
  }, 60_000);
});
