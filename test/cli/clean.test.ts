/** The command clean: what holds customers' words is listed, and deleted only with --yes. */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { openFolder } from '../support/desk.ts';
import { tickets } from '../support/tickets.ts';

async function imported() {
  const { folder, write, type: typed } = openFolder();
  mkdirSync(folder.join('export'));
  const bad =
    '{"id":"X","subject":"No requester","createdAt":"2024-05-01T10:00:00Z","status":"odd","messages":[]}';
  write('export/tickets.jsonl', `${tickets(3)}${bad}\n`);
  const files = ['--set', 'run.rejects=rejects', '--checkpoint', 'c.sqlite', '--report', 'r.html'];
  expect((await typed('run', 'export', '--sandbox', 'desk', ...files)).code).toBe(3);
  expect((await typed('run', 'export', '--dry-run', '--plan', 'p.plan', '--quiet')).code).toBe(3);
  // Not the program's: they only look so.
  mkdirSync(folder.join('mine'));
  write('mine/service.sqlite', 'SQLite format 3, or so I say');
  write('notes.html', '<title>my notes</title>');
  return { ...folder, typed };
}

it('lists rejects, report, plan and sandbox with their sizes, and deletes nothing', async () => {
  const { path, typed } = await imported();
  const before = readdirSync(path, { recursive: true });
  const { code, stdout } = await typed('clean', 'export');
  expect(code).toBe(0);
  for (const row of [
    /sandbox +desk +[\d.]+ /,
    /rejects +rejects /,
    /report +r\.html /,
    /plan +p\.plan /,
    /export +export /,
  ])
    expect(stdout).toMatch(row);
  expect(stdout).toContain('Nothing was deleted');
  expect(stdout).toContain('helpdesk-import clean export --yes');
  expect(readdirSync(path, { recursive: true })).toEqual(before);
});

it('deletes them with --yes, and keeps checkpoint, settings, the unnamed export and the files of others', async () => {
  const { path, typed } = await imported();
  writeFileSync(`${path}/helpdesk-import.yaml`, 'unmapped: note\n');
  const { code, stdout } = await typed('clean', '--yes', '--json');
  expect([code, JSON.parse(stdout).deleted]).toEqual([0, true]);
  expect(readdirSync(path).toSorted()).toEqual([
    'c.sqlite',
    'c.sqlite.lock',
    'export',
    'helpdesk-import.yaml',
    'mine',
    'notes.html',
  ]);
  expect((await typed('clean', 'export', '--yes')).stdout).toContain('Deleted 1 file or folder');
  expect(existsSync(`${path}/export`)).toBe(false);
  expect((await typed('clean')).stdout).toContain('Nothing to delete in this folder.');
});

it.each([
  ['.', 'holds this folder'],
  ['c.sqlite', 'is a checkpoint'],
  ['nowhere', 'There is no file or folder nowhere.'],
])('%s is refused, and nothing is deleted', async (named, says) => {
  const { path, typed } = await imported();
  const { code, stderr } = await typed('clean', 'export', named, '--yes');
  expect([code, stderr]).toEqual([2, expect.stringContaining(says)]);
  for (const kept of ['desk', 'rejects', 'export', 'c.sqlite'])
    expect(existsSync(`${path}/${kept}`)).toBe(true);
});

it('[cleanrejects] keeps rejects that a person corrected and no run has read, and says so', async () => {
  const { path, typed } = await imported();
  const file = `${path}/rejects/tickets.jsonl`;
  const corrected = readFileSync(file, 'utf8').replace('"odd"', '"open"');
  writeFileSync(file, corrected);
  cpSync(`${path}/rejects`, `${path}/export/rejects`, { recursive: true });
  const listed = await typed('clean', 'export');
  expect(listed.stdout.replaceAll(/\s+/g, ' ')).toMatch(
    /Kept: (export\/rejects, rejects|rejects, export\/rejects)\. Someone corrected them/,
  );
  expect(listed.stdout).not.toMatch(/rejects +rejects /);
  for (const named of [['export'], ['rejects']])
    expect((await typed('clean', ...named, '--yes')).code).toBe(0);
  for (const folder of ['rejects', 'export/rejects'])
    expect(readFileSync(`${path}/${folder}/tickets.jsonl`, 'utf8')).toBe(corrected);
  expect(existsSync(`${path}/export/tickets.jsonl`)).toBe(false);
  expect(existsSync(`${path}/desk`)).toBe(false);
});

it('[cleanfiles] deletes an export around fetched files, and names the files as kept only if there are any', async () => {
  const { path, typed } = await imported();
  expect((await typed('clean')).stdout).not.toContain('fetched files');
  const name = `ab${'0'.repeat(62)}.png`;
  for (const folder of ['export/files/ab', 'export/ab']) mkdirSync(`${path}/${folder}`, { recursive: true });
  writeFileSync(`${path}/export/files/ab/${name}`, 'a picture');
  writeFileSync(`${path}/export/ab/abc.json`, '{}');
  const { stdout } = await typed('clean', 'export', '--yes');
  expect(stdout).toContain('fetched files (export/files)');
  expect(readdirSync(`${path}/export`, { recursive: true }).toSorted()).toEqual([
    'files',
    'files/ab',
    `files/ab/${name}`,
  ]);
});

it('names all that commands leave: an export that is not named and its fetched files stay', async () => {
  const { path, typed } = await imported();
  rmSync(`${path}/mine`, { recursive: true });
  rmSync(`${path}/notes.html`);
  writeFileSync(`${path}/export.state.sqlite`, '');
  mkdirSync(`${path}/files/ab`, { recursive: true });
  writeFileSync(`${path}/files/ab/ab${'0'.repeat(62)}.png`, 'a picture');
  const { stdout } = await typed('clean');
  const left = readdirSync(path).filter((name) => !/\.lock$|state\.sqlite$/.test(name));
  expect(left.filter((name) => !stdout.includes(name))).toEqual([]);
  expect(stdout).toContain('Kept: export. Name an export to delete it.');
  await typed('clean', 'export', '--yes');
  expect(readdirSync(path).filter((name) => name.startsWith('export'))).toEqual([]);
});
