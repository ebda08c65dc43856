/** Commands that a screen proposes, where npm runs the program: they work as they are copied. */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { fixtures } from '../support/cli.ts';
import { openFolder } from '../support/desk.ts';
import { makeCheckpoint } from './checkpoints.ts';

const BAD = join(fixtures, 'native/bad/csv');
/** More than a list shows. */
const FATES = Object.fromEntries([
  ['a', 'done'],
  ['b', 'inDoubt'],
  ...Array.from({ length: 60 }, (_, at) => [`c${at}`, 'inDoubt']),
  ...Array.from({ length: 60 }, (_, at) => [`d${at}`, 'failed']),
]);

it.each<[what: string, args: readonly string[]]>([
  ['a dry run', ['run', BAD, '--dry-run']],
  ['inspect', ['inspect', BAD]],
  ['status', ['status']],
  ['the failed ones', ['status', '--failed']],
  ['those in doubt', ['status', '--in-doubt']],
  ['resolve', ['resolve']],
  ['resolve, one of them', ['resolve', '--retry', 'b']],
  ['doctor', ['doctor']],
  ['a dry run of usage events', ['billing', 'usage-events', 'usage.csv', '--dry-run']],
])('%s names npx in each', async (_, args) => {
  const { folder, write, type } = openFolder({ env: { npm_command: 'exec' } });
  // A run would find a checkpoint of another source.
  if (args[0] !== 'run')
    await makeCheckpoint(folder.join('helpdesk-import.checkpoint.sqlite'), { tickets: FATES });
  write('usage.csv', 'eventId,eventName,customerId,timestamp\n1,opened,shop-1,2026-02-20T10:00:00Z\n');
  const { stdout, stderr } = await type(...args);
  const screen = (stdout + stderr).replace(/\s+/g, ' ');
  expect(screen).toMatch(/npx helpdesk-import [a-z]/);
  expect(
    screen.match(/(?<!npx )(?<![\w./-])helpdesk-import (?:run|init|resolve|status|billing) .{20}/g),
  ).toBeNull();
});
