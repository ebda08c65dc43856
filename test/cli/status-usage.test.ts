/** `status` where usage events were sent: beside tickets, alone, and where the file cannot be read. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { openUsageCheckpoint, type UsageState } from '../../src/billing/usage-checkpoint.ts';
import { digestOf } from '../../src/billing/usage-event.ts';
import { temporaryFolder } from '../support/cli.ts';
import { commandLine } from '../support/command-line.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { makeCheckpoint } from './checkpoints.ts';

const OWN = 'helpdesk-import.usage.sqlite';

function sendEvents(path: string, states: readonly UsageState[], exitCode?: number): void {
  const target = 'https://app.example.com/v1';
  const checkpoint = openUsageCheckpoint(path, { target, clock: createFakeClock(), programVersion: '1' });
  checkpoint.startRun('run');
  checkpoint.record(states.map((state, at) => ({ digest: digestOf(`e${at}`), state })));
  if (exitCode !== undefined) checkpoint.endRun({ exitCode });
  checkpoint.close();
}

const status = (cwd: string, ...args: string[]) => commandLine(['status', ...args], { cwd });

describe('status of usage events', () => {
  it('stands below that of the tickets', async () => {
    using folder = temporaryFolder();
    await makeCheckpoint(folder.join('helpdesk-import.checkpoint.sqlite'), { tickets: { a: 'done' } });
    sendEvents(folder.join(OWN), ['done', 'done', 'failed', 'inDoubt'], 4);
    const { code, stdout } = await status(folder.path);
    expect(code).toBe(0);
    const [tickets = '', events = ''] = stdout.split(`${OWN}: usage events`);
    expect(tickets).toMatch(/done\s+1\s+100 %/);
    for (const line of [
      /target\s+https:\/\/app\.example\.com\/v1/,
      /done\s+2\s+50 %/,
      /failed\s+1\s+25 %/,
      /in doubt\s+1\s+25 %/,
      /known\s+4/,
      /4 some in doubt/,
      /2 usage events are not known to be in the target: run the same usage-events command again/,
    ])
      expect(events).toMatch(line);
  });

  it('is shown alone where there are no tickets, and where it is named', async () => {
    using folder = temporaryFolder();
    sendEvents(folder.join(OWN), ['done'], 0);
    for (const args of [[], [OWN]]) {
      const { code, stdout } = await status(folder.path, ...args);
      expect(code).toBe(0);
      expect(stdout).toMatch(/usage events\n/);
      expect(stdout).toMatch(/0 all done/);
      expect(stdout).not.toMatch(/ticket|again/);
    }
  });

  it('tells a run that was cut off', async () => {
    using folder = temporaryFolder();
    sendEvents(folder.join(OWN), ['done']);
    const { stdout } = await status(folder.path);
    expect(stdout).toMatch(/the latest one was cut off/);
    expect(stdout).toMatch(/Run the same usage-events command again/);
  });

  it('is in the JSON beside the tickets', async () => {
    using folder = temporaryFolder();
    await makeCheckpoint(folder.join('helpdesk-import.checkpoint.sqlite'), { tickets: { a: 'done' } });
    sendEvents(folder.join(OWN), ['done', 'inDoubt'], 4);
    const reported = JSON.parse((await status(folder.path, '--json')).stdout);
    expect(reported.total).toMatchObject({ known: 1, done: 1 });
    expect(reported.usageEvents).toMatchObject([
      { checkpoint: OWN, events: { known: 2, done: 1, failed: 0, inDoubt: 1 }, runs: [{ exitCode: 4 }] },
    ]);
    const without = JSON.parse(
      (await status(folder.path, 'helpdesk-import.checkpoint.sqlite', '--json')).stdout,
    );
    expect(without).not.toHaveProperty('usageEvents');
  });

  it('is found where only the settings file says', async () => {
    using folder = temporaryFolder();
    await makeCheckpoint(folder.join('helpdesk-import.checkpoint.sqlite'), { tickets: { a: 'done' } });
    mkdirSync(folder.join('state'));
    sendEvents(folder.join('state/events.sqlite'), ['done'], 0);
    writeFileSync(folder.join('helpdesk-import.yaml'), 'appApi: { checkpoint: state/events.sqlite }\n');
    const { code, stdout } = await status(folder.path);
    expect(code).toBe(0);
    expect(stdout).toMatch(/state\/events\.sqlite: usage events/);
    expect(stdout).toMatch(/helpdesk-import\.checkpoint\.sqlite/);
    // Under its usual name in the settings, too, it is one.
    writeFileSync(folder.join('helpdesk-import.yaml'), `appApi: { checkpoint: ./${OWN} }\n`);
    sendEvents(folder.join(OWN), ['done'], 0);
    expect((await status(folder.path)).stdout.match(/: usage events/g)).toHaveLength(1);
  });

  it('where it cannot be read a warning says so, and the tickets are shown', async () => {
    using folder = temporaryFolder();
    await makeCheckpoint(folder.join('helpdesk-import.checkpoint.sqlite'), { tickets: { a: 'done' } });
    writeFileSync(folder.join(OWN), 'no database at all '.repeat(100));
    const { code, stdout, stderr } = await status(folder.path);
    expect(code).toBe(0);
    expect(stdout).toMatch(/done\s+1/);
    expect(stderr).toMatch(/^Warning: .*usage\.sqlite/);
  });

  it('doctor says whether it is sound, and that it stops no import of tickets', async () => {
    using folder = temporaryFolder();
    const usage = async () => {
      const { stdout } = await commandLine(['doctor', '--sandbox', '--json'], { cwd: folder.path });
      const { checks, exitCode } = JSON.parse(stdout) as {
        checks: { name: string; status: string; message: string }[];
        exitCode: number;
      };
      expect(exitCode).toBe(0);
      return checks
        .filter(({ name }) => name === 'usage')
        .map(({ status: found, message }) => `${found}: ${message}`);
    };
    expect(await usage()).toEqual([]);
    mkdirSync(folder.join('helpdesk-import.sandbox'));
    const path = folder.join('helpdesk-import.sandbox/usage.sqlite');
    sendEvents(path, ['done', 'done'], 0);
    expect(await usage()).toEqual([
      expect.stringMatching(/^ok: .*usage\.sqlite is sound: .*, 2 usage events\.$/),
    ]);
    rmSync(path);
    sendEvents(path, ['done', 'failed', 'inDoubt'], 4);
    expect(await usage()).toEqual([
      expect.stringMatching(/^warning: .*3 usage events, 1 of them failed, 1 in doubt\.$/),
    ]);
    writeFileSync(path, 'no database at all '.repeat(100));
    expect(await usage()).toEqual([expect.stringMatching(/^warning: .*usage\.sqlite is not a checkpoint/)]);
  });

  it('report refuses it, and says where to look', async () => {
    using folder = temporaryFolder();
    sendEvents(folder.join(OWN), ['done'], 0);
    const { code, stderr } = await commandLine(['report', '--checkpoint', OWN], { cwd: folder.path });
    expect(code).toBe(2);
    expect(stderr).toMatch(/is a checkpoint of usage events; the report is about tickets\./);
    expect(stderr).toMatch(new RegExp(`helpdesk-import status --checkpoint ${OWN}`));
  });

  it('there is still an error where there is nothing', async () => {
    using folder = temporaryFolder();
    const { code, stderr } = await status(folder.path);
    expect(code).toBe(2);
    expect(stderr).toMatch(/There is no checkpoint at \S*helpdesk-import\.checkpoint\.sqlite/);
  });
});
