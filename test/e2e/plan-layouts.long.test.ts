/** Of every layout: a run of the plan sends what a run of the export sends, byte for byte; and one ticket is explained alike. */
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openScene, type Scene } from '../cli/scene.ts';
import { fixtures } from '../support/cli.ts';
import { commandLine } from '../support/command-line.ts';
import { openWire } from '../support/wire.ts';

const layouts = join(fixtures, 'layouts');

/** The fixture as an export with its settings. */
function lay(layout: string, { folder }: Scene): void {
  cpSync(join(layouts, layout), folder.join('export'), { recursive: true });
  for (const name of ['settings.json', 'expected.json']) rmSync(folder.join('export', name), { force: true });
  const file = join(layouts, layout, 'settings.json');
  const { timezone, ...people } = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
  writeFileSync(folder.join('own.yaml'), JSON.stringify({ ...people, source: { timezone, from: layout } }));
}

async function sentBy(layout: string, isPlan: boolean) {
  await using scene = await openScene();
  lay(layout, scene);
  await using wire = await openWire(scene.sandbox.url);
  const env = { ...scene.env, HELPDESK_BASE_URL: wire.url };
  const run = async (line: string, variables: Record<string, string> = env) =>
    await commandLine(`${line} -c own.yaml --json`.split(' '), { cwd: scene.folder.path, env: variables });
  const of = isPlan ? 'approved.plan' : 'export';
  if (isPlan) {
    await run('run export --dry-run --plan approved.plan', {});
    rmSync(scene.folder.join('export'), { recursive: true });
  }
  const { stdout } = await run(`run ${of} --yes`);
  const [id] = wire.sent.flatMap((request) => /"tags":\[[^\]]*?"[a-z]+-(\w+)"/.exec(request)?.[1] ?? []);
  const explained = id === undefined ? undefined : (await run(`inspect ${of} --ticket ${id}`)).stdout;
  return {
    sent: wire.sent.map((request) => request.replaceAll(/run-\d{8}-\d{6}/g, 'run-tag')).sort(),
    tickets: JSON.parse(stdout).tickets,
    explained,
  };
}

it.each(readdirSync(layouts))('%s', async (layout) => {
  const ofExport = await sentBy(layout, false);
  expect(ofExport.sent.length).toBeGreaterThan(0);
  expect(await sentBy(layout, true)).toEqual(ofExport);
});
