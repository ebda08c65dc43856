import { expect, it } from 'vitest';
import { openDesk } from '../support/desk.ts';

const HEADER = 'id,subject,contact.email,createdAt';
const GOOD = '1,A,a@example.com,2024-01-01T00:00:00Z';
const BAD = '2,B,nobody,2024-01-01T00:00:00Z';

it('a problem that was shown in full is one line in the next run of the same export', async () => {
  const desk = await openDesk();
  const run = async (...words: string[]) => {
    const { stdout, stderr } = await desk.type('run', 'tickets.csv', '--yes', ...words);
    return stdout + stderr;
  };
  const write = (...rows: string[]) => desk.write('tickets.csv', [HEADER, ...rows].join('\n'));
  const full = 'e.g. tickets.csv:3';
  const again = 'For details of problems in one line add --verbose.';

  write(GOOD, BAD);
  // What was not on the screen is shown later.
  await run('--quiet');
  const first = await run();
  expect(first).toContain(full);
  expect(first).not.toContain(again);

  const second = await run();
  expect(second).toMatch(/1 ticket .*\(contact\.email\)/);
  expect(second).not.toContain(full);
  expect(second).toContain(again);
  expect(await run('--verbose')).toContain(full);
  expect(await run('--dry-run')).not.toContain(full);

  // An error of the next version has another place, so it is shown in full; a known warning is not.
  write(GOOD, BAD, '3,,c@example.com,2024-01-01T00:00:00Z');
  const changed = await run();
  expect(changed).toContain(full);
  expect(changed).toMatch(/2 tickets +The ticket has no messages[^→]*For details of problems/);
});
