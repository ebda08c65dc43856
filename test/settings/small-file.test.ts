import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readSmallFile } from '../../src/disk/files.ts';
import { expandIdList } from '../../src/settings/parsers.ts';
import { loadSettingsFile } from '../../src/settings/settings-file.ts';
import { readSecretFile } from '../../src/target/secrets.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'small-file-'));
  mkdirSync(join(folder, 'folder'));
  writeFileSync(join(folder, 'large'), 'a: b\n'.repeat(1_000_000));
  execFileSync('mkfifo', [join(folder, 'pipe')]);
  symlinkSync('/dev/zero', join(folder, 'zero'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const READERS: readonly (readonly [string, (path: string) => Promise<unknown>])[] = [
  ['a token', readSecretFile],
  ['a list of tickets', (path) => expandIdList([`@${path}`], (name) => name)],
  ['the settings', (path) => loadSettingsFile(path, { hint: '', pathOf: (name) => name })],
];

describe.each(READERS)('%s', (_, read) => {
  it.each([
    ['pipe', 'is not a regular file'],
    ['zero', 'is not a regular file'],
    ['folder', 'cannot be read (EISDIR)'],
    ['nowhere', 'does not exist'],
  ])('from %s is refused at once: %s', async (name, why) => {
    await expect(read(join(folder, name))).rejects.toMatchObject({
      name: 'AppError',
      exitCode: 2,
      message: expect.stringContaining(why),
    });
  });
});

it('a file that is larger than its limit is not read', async () => {
  await expect(readSecretFile(join(folder, 'large'))).rejects.toThrow('is too large');
  expect(readSmallFile(join(folder, 'large'), 10_000_000)).toHaveLength(5_000_000);
});

it('a list of 130,000 tickets is a list of tickets', async () => {
  const path = join(folder, 'ids');
  writeFileSync(path, Array.from({ length: 130_000 }, (_, index) => `${index}\n`).join(''));
  expect(await expandIdList([`@${path}`], (name) => name)).toHaveLength(130_000);
});
