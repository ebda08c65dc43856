import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import type { StopSignal } from '../../src/cli/context.ts';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { SANDBOX_PORT } from '../../src/settings/table/sections.ts';
import { startCli } from '../support/cli.ts';
import { startCommandLine } from '../support/command-line.ts';
import { answeredTickets, openFolder } from '../support/desk.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { folderOfTest } from '../support/folder-of-test.ts';
import { signedIn } from '../support/signed-in.ts';

interface Addresses {
  url: string;
  api: string;
  token: string;
  dir: string | null;
}

/** Starts it, and gives what it says once it listens. */
async function listening(args: readonly string[], cwd: string) {
  const running = startCommandLine(['sandbox', '--json', ...args], { cwd });
  let text = '';
  await running.shown(/\{"url".*\n/);
  const end = async (signal: StopSignal = 'SIGINT') => {
    running.kill(signal);
    const result = await running.result;
    text = result.stdout;
    return result;
  };
  return { running, end, addresses: (): Addresses => JSON.parse(text) };
}

describe('sandbox', () => {
  it('prints its address and how to import into it, and Ctrl-C is its normal end', async () => {
    const { folder, write, typeWith } = openFolder();
    write('export.jsonl', answeredTickets(3));
    const running = startCli(['sandbox', '--port', '0', 'desk'], { cwd: folder.path });
    const [, page = ''] = await running.shown(/Open +(\S+)[\s\S]*Press Ctrl-C to stop/);
    // What a person would copy.
    const env = running.exported();
    const target = env['HELPDESK_BASE_URL'] ?? '';
    const run = await typeWith({ env }, 'run', 'export.jsonl', '--json');
    expect(run.code, run.stderr).toBe(0);
    expect(JSON.parse(run.stdout)).toMatchObject({ tickets: { done: 3 }, target });
    expect([(await signedIn(page)).page.status, (await fetch(target)).status]).toEqual([200, 401]);
    running.kill('SIGINT');
    const ended = await running.result;
    expect(ended.code, ended.stderr).toBe(0);
    expect(ended.stdout).toMatch(/The sandbox has ended\./);
    expect(existsSync(folder.join('desk', 'service.sqlite'))).toBe(true);
  });

  it('SIGTERM ends it with 0 too, and it starts again with its data and token', async () => {
    const folder = folderOfTest();
    const first = await listening(['--port', '0'], folder.path);
    expect((await first.end('SIGTERM')).code).toBe(0);
    const second = await listening(['--port', '0'], folder.path);
    expect((await second.end()).code).toBe(0);
    expect(second.addresses().token).toBe(first.addresses().token);
    expect(first.addresses()).toMatchObject({ dir: 'helpdesk-import.sandbox' });
    expect(first.addresses().api).toBe(`${first.addresses().url}/api/core/v1`);
  });

  it('warns when others can reach it', async () => {
    const folder = folderOfTest();
    const sandbox = await listening(['--port', '0', '--host', '0.0.0.0'], folder.path);
    const { stderr } = await sandbox.end();
    expect(stderr).toMatch(/Warning: .*other machines/);
    expect(sandbox.addresses()).toMatchObject({
      url: expect.stringMatching(/^http:\/\/localhost:\d+$/),
    });
  });

  it('if the usual port is taken it listens on another one, and says what that means', async () => {
    const folder = folderOfTest();
    // The port is in use by then.
    const other = createServer();
    await new Promise<void>((done) => {
      other.once('error', () => done());
      other.listen(SANDBOX_PORT, '127.0.0.1', done);
    });
    try {
      const sandbox = await listening([], folder.path);
      const { code, stderr } = await sandbox.end();
      expect(code).toBe(0);
      expect(stderr).toMatch(/Warning: The usual port is in use/);
      expect(new URL(sandbox.addresses().url).port).not.toBe(String(SANDBOX_PORT));
    } finally {
      other.close();
    }
  });

  it('a port that was asked for and is taken is an error', async () => {
    const other = await startSandbox({ clock: createFakeClock() });
    try {
      const taken = await openFolder().type('sandbox', '--port', String(other.port));
      expect(taken.code).toBe(2);
      expect(taken.stderr).toMatch(/in use by another program/);
    } finally {
      await other.close();
    }
  });
});
