/** What destroys is confirmed by the person who typed it. */
import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { runCli } from '../../src/cli/program.ts';
import { systemClock } from '../../src/system-clock.ts';
import { commandLine } from '../support/command-line.ts';
import { openScene, writeExport } from './scene.ts';

const terminal = () => Object.assign(new PassThrough(), { isTTY: true, columns: 100 });

it('confirmation of what destroys comes from the command line only: undo asks whatever a variable says', async () => {
  await using scene = await openScene();
  const file = scene.folder.join('export.jsonl');
  writeExport(file, 2);
  const where = { cwd: scene.folder.path, env: scene.env };
  const imported = await commandLine(['run', file, '--json'], where);
  const { runTag } = JSON.parse(imported.stdout) as { runTag: string };
  const states = () => scene.sandbox.store.database.prepare('SELECT status, tags FROM tickets').all();
  const before = states();
  const stdin = terminal();
  const stderr = terminal();
  let shown = '';
  stderr.setEncoding('utf8').on('data', (text: string) => {
    shown += text;
    if (text.includes('[y/N]')) setImmediate(() => stdin.write('n\n'));
  });
  const ended = await runCli(['undo', '--run', runTag, '--checkpoint', scene.checkpoint], {
    ...where,
    env: { ...scene.env, NO_COLOR: '1', HELPDESK_IMPORT_YES: 'true' },
    stdin,
    stdout: new PassThrough(),
    stderr,
    clock: systemClock,
    onSignal: () => () => undefined,
  });
  expect(shown).toContain('Close and empty 2 tickets');
  expect(ended).toBe(2);
  expect(states()).toEqual(before);
});

it('an undo without a run names each tag of the checkpoint once', async () => {
  await using scene = await openScene();
  const file = scene.folder.join('export.jsonl');
  writeExport(file, 2);
  const plan = scene.folder.join('approved.plan');
  const where = { cwd: scene.folder.path, env: scene.env };
  await commandLine(['run', file, '--dry-run', '--plan', plan], where);
  for (let run = 0; run < 2; run += 1) await commandLine(['run', plan], where);
  const { stderr } = await commandLine(['undo', '--dry-run'], where);
  expect(stderr.match(/run-\d{8}-\d{6}/g)).toHaveLength(1);
});
