/** The pictures of the program in a terminal: a plan, an import on its way, and what it says of mistakes. From the demo export. */
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { fixtures } from '../support/cli.ts';
import { photographTerminal, recordTerminal, untilShare } from './terminal-picture.ts';

const COLUMNS = 92;

/** `folder` is empty, and taken for the export and what the program writes. */
export async function takeTerminalPictures(browser: Browser, folder: string, images: string): Promise<void> {
  const size = (rows: number) => ({ columns: COLUMNS, rows });
  const demo = join(fixtures, 'demo');
  cpSync(demo, join(folder, 'export'), { recursive: true });
  const plan = { ...size(38), typed: 'npx helpdesk-import run export/ --dry-run' };
  await photographTerminal(browser, {
    ...plan,
    path: join(images, 'terminal.png'),
    title: 'what would be imported',
    bytes: await recordTerminal(['run', 'export', '--dry-run'], plan, folder),
  });

  const run = { ...size(2), typed: 'npx helpdesk-import run export/ --sandbox --set run.rate=100/2' };
  const bytes = await recordTerminal(['run', 'export', '--sandbox', '--set', 'run.rate=100/2'], run, folder);
  await photographTerminal(browser, {
    ...run,
    path: join(images, 'terminal-bar.png'),
    title: 'an import on its way',
    bytes: untilShare(bytes, 60),
  });

  spoil(join(folder, 'export/tickets.csv'));
  const mistakes = { ...size(30), typed: plan.typed };
  await photographTerminal(browser, {
    ...mistakes,
    path: join(images, 'terminal-problems.png'),
    title: 'what is wrong, and where',
    bytes: await recordTerminal(['run', 'export', '--dry-run'], mistakes, folder),
    shows: 'end',
  });
}

/** Mistakes as they are made by hand: two mistyped statuses and a day that does not exist. */
function spoil(file: string): void {
  const lines = readFileSync(file, 'utf8').split('\n');
  const change = (line: number, from: string | RegExp, to: string) => {
    const text = lines[line - 1] ?? '';
    lines[line - 1] = text.replace(from, to);
    if (lines[line - 1] === text) throw new Error(`line ${line} of the demo has no ${String(from)}`);
  };
  change(32, ',resolved,', ',reslved,');
  change(47, /,(?:resolved|closed),/, ',reslved,');
  change(61, /20\d\d-\d\d-\d\dT/, '2024-02-30T');
  writeFileSync(file, lines.join('\n'));
}
