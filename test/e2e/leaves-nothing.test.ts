/** A mistake in what was typed leaves nothing behind, and a rehearsal waits for no ID. */
import { cpSync, existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { fixtures } from '../support/cli.ts';
import { openDesk, openFolder } from '../support/desk.ts';
import { tickets } from '../support/tickets.ts';

it.each([
  [
    'run --files-only without a place for the files',
    ['run', 'export.jsonl', '--files-only'],
    /No place for the files/,
  ],
  ['a ticket that no export has', ['run', 'export.jsonl', '--sandbox', '--only', 'x'], /No ticket matches/],
  ['a day to come', ['run', 'export.jsonl', '--dry-run', '--since', '2999-01-01'], /No ticket matches/],
])('%s', async (_, args, complaint) => {
  const { folder, write, type } = openFolder();
  write('export.jsonl', tickets(2));
  const { code, stdout, stderr } = await type(...args);
  expect([code, `${stdout}${stderr}`]).toEqual([2, expect.stringMatching(complaint)]);
  expect(readdirSync(folder.path).filter((name) => /checkpoint|rejects/.test(name))).toEqual([]);
});

it('a run that is refused after it read the export makes no checkpoint', async () => {
  const { write, type, folder } = await openDesk();
  write('export.jsonl', tickets(2));
  await type('run', 'export.jsonl', '--dry-run', '--plan', 'approved.plan');
  write('export.jsonl', tickets(3));
  const { code, stderr } = await type('run', 'export.jsonl', '--approved', 'approved.plan');
  expect([code, stderr]).toEqual([2, expect.stringContaining('1 new')]);
  expect(existsSync(folder.join('checkpoint.sqlite'))).toBe(false);
});

it('an agent ID that is still to be decided stops no import into the sandbox', async () => {
  const { write, type } = openFolder();
  write('export.jsonl', tickets(2));
  write('helpdesk-import.yaml', 'agents:\n  ana: TODO\nfallbackAgent: TODO\n');
  expect((await type('run', 'export.jsonl', '--sandbox')).code).toBe(0);
  const real = await type('run', 'export.jsonl', '--dry-run');
  expect([real.code, real.stderr]).toEqual([
    2,
    expect.stringContaining('fallbackAgent is still to be decided'),
  ]);
});

it('the sample has a sandbox of its own, so the next line of the README shows their tickets alone', async () => {
  const { folder, type } = openFolder();
  cpSync(join(fixtures, 'demo'), folder.join('demo'), { recursive: true });
  cpSync(join(fixtures, 'zendesk-export'), folder.join('export'), { recursive: true });
  const run = (...words: string[]) => type('run', ...words);
  await run('demo', '--sandbox', 'sample.sandbox', '--limit', '3');
  expect((await run('export/', '--sandbox')).stdout).toContain('All 4 tickets are in the helpdesk.');
  expect(existsSync(folder.join('helpdesk-import.sandbox'))).toBe(true);
  const mixed = await run('export/', '--sandbox', 'sample.sandbox');
  expect([mixed.code, mixed.stderr]).toEqual([2, expect.stringMatching(/--sandbox <new folder>/)]);
  expect(mixed.stderr).not.toContain('source.name');
});
