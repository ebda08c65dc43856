/** Exports that are no exports: each ends within bounds of memory, in a sentence that says where, and without a guess. */
import { closeSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { expect, it } from 'vitest';
import { cli, temporaryFolder } from '../support/cli.ts';

const HEADER = 'id,subject,email,created_at,body';
const ROW = 'Lamp,ann@example.com,2024-01-01T00:00:00Z';
/** A heap that a table in memory does not fit into. */
const bounded = { NODE_OPTIONS: '--max-old-space-size=320' };

it('a table of 10,000 columns is read, and its columns are counted', async () => {
  using folder = temporaryFolder();
  const more = Array.from({ length: 10_000 }, (_, nr) => `c${nr}`);
  const lines = [1, 2, 3].map((id) => `${id},${ROW},The lamp number ${id} is broken,${more}`);
  writeFileSync(folder.join('wide.csv'), `${HEADER},${more}\n${lines.join('\n')}\n`);
  const { code, stdout } = await cli(['run', 'wide.csv', '--dry-run', '--json'], {
    cwd: folder.path,
    env: bounded,
  });
  const { tickets, kept, lost } = JSON.parse(stdout);
  expect({ code, read: tickets.read }).toEqual({ code: 0, read: 3 });
  expect(kept.columns.length + lost.length).toBeGreaterThan(0);
});

it('a cell of 100 MB is refused with its line', async () => {
  using folder = temporaryFolder();
  const file = openSync(folder.join('cell.csv'), 'w');
  writeSync(file, `${HEADER}\n1,${ROW},"`);
  for (let part = 0; part < 100; part++) writeSync(file, 'x '.repeat(500_000));
  writeSync(file, `"\n2,${ROW},hello\n`);
  closeSync(file);
  const { code, stderr } = await cli(['run', 'cell.csv', '--dry-run'], { cwd: folder.path, env: bounded });
  expect(code).toBe(2);
  expect(stderr).toContain('cell.csv:2: the record is longer than 64 MiB.');
});

it('keys that are data are not taken for columns of a ticket', async () => {
  using folder = temporaryFolder();
  const person = (id: number) => [`user${id}`, { id, email: `a${id}@example.com`, body: 'Hi' }] as const;
  const people = Object.fromEntries(Array.from({ length: 20_000 }, (_, id) => person(id)));
  writeFileSync(folder.join('keys.json'), JSON.stringify(people));
  const { code, stderr } = await cli(['run', 'keys.json', '--dry-run'], { cwd: folder.path, env: bounded });
  expect(code).toBe(2);
  expect(stderr).toMatch(/^Error: This export has no known layout\..*helpdesk-import init keys\.json/s);
  expect(stderr.length).toBeLessThan(2_000);
});
