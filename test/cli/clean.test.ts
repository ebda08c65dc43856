/** The command clean: what holds customers' words is listed, and deleted only with --yes. */
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { commandLine } from '../support/command-line.ts';
import { folderOfTest } from '../support/folder-of-test.ts';
import { tickets } from '../support/tickets.ts';

async function imported() {
  const folder = folderOfTest();
  const typed = (...args: string[]) => commandLine(args, { cwd: folder.path });
  mkdirSync(folder.join('export'));
  const bad =
    '{"id":"X","subject":"No requester","createdAt":"2024-05-01T10:00:00Z","status":"odd","messages":[]}';
  writeFileSync(folder.join('export/tickets.jsonl'), `${tickets(3)}${bad}\n`);
  const files = ['--set', 'run.rejects=rejects', '--checkpoint', 'c.sqlite', '--report', 'r.html'];
  expect((await typed('run', 'export', '--sandbox', 'desk', ...files)).code).toBe(3);
  expect((await typed('run', 'export', '--dry-run', '--plan', 'p.plan', '--quiet')).code).toBe(3);
  // Not the program's: they only look so.
  mkdirSync(folder.join('mine'));
  writeFileSync(folder.join('mine/service.sqlite'), 'SQLite format 3, or so I say');
  writeFileSync(folder.join('notes.html'), '<title>my notes</title>');
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
