/** `init` with a change for each line that is marked, then a dry run or a run, which may not stop for a decision. */
import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { inProcess } from '../cli/in-process.ts';
import { settled } from '../discover/support.ts';
import { temporaryFolder } from '../support/cli.ts';

export async function initThenRun(path: string, mode: 'dry-run' | 'run'): Promise<void> {
  using folder = temporaryFolder();
  const where = { cwd: folder.path };
  const settings = folder.join('helpdesk-import.yaml');
  const init = await inProcess('init', [path], { output: settings, set: await settled([path]) }, where);
  expect(init.code, init.stderr).toBe(0);
  expect(readFileSync(settings, 'utf8')).not.toMatch(/^[^#]*TODO/m);
  const flags = { config: settings, checkpoint: folder.join('checkpoint.sqlite'), yes: true };
  // What stops a run is known before the first ticket is sent.
  const sending = { sandbox: folder.join('sandbox'), limit: '20', rate: '100000/1' };
  const more = mode === 'dry-run' ? { dryRun: true } : sending;
  const { code, stderr } = await inProcess('run', [path], { ...flags, ...more }, where);
  expect([0, 3], stderr).toContain(code);
}
