/** The question before an import: whatever is no yes is a no, and then nothing is sent. */
import { writeFileSync } from 'node:fs';
import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import type { StopSignal } from '../../src/cli/context.ts';
import { runCli } from '../../src/cli/program.ts';
import { systemClock } from '../../src/system-clock.ts';
import { commandLine } from '../support/command-line.ts';
import { tickets } from '../support/tickets.ts';
import { contextFor } from './in-process.ts';
import { openScene, writeExport } from './scene.ts';

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
])(
  'The question before an import, answered by %s, decides whether anything is sent',
  async (_, does, code, count) => {
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
      '--set',
      `run.rejects=${scene.folder.join('rejects')}`,
    ];
    const { context } = contextFor('run', [], {}, scene.where);
    const onSignal: typeof context.onSignal = (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    };
    const ended = await runCli(args, { ...context, stdin, stdout, stderr, clock: systemClock, onSignal });
    expect(ended).toBe(code);
    expect(scene.sandbox.store.database.prepare('SELECT count(*) FROM tickets').pluck().get()).toBe(count);
    const json = JSON.parse(String(stdout.read())) as Record<string, unknown>;
    expect(json).toMatchObject({ version: 2, mode: 'run', exitCode: code });
    expect('error' in json).toBe(code !== 0);
    // After a yes the bar is drawn and redrawn.
    const drawn =
      shown.slice(shown.indexOf('[y/N]')).match(/\r[^\n]*(tickets|Sending|Reading|Importing)/g) ?? [];
    expect(drawn.length > 0).toBe(code === 0);
  },
);

it('Undo asks in spite of any variable: only the command line confirms what destroys', async () => {
  await using scene = await openScene();
  const file = scene.folder.join('export.jsonl');
  writeExport(file, 2);
  const { where } = scene;
  const imported = await commandLine(['run', file, '--json'], where);
  const { runTag } = JSON.parse(imported.stdout) as { runTag: string };
  const states = () => scene.sandbox.store.database.prepare('SELECT body FROM tickets').all();
  const before = states();
  const stdin = terminal();
  const stderr = terminal();
  let shown = '';
  stderr.setEncoding('utf8').on('data', (text: string) => {
    shown += text;
    if (text.includes('[y/N]')) setImmediate(() => stdin.write('n\n'));
  });
  const env = { ...scene.env, NO_COLOR: '1', ASSUME_YES: 'true' };
  const { context } = contextFor('undo', [], {}, { ...where, env });
  const undo = ['undo', '--run', runTag, '--checkpoint', scene.checkpoint];
  const ended = await runCli(undo, { ...context, stdin, stderr, clock: systemClock });
  expect(shown).toContain('Close and empty all 2 tickets');
  expect(ended).toBe(2);
  expect(states()).toEqual(before);
});
