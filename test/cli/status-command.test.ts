import { mkdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { openCheckpoint } from '../../src/checkpoint/checkpoint.ts';
import type { Flags } from '../../src/cli/context.ts';
import { statusCommand } from '../../src/commands/status/status-command.ts';
import { systemClock } from '../../src/system-clock.ts';
import { temporaryFolder } from '../support/cli.ts';
import { commandLine, startCommandLine } from '../support/command-line.ts';
import { type CheckpointPlan, makeCheckpoint, TARGET } from './checkpoints.ts';
import { inProcess } from './in-process.ts';

async function status(plans: readonly CheckpointPlan[], flags: Flags, more: readonly string[] = []) {
  using folder = temporaryFolder();
  const paths: string[] = [];
  for (const [at, plan] of plans.entries()) {
    paths.push(folder.join(`${at}.sqlite`));
    await makeCheckpoint(folder.join(`${at}.sqlite`), plan);
  }
  return await inProcess(statusCommand, [...paths, ...more], flags, { cwd: folder.path });
}

describe('status', () => {
  it('shows the outcomes, the target, the runs and what to do next', async () => {
    const shown = await status(
      [
        {
          tickets: { a: 'done', b: 'failed', c: 'inDoubt', d: 'rejected' },
          run: { exitCode: 4, summary: { tickets: { read: 4, skipped: 0 } } },
        },
      ],
      {},
    );
    expect(shown.code).toBe(0);
    expect(shown.stdout).toMatch(/target\s+https:\/\/helpdesk\.example\.com\/api\/core\/v1/);
    expect(shown.stdout).toMatch(/no run is going on/);
    expect(shown.stdout).toMatch(/done\s+1\s+25 %/);
    expect(shown.stdout).toMatch(/known\s+4/);
    expect(shown.stdout).toMatch(/run\s+0 ms\s+0\s+4 some in doubt/);
    expect(shown.stdout).toMatch(/helpdesk-import resolve --checkpoint \S+0\.sqlite/);
    expect(shown.stdout).toMatch(/helpdesk-import status --checkpoint \S+0\.sqlite --failed/);
  });

  it('a run that was killed is told as cut off, with what to do', async () => {
    const shown = await status([{ tickets: { a: 'done' }, run: 'cut-off' }], {});
    expect(shown.stdout).toMatch(/the latest one was cut off/);
    expect(shown.stdout).toMatch(/Run the same command again to continue\./);
  });

  it('lists what failed and what is in doubt, in pages', async () => {
    const tickets = Object.fromEntries(Array.from({ length: 7 }, (_, at) => [`f${at}`, 'failed' as const]));
    const plan = { tickets: { ...tickets, x: 'inDoubt' as const } };
    const first = await status([plan], { failed: true, limit: '3' });
    expect(first.stdout).toMatch(/f0\s+failed/);
    expect(first.stdout).not.toMatch(/f3 /);
    expect(first.stdout).toMatch(/3 of 7 are shown\. To see the next ones:[\s\S]*--after\s+f2/);
    const rest = await status([plan], { failed: true, inDoubt: true, after: 'f2', json: true });
    const json = JSON.parse(rest.stdout);
    expect(json.failed.map(({ externalId }: { externalId: string }) => externalId)).toEqual([
      'f3',
      'f4',
      'f5',
      'f6',
    ]);
    expect(json).toMatchObject({
      version: 1,
      failedTotal: 7,
      inDoubtTotal: 1,
      total: { known: 8, failed: 7 },
    });
    expect(json.inDoubt[0]).toMatchObject({ externalId: 'x', subject: 'Subject of x' });
  });

  it('several checkpoints are one whole, and a ticket in two of them is named', async () => {
    const shown = await status(
      [{ tickets: { a: 'done', b: 'done' } }, { tickets: { b: 'done', c: 'failed' } }],
      {},
    );
    expect(shown.stdout).toMatch(/all\s+3\s+0\s+1\s+0\s+0\s+0\s+4/);
    expect(shown.stdout).toMatch(/1 ticket is in more than one of them, e\.g\. b/);
  });

  it('hostile ids and subjects do not steer the terminal', async () => {
    const id = 'a\u001b[2Jb';
    const subject = 'x\u001b]0;evil\u0007\r\ny';
    const intents = { [id]: { subject, createdAt: '2024-01-01T00:00:00Z', at: 0 } };
    const shown = await status([{ tickets: { [id]: 'inDoubt' }, intents }], { inDoubt: true });
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this is about
    expect(shown.stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
    expect(shown.stdout).toContain('a�[2Jb');
  });

  it('--watch without a run says so and shows the status', async () => {
    const shown = await status([{ tickets: { a: 'done' } }], { watch: true });
    expect(shown.code).toBe(0);
    expect(shown.stdout).toMatch(/^No run is going on with this checkpoint\.\n\n\S+0\.sqlite/);
  });

  it('--watch with several checkpoints says so of all of them, and shows the whole', async () => {
    const shown = await status([{ tickets: { a: 'done' } }, { tickets: { b: 'done', c: 'failed' } }], {
      watch: true,
    });
    expect(shown.code).toBe(0);
    expect(shown.stdout).toMatch(/^No run is going on with these checkpoints\.\n\n/);
    expect(shown.stdout).toMatch(/all\s+2\s+0\s+1\s+0\s+0\s+0\s+3/);
  });

  it('--watch --json keeps what it says on the way out of the JSON of all of them', async () => {
    const shown = await status([{ tickets: { a: 'done' } }, { tickets: { b: 'done' } }], {
      watch: true,
      json: true,
    });
    expect(shown.stderr).toMatch(/No run is going on with these checkpoints/);
    expect(JSON.parse(shown.stdout)).toMatchObject({ total: { done: 2, known: 2 }, union: { tickets: 2 } });
  });

  it('--watch follows the runs of several checkpoints until the last one has ended', async () => {
    using folder = temporaryFolder();
    const paths = ['one', 'two', 'three'].map((name) => folder.join(`${name}.sqlite`));
    for (const path of paths) await makeCheckpoint(path, { tickets: { [path]: 'done' } });
    const open = paths
      .slice(1)
      .map((path) => openCheckpoint(path, { target: TARGET, clock: systemClock, programVersion: '0' }));
    const args = ['status', ...paths, '--watch', '--interval', '0.1'];
    const watch = startCommandLine(args, { cwd: folder.path });
    await watch.shown(/3 tickets done/);
    for (const [at, checkpoint] of open.entries()) {
      await checkpoint.rejected(`late-${at}`, { code: 'invalid-email', message: 'The address is none.' });
      await checkpoint.flush();
      await watch.shown(at === 0 ? /1 ticket failed or rejected/ : /2 tickets failed or rejected/);
      await checkpoint.close();
    }
    const { code, stdout } = await watch.result;
    expect(code).toBe(0);
    expect(stdout).toMatch(/3 tickets done .*2 tickets failed or rejected/);
    expect(stdout).toMatch(/\nThe run has ended\.\n\n/);
    expect(stdout).toMatch(/all\s+3\s+2\s+0\s+0\s+0\s+0\s+5/);
  });

  it.each<[string, Flags, readonly string[], RegExp]>([
    ['a list of none', { limit: '0' }, [], /--limit must be a whole number/],
    ['no pause at all', { watch: true, interval: '0' }, [], /--interval must be seconds/],
    ['a checkpoint that is not there', {}, ['/tmp/none.sqlite'], /There is no checkpoint at /],
    [
      'what is no checkpoint among those to be watched',
      { watch: true },
      ['/dev/null'],
      /is a pipe or a device, so it cannot be the checkpoint/,
    ],
  ])('%s is refused with a reason', async (_, flags, more, reason) => {
    const refused = await status([{ tickets: { a: 'done' } }], flags, more);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toMatch(reason);
  });

  it('with --sandbox it is the checkpoint of the sandbox', async () => {
    const refused = await status([], { sandbox: '/nowhere/desk' });
    expect(refused.stderr).toMatch(/\/nowhere\/desk/);
  });

  it('where only imports into the sandbox have one, it says how that is named', async () => {
    using folder = temporaryFolder();
    mkdirSync(folder.join('helpdesk-import.sandbox'));
    await makeCheckpoint(folder.join('helpdesk-import.sandbox/checkpoint.sqlite'), { tickets: {} });
    const refused = await commandLine(['status'], { cwd: folder.path });
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain('add --sandbox');
    const shown = await commandLine(['status', '--sandbox'], { cwd: folder.path });
    expect(shown.code, shown.stderr).not.toBe(2);
  });

  it('without a name it is the usual checkpoint', async () => {
    const refused = await status([], {});
    expect(refused.code).toBe(2);
    expect(refused.stderr).toMatch(/There is no checkpoint at .*helpdesk-import\.checkpoint\.sqlite/);
  });
});
