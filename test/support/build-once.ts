import { execFileSync, spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { isInstalled, missingLine } from './programs.ts';

const root = resolve(import.meta.dirname, '../..');

/**
 * Before any test: builds dist/, which is what users run, so that end-to-end tests see the code as it is. Wrong types do
 * not stop it: `npm run types` judges them, and a test run should show what the tests say.
 */
export function setup(): void {
  const missing = missingLine(isInstalled);
  if (missing !== undefined) process.stdout.write(`${missing}\n`);
  const compiler = resolve(root, 'node_modules/typescript/bin/tsc');
  const compiled = spawnSync(process.execPath, [compiler, '-p', 'src'], { cwd: root, encoding: 'utf8' });
  if (compiled.error !== undefined) throw compiled.error;
  execFileSync('npm', ['run', '--silent', 'build:assets'], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}
