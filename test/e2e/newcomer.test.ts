/** The way of a newcomer with an export of Zendesk: two commands, and their own tickets are in the browser. */
import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { fixtures, root, startCli } from '../support/cli.ts';
import { startCommandLine } from '../support/command-line.ts';
import { folderOfTest } from '../support/folder-of-test.ts';
import { missingLine } from '../support/programs.ts';
import { signedIn } from '../support/signed-in.ts';

const readme = () => readFileSync(join(root, 'README.md'), 'utf8');

/** The command near the top of the README, without its program. */
function promised(): string[] {
  const [, args = ''] = /^ {4}npx helpdesk-import (run .+ --serve)$/m.exec(readme()) ?? [];
  return args.split(' ');
}

it('npm ci, then one command: the inbox shows their tickets, with the names of their people, and stays open', async () => {
  const folder = folderOfTest();
  cpSync(join(fixtures, 'zendesk-export'), folder.join('export'), { recursive: true });
  expect(promised()).toEqual(['run', 'export/', '--sandbox', '--serve']);
  const run = startCommandLine(promised(), { cwd: folder.path });
  try {
    const [, url = ''] = await run.shown(
      /Look at your tickets in a browser: (http:\/\/127\.0\.0\.1:\d+\/\?token=\S+)/,
    );
    const { cookie, page } = await signedIn(url);
    const inbox = await page.text();
    for (const shown of [
      'Scratched frame',
      'Order 5512 is late',
      'Portabicicletas',
      'Invoice address',
      'Ruth Abara',
    ])
      expect(inbox).toContain(shown);
    // Open tickets went first, the newest first.
    const pages = await Promise.all(
      [1, 2, 3, 4].map(async (n) =>
        (await fetch(new URL(`/tickets/tkt_00000000000${n}`, url), { headers: { cookie } })).text(),
      ),
    );
    const thread = pages.find((page) => /<title>Scratched frame/.test(page)) ?? '';
    for (const shown of ['Theo Marsh', 'Maja Lindgren', 'Internal note', 'top-tube.jpg'])
      expect(thread).toContain(shown);
    expect(thread).toContain('A new frame leaves');
  } finally {
    run.kill('SIGINT');
  }
  const result = await run.result;
  expect(result.code).toBe(0);
  expect(result.stderr).toMatch(/The sandbox has stopped\. To look again: helpdesk-import sandbox\n$/);
  expect(result.stdout).toContain('All 4 tickets are in the helpdesk.');
  expect(result.stdout).not.toMatch(/^ +\d+ × .+$/m);
});

it('CI runs the commands that the README opens with', () => {
  const ci = readFileSync(join(root, '.ci/run'), 'utf8').split('\n');
  for (const command of ['npm ci && npm start', 'npm cit']) {
    expect(readme()).toContain(command);
    expect(ci).toContain(command);
  }
});

const program = join(root, 'fixtures/start.js');

it('npm start imports the demo and keeps it open to look at', async () => {
  const folder = folderOfTest();
  cpSync(join(fixtures, 'demo'), folder.join('fixtures/demo'), { recursive: true });
  const env = { NODE_OPTIONS: '--import data:text/javascript,process.stdout.isTTY=true' };
  const open = startCli([], { cwd: folder.path, program, env });
  const [, url = ''] = await open.shown(/in a browser: (http:\/\/127\.0\.0\.1:\d+\/\?token=\S+)/);
  expect(await (await signedIn(url)).page.text()).toContain('257');
  open.kill('SIGINT');
  expect((await open.result).code).toBe(0);
});

it('one line names the programs that are missing, and says that their tests are skipped', () => {
  expect(missingLine(() => true)).toBeUndefined();
  expect(missingLine(() => false)).toMatch(/^Tests that need Chromium are skipped: /);
});
