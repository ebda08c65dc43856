/** A damaged checkpoint is refused by each command that opens one, before anything is sent: exit 2, a sentence, and what to do. */
import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { IN_USE_ID } from '../../src/checkpoint/open-database.ts';
import { tickets } from '../library/tickets.ts';
import { commandLine } from '../support/command-line.ts';
import { openScene, type Scene } from './scene.ts';

const sql = (script: string) => (path: string, sound: string) => {
  copyFileSync(sound, path);
  const db = new Database(path);
  db.exec(script);
  db.close();
};

const KINDS: readonly [what: string, make: (path: string, sound: string) => void][] = [
  ['a file of zero bytes', (path) => writeFileSync(path, '')],
  ['a text', (path) => writeFileSync(path, 'id,subject\n'.repeat(200))],
  ['emptied of its tickets', sql('DELETE FROM ticket')],
  [
    'emptied of everything',
    sql('PRAGMA foreign_keys = OFF; DELETE FROM ticket; DELETE FROM run; DELETE FROM meta'),
  ],
  // The process that holds it was killed, and its log is not there.
  ['a copy of the main file alone', sql(`PRAGMA application_id = ${IN_USE_ID}`)],
  ['without a table', sql('DROP TABLE ticket')],
  ['of version 0', sql('PRAGMA user_version = 0')],
  ['of a newer version', sql('PRAGMA user_version = 999')],
  ["another application's database", sql('PRAGMA application_id = 7')],
  ['a named pipe', (path) => execFileSync('mkfifo', [path])],
  ['a device', (path) => symlinkSync('/dev/null', path)],
  ['a folder', (path) => mkdirSync(path)],
  ['a link to itself', (path) => symlinkSync(path, path)],
  ['a link to nothing', (path) => symlinkSync(`${path}.none`, path)],
];

/** All that open a checkpoint which is there. */
const COMMANDS: readonly string[][] = [
  ['run', 'export.jsonl'],
  ['run', 'export.jsonl', '--dry-run'],
  ['run', 'export.jsonl', '--delta'],
  ['run', 'export.jsonl', '--explain', 'T1'],
  ['status'],
  ['resolve', '--retry', 'T1'],
  ['verify', 'export.jsonl'],
  ['undo', '--run', 'run-20250602-080000', '--dry-run'],
  ['map'],
  ['checkpoint', 'backup'],
  ['checkpoint', 'rebuild', 'export.jsonl'],
  [
    'links',
    'plan',
    'export.jsonl',
    '--target-url',
    'https://new.example/{id}',
    '--source-url',
    'https://old.example/{id}',
  ],
  ['report', 'export.jsonl'],
  ['doctor', 'export.jsonl'],
];

const IN_PLACE = 'damaged.sqlite';
let scene: Scene;

beforeAll(async () => {
  scene = await openScene();
  writeFileSync(scene.folder.join('export.jsonl'), tickets(2));
  const { code } = await commandLine(['run', 'export.jsonl'], { cwd: scene.folder.path, env: scene.env });
  expect(code).toBe(0);
});
afterAll(() => scene[Symbol.asyncDispose]());

const sentUntilNow = () => scene.sandbox.store.database.prepare('SELECT count(*) FROM tickets').pluck().get();

async function refusedAs(args: readonly string[]): Promise<string> {
  const before = sentUntilNow();
  const ended = await commandLine([...args, '--checkpoint', IN_PLACE], {
    cwd: scene.folder.path,
    env: scene.env,
  });
  const shown = ended.stdout + ended.stderr;
  expect(ended.code, shown).toBe(2);
  expect(shown).toMatch(/damaged\.sqlite/);
  expect(shown).toMatch(/→ \S/);
  expect(shown).not.toMatch(/^\s+at /m);
  expect(sentUntilNow()).toBe(before);
  return shown;
}

/** Every kind with a command that writes and one that reads, and every command with one kind. */
const PAIRS = KINDS.flatMap(([what, make], kind) =>
  COMMANDS.filter(([name], command) => kind === 0 || command === 0 || name === 'status').map(
    (args) => [what, args.join(' '), make, args] as const,
  ),
);

it.each(PAIRS)('%s is refused as a checkpoint of %s', async (_what, _command, make, args) => {
  const path = scene.folder.join(IN_PLACE);
  for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { recursive: true, force: true });
  make(path, scene.checkpoint);
  await refusedAs(args);
});

it.each([
  [['run', 'export.jsonl', '--dry-run']],
  [['run', 'export.jsonl', '--dry-run', '--delta']],
  [['status']],
  [['status', '--failed', '--json']],
  [['report', 'export.jsonl', '--output', 'told.html']],
  [['verify', 'export.jsonl', '--all']],
])('%j leaves a sound checkpoint and its folder as they are', async (args) => {
  const folder = scene.folder.join('beside');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  const path = join(folder, 'sound.sqlite');
  copyFileSync(scene.checkpoint, path);
  const files = () => readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'latin1')]);
  const before = files();
  const options = { cwd: scene.folder.path, env: scene.env };
  const { code, stderr } = await commandLine([...args, '--checkpoint', path], options);
  expect(code, stderr).toBe(0);
  expect(files()).toEqual(before);
});

it('a checkpoint with a second name is refused to every command that writes', async () => {
  const path = scene.folder.join(IN_PLACE);
  for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { recursive: true, force: true });
  copyFileSync(scene.checkpoint, path);
  linkSync(path, `${path}.second`);
  for (const args of [
    ['run', 'export.jsonl'],
    ['resolve', '--retry', 'T1'],
  ])
    expect(await refusedAs(args)).toContain('second name');
});
