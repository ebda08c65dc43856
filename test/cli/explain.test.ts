/** `inspect --ticket`: where each field of one ticket comes from, at every width. */
import { writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../support/cli.ts';
import { commandLine } from '../support/command-line.ts';
import { tickets } from '../support/tickets.ts';

it('cuts neither file names nor columns, however narrow the terminal is', async () => {
  using folder = temporaryFolder();
  const file = 'export-of-the-old-helpdesk-of-the-second-quarter-2024.jsonl';
  writeFileSync(folder.join(file), tickets(2));
  const { code, stdout, stderr } = await commandLine(['inspect', file, '--ticket', 'T1'], {
    cwd: folder.path,
    env: { COLUMNS: '50' },
  });
  expect(code, stderr).toBe(0);
  expect(stdout).not.toMatch(/…|\.\.\./);
  const words = stdout.replaceAll(/\s+/g, ' ');
  expect(words).toContain(`${file}:2 subject`);
  expect(words).toContain('messages[0].occurredAt');
  expect(words).toMatch(/^subject value Question 1 from \S+:2 subject /);
});
