/** A mistaken option or command, or a command without its argument, is answered with how to type it. */
import { expect, it } from 'vitest';
import { openFolder } from '../support/desk.ts';
import { tickets } from '../support/tickets.ts';

it.each<[args: string[], says: string]>([
  [['explain', '7'], '(Did you mean: helpdesk-import inspect export/ --ticket <id>)'],
  [['dry-run', 'export.csv'], '(--dry-run is an option: helpdesk-import run --dry-run)'],
  [['delta'], '(--delta is an option: helpdesk-import run --delta)'],
  [['run', 'export.csv', '--status'], '(status is a command: helpdesk-import status)'],
  [['run', '--doctor'], '(doctor is a command: helpdesk-import doctor)'],
  [['gate', 'shop-1'], '(gate is a command: helpdesk-import billing gate)'],
  [['gate', '--help'], '(gate is a command: helpdesk-import billing gate)'],
  [['help', 'gate'], '(gate is a command: helpdesk-import billing gate)'],
  [['import', 'export/'], '(Did you mean: helpdesk-import run)'],
  [['resume'], '(Did you mean: helpdesk-import run)'],
  [['clean-up', '--help'], "unknown command 'clean-up'"],
  [['help', 'verfy'], '(Did you mean verify?)'],
  [['run', 'export.csv', '--dry'], '(Did you mean --dry-run?)'],
  [['run', 'export.csv', '--token', 'x'], 'set HELPDESK_TOKEN'],
  [['verify', 'export.csv', '--from', 'zendesk'], '(Did you mean: --set source.from=zendesk)'],
  [['run', 'export.csv', '--source-name=x'], '(Did you mean: --set source.name=x)'],
  [
    ['billing', 'gate'],
    '(id of the customer; for example: helpdesk-import billing gate shop-1 --feature exports)',
  ],
])('%j: %s', async (args, says) => {
  const { code, stderr } = await openFolder().type(...args);
  expect(code).toBe(2);
  expect(stderr).toContain(says);
});

it('version is a word too, and a dry run is -n, quiet -q', async () => {
  const { write, type } = openFolder();
  write('a.jsonl', tickets(2));
  expect((await type('version')).stdout).toBe((await type('--version')).stdout);
  const { code, stdout } = await type('run', 'a.jsonl', '-n', '-q', '--json');
  expect([code, JSON.parse(stdout).mode]).toEqual([0, 'dry-run']);
});

it('--json says it too', async () => {
  const { stdout } = await openFolder().type('checkpoint', '--json');
  expect(JSON.parse(stdout).error.hint).toContain('for example: helpdesk-import checkpoint backup');
});

it.each([
  [['run', 'nope.csv']],
  [['run', 'nope.csv', '--dry-run']],
  [['run', 'nope.csv', '--limit', 'many']],
])('%j: a file that is not there is said first, whatever else is missing', async (args) => {
  const { code, stderr } = await openFolder().type(...args);
  expect(code).toBe(2);
  expect(stderr).toContain('There is no file or folder nope.csv.');
  expect(stderr).not.toContain('target');
});
