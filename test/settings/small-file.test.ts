import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readSmallFile } from '../../src/domain/files.ts';
import { readSecretFile } from '../../src/helpdesk/secrets.ts';
import { expandIdList } from '../../src/settings/parsers.ts';
import { loadSettingsFile } from '../../src/settings/settings-file.ts';
import { temporaryFolder } from '../support/cli.ts';

const own = temporaryFolder();
const folder = own.path;
beforeAll(() => {
  mkdirSync(join(folder, 'folder'));
  writeFileSync(join(folder, 'large'), 'a: b\n'.repeat(1_000_000));
  execFileSync('mkfifo', [join(folder, 'pipe')]);
  symlinkSync('/dev/zero', join(folder, 'zero'));
});
afterAll(() => own[Symbol.dispose]());

const READERS: readonly (readonly [string, (path: string) => Promise<unknown>])[] = [
  ['a token', readSecretFile],
  ['a list of tickets', (path) => expandIdList([`@${path}`], (name) => name)],
  ['the settings', (path) => loadSettingsFile(path, { hint: '', pathOf: (name) => name })],
];

describe.each(READERS)('%s from', (_, read) => {
  it.each([
    ['pipe', 'is not a regular file'],
    ['zero', 'is not a regular file'],
    ['folder', 'cannot be read (EISDIR)'],
    ['nowhere', 'does not exist'],
  ])('%s is refused at once: %s', async (name, why) => {
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

it('a list of tickets has each ID once, from the command line and from files', async () => {
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
  const listed = (...entries: string[]) => expandIdList(entries, (name) => join(folder, name));
  write('ids', '\ufeff7\r\n\r\n 8 \r\n1\r\n');
  expect(await listed('1', '@ids', '2')).toEqual(['1', '7', '8', '2']);
  write('many', Array.from({ length: 130_000 }, (_, index) => `${index}\n`).join(''));
  expect(await listed('@many')).toHaveLength(130_000);
  write('empty', '\n');
  await expect(listed('@empty')).rejects.toThrow('The list of tickets empty is empty.');
});

it('an existing default settings file is read', async () => {
  const load = () => loadSettingsFile(undefined, { hint: '', pathOf: (name) => join(folder, name) });
  expect(await load()).toBeUndefined();
  writeFileSync(join(folder, 'helpdesk-import.yaml'), 'run: { timeout: 5 }');
  expect((await load())?.value.run?.timeout).toBe(5);
});
