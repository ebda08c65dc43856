/** A damaged checkpoint is refused by each command that opens one, before anything is sent: exit 2, a sentence, and what to do. */
import { copyFileSync, linkSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Desk, startDesk, ticket } from '../support/desk.ts';

/** All that open a checkpoint which is there. */
const COMMANDS: readonly string[][] = [
  ['run', 'export.jsonl'],
  ['run', 'export.jsonl', '--dry-run'],
  ['run', 'export.jsonl', '--delta'],
  ['inspect', 'export.jsonl', '--ticket', 'T1'],
  ['status'],
  ['resolve', '--retry', 'T1'],
  ['verify', 'export.jsonl'],
  ['undo', '--run', 'run-20250602-080000', '--dry-run'],
  ['links'],
  ['checkpoint', 'backup'],
  ['checkpoint', 'rebuild', 'export.jsonl'],
  ['report', 'export.jsonl'],
  ['doctor', 'export.jsonl'],
];

const IN_PLACE = 'damaged.sqlite';
let desk: Desk;

beforeAll(async () => {
  desk = await startDesk();
  desk.write('export.jsonl', [ticket('T1'), ticket('T2')]);
  expect((await desk.type('run', 'export.jsonl')).code).toBe(0);
});
afterAll(() => desk.close());

/** A copy of its checkpoint in the same place. */
function copied(): string {
  const path = desk.folder.join(IN_PLACE);
  for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { recursive: true, force: true });
  copyFileSync(desk.checkpoint, path);
  return path;
}

async function refusedAs(args: readonly string[]): Promise<string> {
  const before = desk.count('tickets');
  const ended = await desk.type(...args, '--checkpoint', IN_PLACE);
  const shown = ended.stdout + ended.stderr;
  expect(ended.code, shown).toBe(2);
  expect(shown).toMatch(/damaged\.sqlite/);
  expect(shown).toMatch(/→ \S/);
  expect(shown).not.toMatch(/^\s+at /m);
  expect(desk.count('tickets')).toBe(before);
  return shown;
}

// What else is refused: test/checkpoint/open-checkpoint.test.ts.
it.each(COMMANDS.map((args) => [args.join(' '), args]))(
  '%s refuses one without its tickets',
  async (_, args) => {
    const db = new Database(copied());
    db.exec('DELETE FROM ticket');
    db.close();
    await refusedAs(args);
  },
);

it.each([
  [['run', 'export.jsonl', '--dry-run']],
  [['run', 'export.jsonl', '--dry-run', '--delta']],
  [['status']],
  [['status', '--failed', '--json']],
  [['report', 'export.jsonl', '--output', 'report.html']],
  [['verify', 'export.jsonl', '--all']],
])('%j leaves an undamaged checkpoint and its folder unchanged', async (args) => {
  const folder = desk.folder.join('copy');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  const path = join(folder, 'undamaged.sqlite');
  copyFileSync(desk.checkpoint, path);
  const files = () => readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'latin1')]);
  const before = files();
  const { code, stderr } = await desk.type(...args, '--checkpoint', path);
  expect(code, stderr).toBe(0);
  expect(files()).toEqual(before);
});

it('a checkpoint with a second name is refused to every command that writes', async () => {
  const path = copied();
  linkSync(path, `${path}.second`);
  for (const args of [
    ['run', 'export.jsonl'],
    ['resolve', '--retry', 'T1'],
  ])
    expect(await refusedAs(args)).toContain('second name');
});
