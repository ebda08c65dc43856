import { existsSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { copyForReading } from '../../src/checkpoint/copy-for-reading.ts';
import { temporaryFolder } from '../support/cli.ts';
import { opened, scratchPath } from './scratch.ts';

it('what is no database is not copied, however large it is; a checkpoint is', async () => {
  using folder = temporaryFolder();
  writeFileSync(folder.join('other'), Buffer.alloc(100_000));
  writeFileSync(folder.join('short'), 'SQLite format 3');
  expect(copyForReading(folder.join('other'))).toBeUndefined();
  expect(copyForReading(folder.join('short'))).toBeUndefined();
  expect(copyForReading(folder.join('nothing'))).toBeUndefined();
  const path = scratchPath();
  await opened(path).close();
  const copy = copyForReading(path);
  expect(copy === undefined || existsSync(copy.path)).toBe(true);
  copy?.remove();
  expect(copy !== undefined || process.platform === 'win32').toBe(true);
});
