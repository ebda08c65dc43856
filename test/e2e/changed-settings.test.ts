/** Settings that change what is sent, changed between two runs of one checkpoint: the second run says so, and of which section. */
import { expect, it } from 'vitest';
import { openDesk, ticket } from '../support/desk.ts';

it.each([
  ['target', 'target: { channelId: chn_email }'],
  ['target', 'target: { subject: "{subject} [#{id}]" }'],
  ['target', 'target: { tag: brought }'],
  ['source', 'source: { missingTimes: previous }'],
  ['mapping', 'unmapped: drop'],
])('a run says that %s has changed by %s', async (section, settings) => {
  const { write, type } = await openDesk();
  write('export.jsonl', [ticket('A'), ticket('B')]);
  const run = (text: string) => {
    write('own.yaml', text);
    return type('run', 'export.jsonl', '--yes', '-c', 'own.yaml');
  };
  expect((await run('')).code).toBe(0);
  expect((await run('')).stderr).not.toMatch(/settings have changed/);
  const changed = await run(settings);
  expect(changed.code, changed.stderr).toBe(0);
  expect(changed.stderr).toContain(`The settings have changed since the last run (${section})`);
});
