/** Settings that change what is sent, changed between two runs of one checkpoint: the second run says so, and of which section. */
import { writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { openScene, writeExport } from '../cli/scene.ts';
import { commandLine } from '../support/command-line.ts';

it.each([
  ['target', 'target: { channelId: chn_email }'],
  ['target', 'target: { subject: "{subject} [#{id}]" }'],
  ['target', 'target: { tag: brought }'],
  ['source', 'source: { missingTimes: previous }'],
  ['mapping', 'unmapped: note'],
])('a run says that %s has changed by %s', async (section, settings) => {
  await using scene = await openScene();
  const { folder, env } = scene;
  writeExport(folder.join('export.jsonl'), 2);
  const run = (text: string) => {
    writeFileSync(folder.join('own.yaml'), text);
    return commandLine(['run', 'export.jsonl', '--yes', '-c', 'own.yaml'], { cwd: folder.path, env });
  };
  expect((await run('')).code).toBe(0);
  expect((await run('')).stderr).not.toMatch(/settings have changed/);
  const changed = await run(settings);
  expect(changed.code, changed.stderr).toBe(0);
  expect(changed.stderr).toContain(`The settings have changed since the last run (${section})`);
});
