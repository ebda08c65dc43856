import { mkdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { openCheckpoint } from '../../src/checkpoint/checkpoint.ts';
import type { Flags } from '../../src/cli/context.ts';
import { openFolder } from '../support/desk.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { folderOfTest } from '../support/folder-of-test.ts';
import { intend } from '../support/ledger-steps.ts';
import { type CheckpointPlan, makeCheckpoint, type Outcome, TARGET } from './checkpoints.ts';
import { inProcess } from './in-process.ts';

async function status(plan: CheckpointPlan | undefined, flags: Flags, more: readonly string[] = []) {
  const path = folderOfTest().join('0.sqlite');
  if (plan !== undefined) await makeCheckpoint(path, plan);
  return await inProcess('status', plan === undefined ? more : [path], flags, { cwd: '/' });
}

describe('status', () => {
  it('shows the outcomes, the helpdesk, the runs and what to do next', async () => {
    const shown = await status(
      {
        tickets: { a: 'done', b: 'failed', c: 'inDoubt', d: 'rejected' },
        run: { exitCode: 4, summary: { tickets: { read: 4, skipped: 0 } } },
      },
      {},
    );
    expect(shown.code).toBe(0);
    expect(shown.stdout).toMatch(/helpdesk\s+https:\/\/helpdesk\.example\.com\/api\/core\/v1/);
    expect(shown.stdout).toMatch(/no run in progress/);
    expect(shown.stdout).toMatch(/done\s+1\s+25%/);
    expect(shown.stdout).toMatch(/all\s+4/);
    expect(shown.stdout).toMatch(/run\s+0 ms\s+some in doubt \(exit code 4\)/);
    expect(shown.stdout).toMatch(/helpdesk-import resolve --checkpoint \S+0\.sqlite/);
    expect(shown.stdout).toMatch(/helpdesk-import status --checkpoint \S+0\.sqlite --failed/);
  });

  it('a killed run is shown as cut off, with what to do', async () => {
    const shown = await status({ tickets: { a: 'done' }, run: 'cut-off' }, {});
    expect(shown.stdout).toMatch(/the latest one was cut off/);
    expect(shown.stdout).toMatch(/Run the same command again to continue\./);
  });

  it('lists failed tickets and doubts, and how to see more', async () => {
    const tickets = Object.fromEntries(
      Array.from({ length: 70 }, (_, at) => [`f${at + 10}`, 'failed' as const]),
    );
    const plan = { tickets: { ...tickets, x: 'inDoubt' as const } };
    const first = await status(plan, { failed: true });
    expect(first.stdout).toMatch(/f10\s+failed/);
    expect(first.stdout).not.toMatch(/f60 /);
    expect(first.stdout).toMatch(/50 of 70 are shown\. To see all:[\s\S]*--json/);
    const rest = await status(plan, { failed: true, inDoubt: true, json: true });
    const json = JSON.parse(rest.stdout);
    expect(json.failed.map(({ externalId }: { externalId: string }) => externalId)).toEqual(
      Object.keys(tickets),
    );
    expect(json).toMatchObject({
      version: 2,
      failedTotal: 70,
      inDoubtTotal: 1,
      tickets: { known: 71, failed: 70 },
    });
    expect(json.inDoubt[0]).toMatchObject({ externalId: 'x', tag: 'src-x' });
  });

  it('every ticket has exactly one outcome, and reasons are counted', async () => {
    const tickets: Record<string, Outcome> = {
      ...{ a: 'done', b: 'created', c: 'failed', d: 'failedLater', e: 'inDoubt', f: 'creating' },
      ...{ g: 'rejected', h: 'skipped', i: 'pending' },
    };
    const plan = { tickets, run: { exitCode: 4 } };
    const { stdout } = await status(plan, { json: true, failed: true, inDoubt: true });
    const { tickets: counted, failed, reasons, inDoubt } = JSON.parse(stdout);
    expect(counted).toMatchObject({
      ...{ known: 9, done: 1, rejected: 1, failed: 2, inDoubt: 2, skipped: 1, pending: 2 },
    });
    expect(failed.slice(0, 3)).toMatchObject([
      { externalId: 'c', outcome: 'failed' },
      { externalId: 'd', outcome: 'failed', ticketId: 'T-d' },
      {
        externalId: 'g',
        outcome: 'rejected',
        code: 'invalid-email',
        reason: 'The address is not an address.',
      },
    ]);
    expect(reasons.map(({ code, count }: { code: string; count: number }) => [code, count])).toEqual([
      ['refused', 1],
      ['refused', 1],
      ['invalid-email', 1],
    ]);
    expect(inDoubt[0]).toEqual({
      ...{
        externalId: 'e',
        tag: 'src-e',
        sentAt: '2025-06-02T08:00:00.000Z',
        reason: 'No answer within 30 s.',
      },
    });
    expect(inDoubt[1].reason).toMatch(/An earlier run ended/);
  });

  it('counts undone tickets, a stopped undo first', async () => {
    const path = folderOfTest().join('undone.sqlite');
    await makeCheckpoint(path, { tickets: { a: 'done', b: 'done', c: 'done' }, run: { exitCode: 0 } });
    const checkpoint = openCheckpoint(path, {
      target: TARGET,
      clock: createFakeClock('2025-06-03T08:00:00.000Z'),
      programVersion: '0.1.0',
    });
    const run = 'run-20250602-080000';
    await checkpoint.undos.set('T-a', { ticketId: 'T-a', externalId: 'a', run });
    await checkpoint.put({ externalId: 'a', state: 'pending' });
    const shown = { status: 'open', tags: [run] };
    await checkpoint.undos.set('T-b', { ticketId: 'T-b', externalId: 'b', run, begun: shown });
    await checkpoint.close();
    const { stdout } = await inProcess('status', [path], {}, { cwd: '/' });
    expect(stdout).toMatch(
      new RegExp(`Next\\n.*\\n +helpdesk-import undo --checkpoint \\S+ --run ${run}\\n$`),
    );
    expect(stdout).toContain('1 ticket closed and emptied in the helpdesk (1 begun)');
  });

  it('while a process writes, a create under way is not in doubt', async () => {
    const path = folderOfTest().join('c.sqlite');
    const clock = createFakeClock('2025-06-02T08:00:00.000Z');
    const checkpoint = openCheckpoint(path, { target: TARGET, clock, programVersion: '0.1.0' });
    await checkpoint.startRun('run');
    await intend(checkpoint, 'a');
    const { stdout } = await inProcess('status', [path], { json: true, inDoubt: true }, { cwd: '/' });
    expect(JSON.parse(stdout)).toMatchObject({
      tickets: { known: 1, pending: 1, inDoubt: 0 },
      writer: { pid: process.pid, since: '2025-06-02T08:00:00.000Z' },
      runs: [{ isGoingOn: true }],
      inDoubt: [],
    });
    await checkpoint.close();
  });

  it('hostile ids do not steer the terminal', async () => {
    const id = 'a\u001b[2Jb';
    const shown = await status({ tickets: { [id]: 'inDoubt' } }, { inDoubt: true });
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this is about
    expect(shown.stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
    expect(shown.stdout).toContain('a�[2Jb');
  });

  it.each<[string, string, RegExp]>([
    ['a checkpoint that is not there', '/tmp/none.sqlite', /There is no checkpoint at /],
    ['a device', '/dev/null', /cannot be opened: it is not a file/],
  ])('%s is refused with a reason', async (_, path, reason) => {
    const refused = await status(undefined, {}, [path]);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toMatch(reason);
  });

  it('where only imports into the sandbox have one, it says how that is named', async () => {
    const { folder, type } = openFolder();
    mkdirSync(folder.join('helpdesk-import.sandbox'));
    await makeCheckpoint(folder.join('helpdesk-import.sandbox/checkpoint.sqlite'), { tickets: {} });
    const refused = await type('status');
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain('add --sandbox');
    const shown = await type('status', '--sandbox');
    expect(shown.code, shown.stderr).not.toBe(2);
  });
});
