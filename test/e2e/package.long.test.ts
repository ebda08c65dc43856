/** What `npm pack` makes installs elsewhere and runs there. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
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
  it('installed globally, it runs on the oldest Node that is supported with the pictures of its README', {
    timeout: 300_000,
  }, () => {
    const major = 22;
    using folder = temporaryFolder();
    writeFileSync(folder.join('package.json'), '{"private": true, "allowScripts": {"node": true}}');
    npm(['install', '--prefer-offline', `node@${major}`], folder.path);
    const node = join(folder.path, 'node_modules/node/bin/node');
    npm(['pack', '--ignore-scripts', '--pack-destination', folder.path], root);
    const tarball = readdirSync(folder.path).find((name) => name.endsWith('.tgz')) ?? '';
    const prefix = folder.join('global');
    const flags = ['--global', '--prefix', prefix, '--ignore-scripts', '--prefer-offline'];
    npm(['install', ...flags, folder.join(tarball)], folder.path);
    const installed = join(prefix, 'lib/node_modules/helpdesk-import');
    const env = { PATH: `${dirname(node)}:/usr/bin:/bin`, HOME: folder.path };
    const run = (file: string, args: readonly string[]) =>
      execFileSync(file, args, {
        cwd: folder.path,
        encoding: 'utf8',
        env,
        stdio: ['ignore', 'pipe', 'pipe'],
      });
    expect(run(node, ['--version'])).toMatch(new RegExp(`^v${major}\\.`));
    const program = join(prefix, 'bin/helpdesk-import');
    const { tickets } = JSON.parse(
      run(program, ['run', join(fixtures, 'demo'), '--sandbox', 'desk', '--json']),
    );
    expect(tickets).toMatchObject({ read: 257, done: 257 });
    const readme = readFileSync(join(installed, 'README.md'), 'utf8');
    for (const [, picture = ''] of readme.matchAll(/!\[[^\]]*\]\(([^)]+)\)/g))
      expect(existsSync(join(installed, picture)), picture).toBe(true);
    const bill = JSON.parse(
      npm(['sbom', '--sbom-format=cyclonedx', '--omit=dev', '--package-lock-only'], root),
    );
    expect(bill.components.map(({ name }: { name: string }) => name)).toContain('better-sqlite3');
  });
});
