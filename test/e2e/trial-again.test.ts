/** A trial that is typed again reads the same tickets back, which were created by an earlier run. */
import { expect, it } from 'vitest';
import { openScene, writeExport } from '../cli/scene.ts';
import { commandLine } from '../support/command-line.ts';

it('the same trial typed again reports no failed check and sends nothing', async () => {
  await using scene = await openScene();
  const { folder, env, sandbox } = scene;
  writeExport(folder.join('export.jsonl'), 6);
  const trial = () =>
    commandLine(['run', 'export.jsonl', '--trial', '--yes', '--json'], { cwd: folder.path, env });
  const first = await trial();
  expect(first.code, first.stdout).toBe(0);
  // A run tag tells the second in which a run began.
  sandbox.store.database.exec(
    `UPDATE tickets SET body = json_set(body, '$.tags', json((SELECT json_group_array(CASE WHEN value GLOB 'run-*' THEN 'run-20200101-000000' ELSE value END) FROM json_each(body, '$.tags'))))`,
  );
  const again = await trial();
  const { trial: checked } = JSON.parse(again.stdout) as {
    trial: { tickets: { checks: { name: string; ok: boolean; detail: string }[] }[] };
  };
  expect(checked.tickets.flatMap(({ checks }) => checks).filter(({ ok }) => !ok)).toEqual([]);
  expect(again.stderr).toContain('importing: 0 tickets in 0 requests, 6 done before');
  expect(again.code).toBe(0);
  expect(sandbox.store.log.creates()).toHaveLength(6);
});
