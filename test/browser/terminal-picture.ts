/** Pictures of the program in a terminal: its genuine bytes, drawn by a terminal emulator in Chromium. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';
import type { Browser } from 'playwright-core';
import { quoteArgument } from '../../src/view/command-line.ts';
import { root } from '../support/cli.ts';

const find = createRequire(import.meta.url).resolve;

export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

/** What the program writes to a terminal of this size, colours and cursor moves included. Needs util-linux's `script`. */
export async function recordTerminal(
  args: readonly string[],
  { columns, rows }: TerminalSize,
  cwd: string,
): Promise<string> {
  const command = [join(root, 'bin/helpdesk-import.js'), ...args].map(quoteArgument).join(' ');
  const inTerminal = `stty cols ${columns} rows ${rows}; exec ${quoteArgument(process.execPath)} ${command}`;
  const child = spawn('script', ['-qec', inTerminal, '/dev/null'], {
    cwd,
    env: {
      PATH: [dirname(process.execPath), process.env['PATH']].join(delimiter),
      // As npx, which is what is typed in the pictures.
      npm_command: 'exec',
      TERM: 'xterm-256color',
      LANG: 'C.UTF-8',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  await new Promise<void>((done, fail) => {
    child.on('error', fail);
    child.on('close', () => done());
  });
  return Buffer.concat(chunks).toString('utf8');
}

export interface TerminalPicture extends TerminalSize {
  /** Where the picture goes. */
  readonly path: string;
  /** The command line as typed. */
  readonly typed: string;
  readonly bytes: string;
  readonly title: string;
  /** Which rows are seen, of more than there is room for: the first, or the last. */
  readonly shows?: 'beginning' | 'end';
}

const FRAME = `
  body { margin: 0; padding: 36px 40px 44px; background: linear-gradient(160deg, #e9edf6, #dbe3f3); display: inline-block; }
  .window { width: max-content; border-radius: 12px; overflow: hidden; background: #12161f;
    box-shadow: 0 1px 2px rgb(15 23 42 / 30%), 0 18px 50px rgb(15 23 42 / 32%); }
  .bar { display: grid; grid-template-columns: 1fr auto 1fr; align-items: center; height: 38px; padding: 0 14px;
    background: #1c212d; border-bottom: 1px solid #0b0e14; color: #97a1b4; font: 13px system-ui, "Noto Sans", sans-serif; }
  .dots { display: flex; gap: 8px; }
  .dots i { width: 12px; height: 12px; border-radius: 50%; background: #3a4252; }
  #terminal { padding: 16px 20px 18px; }
  .xterm-viewport, .xterm-scrollable-element > .scrollbar { display: none !important; }
  .xterm-scrollable-element { background: transparent !important; }
`;

const THEME = {
  background: '#12161f',
  foreground: '#d9dfea',
  cursor: '#12161f',
  cursorAccent: '#12161f',
  black: '#12161f',
  red: '#ff8a80',
  green: '#7fdba0',
  yellow: '#f2cc72',
  blue: '#82aaff',
  magenta: '#d3a6ff',
  cyan: '#79d3e8',
  white: '#d9dfea',
};

/** What was typed and written, in a window. */
export async function photographTerminal(browser: Browser, picture: TerminalPicture): Promise<void> {
  const { columns, rows, bytes, typed, title, path, shows = 'beginning' } = picture;
  const window = await browser.newContext({
    deviceScaleFactor: 2,
    viewport: { width: 1400, height: 1600 },
    colorScheme: 'light',
  });
  const page = await window.newPage();
  await page.setContent(
    `<!doctype html><meta charset="utf-8"><div class="window"><div class="bar"><span class="dots"><i></i><i></i><i></i></span><span id="title"></span></div><div id="terminal"></div></div>`,
  );
  await page.addStyleTag({ content: readFileSync(find('@xterm/xterm/css/xterm.css'), 'utf8') + FRAME });
  await page.addScriptTag({ path: find('@xterm/xterm') });
  const options = {
    cols: columns,
    rows,
    scrollback: 1000,
    fontFamily: '"DejaVu Sans Mono", "Noto Sans Mono CJK JP", monospace',
    fontSize: 14,
    lineHeight: 1.22,
    cursorStyle: 'bar',
    cursorInactiveStyle: 'none',
    theme: THEME,
    allowTransparency: true,
  };
  const ended = bytes.replace(/(?:\r?\n)+$/, '');
  const text = `\u001b[32m$\u001b[0m \u001b[1m${typed}\u001b[0m\r\n${ended}\u001b[?25l`;
  await page.evaluate(
    `(async () => {
      document.querySelector('#title').textContent = ${JSON.stringify(title)};
      const terminal = new Terminal(${JSON.stringify(options)});
      terminal.open(document.querySelector('#terminal'));
      await new Promise((done) => terminal.write(${JSON.stringify(text)}, done));
      ${shows === 'beginning' ? 'terminal.scrollToTop();' : ''}
      await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    })()`,
  );
  const size = (await page.evaluate(
    '({ width: document.body.offsetWidth, height: document.body.offsetHeight })',
  )) as { width: number; height: number };
  await page.setViewportSize(size);
  await page.screenshot({ path, animations: 'disabled' });
  await window.close();
}

/** The bytes until the bar says `share` per cent or more: the picture of a moment. */
export function untilShare(bytes: string, share: number): string {
  for (const match of bytes.matchAll(/(\d+) %/g)) {
    if (Number(match[1]) < share || !/Importing/.test(bytes.slice(0, match.index))) continue;
    const end = bytes.indexOf('\r', match.index);
    return end === -1 ? bytes : bytes.slice(0, end);
  }
  return bytes;
}
