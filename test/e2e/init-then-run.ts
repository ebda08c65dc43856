/** `init` with a change for each line that is marked, then a dry run or a run, which may not stop for a decision. */
import { writeFileSync } from 'node:fs';
import { expect } from 'vitest';
import { inProcess } from '../cli/in-process.ts';
import { editing, settle } from '../discover/preview.ts';
import { temporaryFolder } from '../support/cli.ts';

/** The settings that `init` writes. */
export async function decided(path: string | readonly string[]): Promise<string> {
  await using edited = await editing(path, undefined, {});
  await settle(edited.editor);
  const text = await edited.text();
  expect(text).not.toMatch(/^[^#]*TODO/m);
  return text;
}

export async function initThenRun(path: string, mode: 'dry-run' | 'run'): Promise<void> {
  using folder = temporaryFolder();
  const where = { cwd: folder.path };
  const settings = folder.join('helpdesk-import.yaml');
  writeFileSync(settings, await decided(path));
  const flags = { config: settings, checkpoint: folder.join('checkpoint.sqlite'), yes: true };
  // What stops a run is known before the first ticket is sent.
  const sending = { sandbox: folder.join('sandbox'), limit: '20', rate: '100000/1' };
  const more = mode === 'dry-run' ? { dryRun: true } : sending;
  const { code, stderr } = await inProcess('run', [path], { ...flags, ...more }, where);
  expect([0, 3], stderr).toContain(code);
}
