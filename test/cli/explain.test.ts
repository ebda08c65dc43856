/** `inspect --ticket`: where each field of one ticket comes from, at every width. */
import { expect, it } from 'vitest';
import { openFolder } from '../support/desk.ts';
import { tickets } from '../support/tickets.ts';

it('cuts neither file names nor columns, however narrow the terminal is', async () => {
  const { write, typeWith } = openFolder();
  const file = 'export-of-the-old-helpdesk-of-the-second-quarter-2024.jsonl';
  write(file, tickets(2));
  const narrow = { env: { COLUMNS: '50' } };
  const { code, stdout, stderr } = await typeWith(narrow, 'inspect', file, '--ticket', 'T1');
  expect(code, stderr).toBe(0);
  expect(stdout).not.toMatch(/…|\.\.\./);
  const words = stdout.replaceAll(/\s+/g, ' ');
  expect(words).toContain(`${file}:2 subject`);
  expect(words).toContain('messages[0].occurredAt');
  expect(words).toMatch(/^subject value Question 1 from \S+:2 subject /);
});
