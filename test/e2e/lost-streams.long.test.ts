/** Streams, terminals and connections that are lost: the import continues or ends properly, and the exit code says which. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openScene, type Scene } from '../cli/scene.ts';
import { root, startCli, startShell } from '../support/cli.ts';
import { tickets } from '../support/tickets.ts';

const COUNT = 20;
const PROGRAM = `"${process.execPath}" "${join(root, 'bin/helpdesk-import.js')}"`;

function inTarget({ sandbox }: Scene): unknown {
  return sandbox.store.database.prepare('SELECT count(*), count(DISTINCT subject) FROM tickets').raw().get();
}

async function sceneWith(count: number, faultTexts: readonly string[] = []): Promise<Scene> {
  const scene = await openScene({ faultTexts });
  writeFileSync(scene.folder.join('export.jsonl'), tickets(count));
  return scene;
}

it.each<[what: string, line: string, code: string]>([
  ['a reader of the result that takes one line', '$P run export.jsonl $R | head -n 1; echo "code $?"', '0'],
  [
    'a tee that dies',
    '$P run export.jsonl $R --verbose 2>&1 | head -n 2 | cat >/dev/null; echo "code $?"',
    '0',
  ],
  ['readers that never read', '$P run export.jsonl $R 2>&1 | true; echo "code $?"', '0'],
  ['closed streams', '$P run export.jsonl $R >/dev/null 2>&-; echo "code $?"', '0'],
  ['a summary that cannot be written', '$P run export.jsonl $R --json >/dev/full; echo "code $?"', '6'],
])('%s: every ticket is imported, and the exit code says so', async (_, line, code) => {
  await using scene = await sceneWith(COUNT);
  const shell = line.replace('$P', PROGRAM).replace('$R', '--set run.rate=100000/1');
  const { stdout } = await startShell(['bash', '-o', 'pipefail', '-c', shell], {
    cwd: scene.folder.path,
    env: scene.env,
  });
  expect(stdout).toContain(`code ${code}`);
  expect(inTarget(scene)).toEqual([COUNT, COUNT]);
});

it('a closed pipe does not turn an unfinished import into a 0', async () => {
  await using scene = await sceneWith(1);
  writeFileSync(scene.folder.join('export.jsonl'), `${tickets(3)}{"id":"bad","subject":""}\n`);
  const shell = `${PROGRAM} run export.jsonl 2>&1 | true; echo "code $?"`;
  const { stdout } = await startShell(['bash', '-o', 'pipefail', '-c', shell], {
    cwd: scene.folder.path,
    env: scene.env,
  });
  expect(stdout).toContain('code 3');
  expect(inTarget(scene)).toEqual([3, 3]);
});

it('a closed terminal sends several signals: requests in flight finish, and the rest comes later', async () => {
  await using scene = await sceneWith(COUNT, ['slow=150:100@create']);
  const options = { cwd: scene.folder.path, env: scene.env };
  const run = startCli(['run', 'export.jsonl', '--set', 'run.batchSize=2'], options);
  await run.shown('importing:');
  run.kill('SIGHUP');
  run.kill('SIGHUP');
  const { code, stdout } = await run.result;
  expect(code).toBe(143);
  expect(stdout).not.toMatch(/in doubt/);
  expect((await startCli(['run', 'export.jsonl'], options).result).code).toBe(0);
  expect(inTarget(scene)).toEqual([COUNT, COUNT]);
});
