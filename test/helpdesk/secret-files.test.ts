import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Secret } from '../../src/domain/secret.ts';
import { readSecretFile, writeSecretFile } from '../../src/helpdesk/secrets.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'secrets-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('files with secrets', () => {
  it('rewrites the token file with mode 600', async () => {
    const path = join(folder, 'refresh');
    writeFileSync(path, 'old');
    chmodSync(path, 0o644);
    await writeSecretFile(path, new Secret('new-token'));
    expect(await readSecretFile(path)).toBe('new-token');
    if (process.platform !== 'win32') expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder)).toEqual(['refresh']);
  });

  it.runIf(process.platform !== 'win32')(
    'a symbolic link stays one: what it leads to is replaced',
    async () => {
      mkdirSync(join(folder, 'real'));
      writeFileSync(join(folder, 'real', 'token'), 'old');
      symlinkSync(join('real', 'token'), join(folder, 'refresh'));
      await writeSecretFile(join(folder, 'refresh'), new Secret('new-token'));
      expect(lstatSync(join(folder, 'refresh')).isSymbolicLink()).toBe(true);
      expect(readFileSync(join(folder, 'real', 'token'), 'utf8').trim()).toBe('new-token');
    },
  );

  it('a write that fails leaves the old content and no draft', async () => {
    const path = join(folder, 'refresh');
    writeFileSync(path, 'old');
    await expect(writeSecretFile(join(folder, 'missing', 'refresh'), new Secret('new'))).rejects.toThrow();
    await expect(writeSecretFile(folder, new Secret('new'))).rejects.toThrow();
    // A token that came by a pipe of the shell: its name is not to be replaced.
    for (const name of ['/dev/stdin', '/dev/fd/63', '/proc/self/fd/0'])
      await expect(writeSecretFile(name, new Secret('new'))).rejects.toMatchObject({ code: 'EINVAL' });
    expect([readFileSync(path, 'utf8'), readdirSync(folder)]).toEqual(['old', ['refresh']]);
    expect(existsSync(join(folder, 'missing'))).toBe(false);
    expect(
      readdirSync(join(folder, '..')).some((name) => name.startsWith(`.${folder.split('/').at(-1)}`)),
    ).toBe(false);
  });

  it('a file that cannot be read is a configuration error that names it', async () => {
    const path = join(folder, 'nothing');
    await expect(readSecretFile(path)).rejects.toMatchObject({
      code: 'configuration',
      message: expect.stringContaining(path),
    });
    writeFileSync(path, 'x'.repeat(100_000));
    await expect(readSecretFile(path)).rejects.toMatchObject({ code: 'configuration' });
  });
});
