/** Streams, terminals and connections that are lost: the import continues or ends properly, and the exit code says which. */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { root, startCli, startShell } from '../support/cli.ts';
import { type Desk, LENIENT, openDesk } from '../support/desk.ts';
import { tickets } from '../support/tickets.ts';

const COUNT = 20;
const PROGRAM = `"${process.execPath}" "${join(root, 'bin/helpdesk-import.js')}"`;

const inTarget = ({ rows }: Desk) =>
  rows('SELECT count(*) AS tickets, count(DISTINCT subject) AS different FROM tickets');
const whole = (count: number) => [{ tickets: count, different: count }];

async function deskWith(text: string, ...faultTexts: string[]): Promise<Desk> {
  const desk = await openDesk({ ...LENIENT, faultTexts });
  desk.write('export.jsonl', text);
  return desk;
}

const inShell = ({ where }: Desk, line: string) => startShell(['bash', '-o', 'pipefail', '-c', line], where);

it.each<[what: string, line: string, code: string]>([
  ['a reader of the result that takes one line', '$P run export.jsonl $R | head -n 1; echo "code $?"', '0'],
  [
    'a tee that dies',
    '$P run export.jsonl $R --verbose 2>&1 | head -n 2 | cat >/dev/null; echo "code $?"',
    '0',
  ],
  ['readers that never read', '$P run export.jsonl $R 2>&1 | true; echo "code $?"', '0'],
  ['closed streams', '$P run export.jsonl $R >/dev/null 2>&-; echo "code $?"', '0'],
  ['a summary that cannot be written', '$P run export.jsonl $R --json >/dev/full; echo "code $?"', '6'],
])('%s: every ticket is imported, and the exit code says so', async (_, line, code) => {
  const desk = await deskWith(tickets(COUNT));
  const shell = line.replace('$P', PROGRAM).replace('$R', '--set run.rate=100000/1');
  const { stdout } = await inShell(desk, shell);
  expect(stdout).toContain(`code ${code}`);
  expect(inTarget(desk)).toEqual(whole(COUNT));
});

it('a closed pipe does not turn an unfinished import into a 0', async () => {
  const desk = await deskWith(`${tickets(3)}{"id":"bad","subject":""}\n`);
  const shell = `${PROGRAM} run export.jsonl 2>&1 | true; echo "code $?"`;
  const { stdout } = await inShell(desk, shell);
  expect(stdout).toContain('code 3');
  expect(inTarget(desk)).toEqual(whole(3));
});

it('a closed terminal sends several signals: requests in flight finish, and the rest comes later', async () => {
  const desk = await deskWith(tickets(COUNT), 'slow=150:100@create');
  const run = startCli(['run', 'export.jsonl', '--set', 'run.batchSize=2'], desk.where);
  await run.shown('importing:');
  run.kill('SIGHUP');
  run.kill('SIGHUP');
  const { code, stdout } = await run.result;
  expect(code).toBe(143);
  expect(stdout).not.toMatch(/in doubt/);
  expect((await startCli(['run', 'export.jsonl'], desk.where).result).code).toBe(0);
  expect(inTarget(desk)).toEqual(whole(COUNT));
});
