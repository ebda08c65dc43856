/** What `npm pack` makes installs elsewhere and runs there. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fixtures, root, temporaryFolder } from '../support/cli.ts';

function npm(args: readonly string[], cwd: string): string {
  return execFileSync('npm', [...args, '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd,
    encoding: 'utf8',
    shell: process.platform === 'win32',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

describe('the package', () => {
  it('packed and installed in an empty folder, tells its version and makes a dry run', {
    timeout: 180_000,
  }, () => {
    using folder = temporaryFolder();
    // The build of this checkout is packed as it is: a build while other tests run would pull it from under them.
    const packed = JSON.parse(
      npm(['pack', '--json', '--ignore-scripts', '--pack-destination', folder.path], root),
    ) as { filename: string; files: { path: string }[] }[];
    const [{ filename, files } = { filename: '', files: [] }] = packed;
    const paths = files.map(({ path }) => path);
    expect(paths).toContain('bin/helpdesk-import.js');
    expect(paths).toContain('dist/main.js');
    expect(paths).toContain('dist/mapping/platforms/native.yaml');
    expect(paths.filter((path) => /^(test|src|fixtures|bench)\//.test(path))).toEqual([]);

    const elsewhere = folder.join('elsewhere');
    mkdirSync(elsewhere);
    writeFileSync(join(elsewhere, 'package.json'), '{"private": true}');
    npm(['install', '--ignore-scripts', '--prefer-offline', folder.join(filename)], elsewhere);

    const bin = join(elsewhere, 'node_modules/.bin/helpdesk-import');
    const env = { ...process.env, PATH: `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}` };
    const version = execFileSync(bin, ['--version'], { encoding: 'utf8', env }).trim();
    expect(version).toMatch(/^\d+\.\d+\.\d+/);
    cpSync(join(fixtures, 'demo'), join(elsewhere, 'demo'), { recursive: true });
    const reported = JSON.parse(
      execFileSync(bin, ['run', 'demo', '--dry-run', '--json'], {
        cwd: elsewhere,
        encoding: 'utf8',
        env,
        stdio: ['ignore', 'pipe', 'ignore'],
      }),
    ) as { tickets: { read: number; pending: number } };
    expect(reported.tickets).toMatchObject({ read: 257, pending: 257 });
    expect(readdirSync(elsewhere).sort()).toEqual([
      'demo',
      'node_modules',
      'package-lock.json',
      'package.json',
    ]);
  });
});
