/** A file that is not there is said first, whatever else is missing. */
import { expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../support/cli.ts';
import { commandLine } from '../support/command-line.ts';

it.each([
  [['run', 'nope.csv']],
  [['run', 'nope.csv', '--dry-run']],
  [['run', 'nope.csv', '--limit', 'many']],
])('%j', async (args) => {
  const folder = temporaryFolder();
  onTestFinished(() => folder[Symbol.dispose]());
  const { code, stderr } = await commandLine(args, { cwd: folder.path });
  expect(code).toBe(2);
  expect(stderr).toContain('There is no file or folder nope.csv.');
  expect(stderr).not.toContain('target');
});
