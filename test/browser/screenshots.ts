/** Makes the pictures of docs/images (`npm run screenshots`): the demo in a sandbox, with fixed zone, size, colours and data. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Sandbox, startSandbox } from '../../src/sandbox/sandbox.ts';
import { type Look, launchChromium, newWindow } from '../support/browser-window.ts';
import { takeTerminalPictures } from './terminal-pictures.ts';

const root = resolve(import.meta.dirname, '../..');
const images = join(root, 'docs/images');

/** A ticket that has an internal note, formatted messages and status changes, on one screen. */
const TICKET = 'Burning smell from my grinder';

interface Picture extends Look {
  readonly file: string;
  path(sandbox: Sandbox): string;
}

const ticketPath = ({ store }: Sandbox) => {
  const seq = store.database.prepare('SELECT min(seq) FROM tickets WHERE subject = ?').pluck().get(TICKET);
  return `/tickets/tkt_${String(seq).padStart(12, '0')}`;
};

const PICTURES: readonly Picture[] = [
  { file: 'inbox.png', path: () => '/', size: { width: 1280, height: 800 }, scale: 2 },
  { file: 'ticket.png', path: ticketPath, size: { width: 1280, height: 1000 }, scale: 2 },
  { file: 'ticket-dark.png', path: ticketPath, size: { width: 1280, height: 1000 }, dark: true },
  { file: 'phone.png', path: () => '/', phone: true, scale: 2 },
];

const REPORT = { file: 'report.png', size: { width: 1280, height: 1400 }, scale: 2 } as const;

const folder = mkdtempSync(join(tmpdir(), 'helpdesk-import-screenshots-'));
try {
  const arguments_ = [
    'run',
    join(root, 'fixtures/demo'),
    '--sandbox',
    join(folder, 'sandbox'),
    '--set',
    'run.batchSize=1',
  ];
  execFileSync(
    process.execPath,
    [
      join(root, 'bin/helpdesk-import.js'),
      ...arguments_,
      '--checkpoint',
      join(folder, 'checkpoint.sqlite'),
      '--quiet',
    ],
    { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] },
  );
  const clock = { now: () => Date.now(), monotonic: () => performance.now(), sleep: () => Promise.resolve() };
  const sandbox = await startSandbox({ dir: join(folder, 'sandbox'), clock });
  const browser = await launchChromium();
  try {
    mkdirSync(images, { recursive: true });
    const terminal = join(folder, 'terminal');
    mkdirSync(terminal);
    await takeTerminalPictures(browser, terminal, images);
    const report = join(folder, 'report.html');
    cpSync(join(root, 'fixtures/demo'), join(folder, 'export'), { recursive: true });
    execFileSync(
      process.execPath,
      [join(root, 'bin/helpdesk-import.js'), 'run', 'export/', '--dry-run', '--report', 'report.html'],
      { cwd: folder, stdio: 'ignore' },
    );
    const reader = await newWindow(browser, { timeZone: 'Europe/Berlin', ...REPORT });
    const reading = await reader.newPage();
    await reading.goto(pathToFileURL(report).href);
    await reading.screenshot({ path: join(images, REPORT.file), animations: 'disabled' });
    await reader.close();
    for (const { file, path, ...look } of PICTURES) {
      const window = await newWindow(browser, { timeZone: 'Europe/Berlin', ...look });
      const page = await window.newPage();
      await page.goto(sandbox.page);
      await page.goto(`${sandbox.url}${path(sandbox)}`);
      // Frames are painted after the page.
      await page.waitForTimeout(1_000);
      await page.screenshot({ path: join(images, file), animations: 'disabled', caret: 'hide' });
      await window.close();
    }
  } finally {
    await browser.close();
    await sandbox.close();
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
