import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { isInstalled, missingLine } from './programs.ts';

const root = resolve(import.meta.dirname, '../..');

/** Builds dist/, which end-to-end tests run; wrong types do not stop it (`npm run types` judges them). */
export function setup(): () => void {
  const before = written();
  const missing = missingLine(isInstalled);
  if (missing !== undefined) process.stdout.write(`${missing}\n`);
  const compiler = resolve(root, 'node_modules/typescript/bin/tsc');
  const compiled = spawnSync(process.execPath, [compiler, '-p', 'src'], { cwd: root, encoding: 'utf8' });
  if (compiled.error !== undefined) throw compiled.error;
  execFileSync('npm', ['run', '--silent', 'build:assets'], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const forget = keepFilesInMemory();
  return () => {
    forget?.();
    const left = written().filter((name) => !before.includes(name));
    if (left.length > 0) throw new Error(`A test left ${left.join(', ')} in the checkout: give it a folder.`);
  };
}

function written(): string[] {
  return readdirSync(root).filter((name) => name.startsWith('helpdesk-import'));
}

const MEMORY = '/dev/shm';
const ENOUGH_BYTES = 4 * 1024 ** 3;

/** Checkpoints flush every step, which a disk takes milliseconds for and memory does not: temporary files go there. */
function keepFilesInMemory(): (() => void) | undefined {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    if (process.env['TMPDIR'] !== undefined || bavail * bsize < ENOUGH_BYTES) return undefined;
    const folder = mkdtempSync(join(MEMORY, 'helpdesk-import-tests-'));
    process.env['TMPDIR'] = folder;
    return () => rmSync(folder, { recursive: true, force: true });
  } catch {
    return undefined; // this system has no files in memory
  }
}
