/** The question before an import: whatever is no yes is a no, and then nothing is sent. */
import { writeFileSync } from 'node:fs';
import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import type { StopSignal } from '../../src/cli/context.ts';
import { runCli } from '../../src/cli/program.ts';
import { systemClock } from '../../src/system-clock.ts';
import { tickets } from '../library/tickets.ts';
import { openScene } from './scene.ts';

const terminal = () => Object.assign(new PassThrough(), { isTTY: true, columns: 100 });

it.each<
  [
    what: string,
    does: (keys: PassThrough, signal: (name: StopSignal) => void) => void,
    code: number,
    count: number,
  ]
>([
  ['y', (keys) => keys.write('y\n'), 0, 3],
  ['n', (keys) => keys.write('n\n'), 2, 0],
  ['nothing', (keys) => keys.write('\n'), 2, 0],
  ['Ctrl-C', (keys) => keys.write('\u0003'), 2, 0],
  ['Ctrl-D', (keys) => keys.end(), 2, 0],
  ['a terminal that is gone', (keys) => keys.destroy(new Error('EIO')), 2, 0],
  ['SIGINT', (_, signal) => signal('SIGINT'), 130, 0],
  ['SIGTERM', (_, signal) => signal('SIGTERM'), 143, 0],
  ['SIGHUP', (_, signal) => signal('SIGHUP'), 143, 0],
])('%s', async (_, does, code, count) => {
  await using scene = await openScene();
  const file = scene.folder.join('export.jsonl');
  writeFileSync(file, tickets(3));
  const stdin = terminal();
  const stderr = terminal();
  const stdout = new PassThrough();
  const listeners = new Set<(signal: StopSignal) => void>();
  let shown = '';
  let isAnswered = false;
  stderr.setEncoding('utf8').on('data', (text: string) => {
    shown += text;
    if (isAnswered || !shown.includes('[y/N]')) return;
    isAnswered = true;
    setImmediate(() =>
      does(stdin, (signal) => {
        for (const listener of listeners) listener(signal);
      }),
    );
  });
  const args = [
    'run',
    file,
    '--json',
    '--checkpoint',
    scene.checkpoint,
    '--rejects',
    scene.folder.join('rejects'),
  ];
  const ended = await runCli(args, {
    env: { ...scene.env, NO_COLOR: '1' },
    cwd: scene.folder.path,
    stdin,
    stdout,
    stderr,
    clock: systemClock,
    onSignal: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  });
  expect(ended).toBe(code);
  expect(scene.sandbox.store.database.prepare('SELECT count(*) FROM tickets').pluck().get()).toBe(count);
  const json = JSON.parse(String(stdout.read())) as Record<string, unknown>;
  expect(json).toMatchObject({ version: 1, mode: 'run', exitCode: code });
  expect('error' in json).toBe(code !== 0);
  // After a yes the bar is drawn and redrawn.
  const drawn =
    shown.slice(shown.indexOf('[y/N]')).match(/\r[^\n]*(tickets|Sending|Reading|Importing)/g) ?? [];
  expect(drawn.length > 0).toBe(code === 0);
});
