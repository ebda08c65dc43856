import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import type { Flags } from '../../src/cli/context.ts';
import { cleanCommand } from '../../src/commands/clean/clean-command.ts';
import { openDatabase } from '../../src/sandbox/store/database.ts';
import { commandLine } from '../support/command-line.ts';
import { inProcess } from './in-process.ts';
import { openScene, type Scene, writeExport } from './scene.ts';

const clean = (scene: Scene, flags: Flags) =>
  inProcess(
    cleanCommand,
    [],
    { checkpoint: scene.checkpoint, ...flags },
    { cwd: scene.folder.path, env: {} },
  );

/** What an import leaves, beside things that only look like it. */
async function leftBehind(): Promise<Scene> {
  const scene = await openScene();
  await scene.makeCheckpoint({ e1: 'rejected' }, {});
  const { folder } = scene;
  for (const name of ['helpdesk-import.rejects', 'helpdesk-import.rejects-2-of-4']) {
    mkdirSync(folder.join(name));
    writeFileSync(folder.join(name, '.helpdesk-import-rejects'), '');
    writeFileSync(folder.join(name, 'tickets.csv'), 'id,subject,_reason\n1,Broken,no contact\n');
  }
  mkdirSync(folder.join('helpdesk-import.rejects-old'));
  writeFileSync(folder.join('helpdesk-import.report.html'), '<meta content="helpdesk-import report">');
  writeFileSync(folder.join('import.log'), '2026-03-31T10:05:00Z info  reading\n');
  openDatabase(folder.join('helpdesk-import.sandbox')).close();
  return scene;
}

const OURS = [
  'helpdesk-import.rejects',
  'helpdesk-import.rejects-2-of-4',
  'helpdesk-import.report.html',
  'helpdesk-import.sandbox',
  'import.log',
];

it('lists what holds messages of customers first, and removes it with --yes alone; the checkpoint stays', async () => {
  await using scene = await leftBehind();
  const there = () => OURS.filter((name) => existsSync(scene.folder.join(name)));
  const listed = await clean(scene, { logFile: 'import.log', json: true });
  expect(listed.code, listed.stderr).toBe(0);
  const { found, kept, removed } = JSON.parse(listed.stdout);
  expect(found.map(({ path }: { path: string }) => path).sort()).toEqual(OURS);
  expect([removed, kept.length > 0, there()]).toEqual([false, true, OURS]);
  expect((await clean(scene, { logFile: 'import.log', yes: true })).code).toBe(0);
  expect(there()).toEqual([]);
  expect(existsSync(scene.checkpoint)).toBe(true);
  expect(existsSync(scene.folder.join('helpdesk-import.rejects-old'))).toBe(true);
  expect((await clean(scene, { withCheckpoint: true, yes: true })).code).toBe(0);
  expect(existsSync(scene.checkpoint)).toBe(false);
});

it('a file that is not a report or a log of ours, and a folder without our mark, are never touched', async () => {
  await using scene = await openScene();
  await scene.makeCheckpoint({ e1: 'done' }, { e1: 'T1' });
  mkdirSync(scene.folder.join('mine'));
  writeFileSync(scene.folder.join('mine/letter.txt'), 'mine');
  writeFileSync(scene.folder.join('page.html'), '<p>mine');
  await clean(scene, {
    yes: true,
    rejects: 'mine',
    report: 'page.html',
    sandbox: 'mine',
    logFile: 'mine/letter.txt',
  });
  expect(readFileSync(scene.folder.join('mine/letter.txt'), 'utf8')).toBe('mine');
  expect(existsSync(scene.folder.join('page.html'))).toBe(true);
});

it('the folder in which one works is never removed, even with a mark in it', async () => {
  await using scene = await openScene();
  await scene.makeCheckpoint({ e1: 'done' }, { e1: 'T1' });
  writeFileSync(scene.folder.join('.helpdesk-import-rejects'), '');
  await clean(scene, { yes: true, rejects: '.' });
  expect(existsSync(scene.checkpoint)).toBe(true);
});

it('a service that is running keeps its data, and nothing else is removed', async () => {
  await using scene = await leftBehind();
  const database = openDatabase(scene.folder.join('helpdesk-import.sandbox'));
  const refused = await clean(scene, { yes: true });
  database.close();
  expect([refused.code, existsSync(scene.folder.join('helpdesk-import.rejects'))]).toEqual([2, true]);
});

it('finds what runs were told to write, wherever that is, and reports of dry runs in this folder', async () => {
  await using scene = await openScene();
  const { folder, env } = scene;
  const options = { cwd: folder.path, env };
  writeExport(folder.join('export.jsonl'), 3);
  writeFileSync(
    folder.join('export.jsonl'),
    `${readFileSync(folder.join('export.jsonl'), 'utf8')}\n{"id":"bad"}\n`,
  );
  mkdirSync(folder.join('kept'));
  const run = ['run', 'export.jsonl', '--yes', '--rejects', 'kept/rejects'];
  const first = await commandLine([...run, '--report', 'kept/a.html', '--log-file', 'kept/a.log'], options);
  expect(first.code, first.stderr).toBe(3);
  await commandLine(['run', 'export.jsonl', '--dry-run', '--report', 'plan.html'], options);
  const listed = JSON.parse((await commandLine(['clean', '--json'], options)).stdout);
  expect(listed.found.map(({ kind, path }: Record<string, string>) => [kind, path]).sort()).toEqual([
    ['log', 'kept/a.log'],
    ['rejects', 'kept/rejects'],
    ['report', 'kept/a.html'],
    ['report', 'plan.html'],
  ]);
  expect((await commandLine(['clean', '--yes'], options)).code).toBe(0);
  expect([...readdirSync(folder.join('kept')), existsSync(folder.join('plan.html'))]).toEqual([false]);
});
