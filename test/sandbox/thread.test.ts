/** The sandbox of an import, which runs in a thread of its own. */
import { readdirSync } from 'node:fs';
import { expect, it, onTestFinished } from 'vitest';
import { startEmbedded } from '../../src/sandbox-thread.ts';
import { tempFolder } from '../source/temp-export.ts';
import { running } from './running-sandbox.ts';

it('answers while the thread of the import is busy, and leaves one file at its end', async () => {
  const dir = tempFolder();
  const sandbox = await startEmbedded(dir);
  onTestFinished(() => sandbox.close());
  const names = sandbox.call('keepNames', new Map([['agt_1', 'Kim']]));
  const before = performance.now();
  const answer = fetch(sandbox.page);
  while (performance.now() - before < 50);
  expect((await answer).status).toBe(200);
  await names;
  await sandbox.close();
  expect(readdirSync(dir)).toEqual(['service.sqlite']);
});

it('says why its folder cannot be used', async () => {
  const dir = tempFolder();
  await running({ dir });
  await expect(startEmbedded(dir)).rejects.toMatchObject({
    code: 'usage',
    exitCode: 2,
    message: expect.stringContaining('in use by another process'),
    hint: expect.stringContaining('Stop the other sandbox'),
  });
});

it('a call that fails throws what the sandbox threw', async () => {
  const sandbox = await startEmbedded(tempFolder());
  onTestFinished(() => sandbox.close());
  await expect(sandbox.call('review', [{} as never])).rejects.toThrow('syntax error');
  expect(await sandbox.call('beginReview')).toBe(false);
});
