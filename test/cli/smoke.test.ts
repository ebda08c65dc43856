import { rmSync } from 'node:fs';
import { expect, it } from 'vitest';
import { commandLine } from '../support/command-line.ts';
import { openScene, writeExport } from './scene.ts';

it('a job that keeps no checkpoint imports a trial and empties it, twice in a row', async () => {
  await using scene = await openScene();
  const file = scene.folder.join('export.jsonl');
  writeExport(file, 8);
  for (const run of ['1', '2']) {
    const trial = `run ${file} --trial --quiet --set source.name=ci-${run}`;
    for (const typed of [`run ${file} --dry-run --quiet`, trial, 'undo --last --yes']) {
      expect(await commandLine(typed.split(' '), scene.where), typed).toMatchObject({ code: 0 });
    }
    for (const end of ['', '-wal', '-shm']) rmSync(`${scene.checkpoint}${end}`, { force: true });
  }
});
