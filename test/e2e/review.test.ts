/** What the sandbox's pages show of tickets that were not imported. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Sandbox, startSandbox } from '../../src/sandbox/sandbox.ts';
import { systemClock } from '../../src/system-clock.ts';
import { temporaryFolder } from '../support/cli.ts';
import { commandLine } from '../support/command-line.ts';
import { ticket } from '../support/desk.ts';

const HOSTILE = `<img src=x onerror=alert(1)>`;

async function imported(folder: string, tickets: readonly (object | string)[], ...flags: string[]) {
  const lines = tickets.map((each) => (typeof each === 'string' ? each : JSON.stringify(each)));
  writeFileSync(join(folder, 'export.jsonl'), `${lines.join('\n')}\n`);
  const { code } = await commandLine(
    ['run', 'export.jsonl', '--sandbox', 'box', '--set', 'run.rate=100000/1', ...flags],
    { cwd: folder },
  );
  return code;
}

async function opened<T>(
  folder: string,
  work: (sandbox: Sandbox, page: (path: string, init?: RequestInit) => Promise<Response>) => Promise<T>,
): Promise<T> {
  const sandbox = await startSandbox({ dir: join(folder, 'box'), clock: systemClock });
  try {
    return await work(sandbox, (path, init = {}) =>
      fetch(`${sandbox.url}${path}`, {
        redirect: 'manual',
        ...init,
        headers: { authorization: `Bearer ${sandbox.token}`, ...init.headers },
      }),
    );
  } finally {
    await sandbox.close();
  }
}

describe('tickets that were not imported', () => {
  it('are shown with their reason and source rows, as text, until they are imported', async () => {
    using folder = temporaryFolder();
    const broken = [
      ticket('t1'),
      ticket('t2', { subject: HOSTILE, status: 'bogus', note: HOSTILE }),
      '{"id": "t3", "subject": <b>',
    ];
    expect(await imported(folder.path, broken)).toBe(3);
    await opened(folder.path, async (_, page) => {
      const text = await (await page('/left-out')).text();
      expect(text).toContain('status is &quot;bogus&quot;');
      expect(text).toContain('export.jsonl:2');
      expect(text).toContain('t2 hello');
      expect(text).toContain('export.jsonl:3');
      expect(text).toContain('&lt;b&gt;');
      expect(text).not.toContain('<img');
      expect(text).not.toContain('t1 hello');
      expect(text).toMatch(/Rejected<\/span><span class="count">2</);
      expect(await (await page('/left-out?outcome=failed')).text()).toContain('Nothing was left out');
    });
    await imported(folder.path, [ticket('t1'), ticket('t2'), ticket('t3')]);
    await opened(folder.path, async (_, page) => {
      expect(await (await page('/left-out')).text()).toContain('Nothing was left out');
    });
  });
});
