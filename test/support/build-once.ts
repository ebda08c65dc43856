import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';

/** Before any test: builds dist/, which is what users run, so that end-to-end tests see the code as it is. */
export function setup(): void {
  execFileSync('npm', ['run', '--silent', 'build'], {
    cwd: resolve(import.meta.dirname, '../..'),
    stdio: ['ignore', 'ignore', 'inherit'],
    shell: process.platform === 'win32',
  });
}
