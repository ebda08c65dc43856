import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, it } from 'vitest';
import { backUpCheckpoint } from '../../src/checkpoint/open-database.ts';
import { readCheckpoint } from '../../src/checkpoint/read-checkpoint.ts';
import { intend, SENT_AT } from '../support/ledger-steps.ts';
import { complete, opened, scratchPath } from './scratch.ts';

it('a copy that is made while a run goes on is whole by itself, and opens', async () => {
  const path = scratchPath();
  const checkpoint = opened(path);
  for (let i = 0; i < 300; i += 1) await complete(checkpoint, `t${i}`, `T${i}`);
  await intend(checkpoint, 'open');
  const copy = `${path}.backup`;
  backUpCheckpoint(path, copy);
  await complete(checkpoint, 'later', 'T-later');
  const reader = readCheckpoint(copy);
  expect(reader.counts()).toMatchObject({ done: 300, creating: 1 });
  expect(reader.get('open')?.sent).toEqual({ at: SENT_AT, tag: 'src-open' });
  reader.close();
  expect(
    readdirSync(dirname(path)).filter((name) => name.startsWith('import.checkpoint.sqlite.backup')),
  ).toEqual(['import.checkpoint.sqlite.backup']);
  if (process.platform !== 'win32') expect(statSync(copy).mode & 0o777).toBe(0o600);
  await complete(opened(copy), 'of-the-copy', 'T2');
});

it('a copy replaces no file', async () => {
  const path = scratchPath();
  await opened(path).close();
  writeFileSync(`${path}.backup`, 'mine');
  expect(() => backUpCheckpoint(path, `${path}.backup`)).toThrow(expect.objectContaining({ code: 'usage' }));
  expect(existsSync(`${path}.backup.part`)).toBe(false);
});
