/** `--json` that has no result to tell tells why, in one object on standard output. */
import { describe, expect, it } from 'vitest';
import { allCommands } from '../../src/cli/command-list.ts';
import { openFolder } from '../support/desk.ts';
import { tickets } from '../support/tickets.ts';
import { contextFor } from './in-process.ts';

const TRIED: [args: string[], mode: string, code: string][] = [
  [['run', 'nothing-here.jsonl', '--json', '--dry-run'], 'dry-run', 'source'],
  [['run', 'export.jsonl', '--json'], 'run', 'configuration'],
  [['run', 'export.jsonl', '--json', '--trial'], 'trial', 'configuration'],
  [['run', 'export.jsonl', '--json', '--trial', '6', '--dry-run'], 'dry-run', 'configuration'],
  [['run', 'export.jsonl', '--json', '-c', 'none.yaml'], 'run', 'configuration'],
  [['run', 'export.jsonl', '--json', '-c', 'slip.yaml'], 'run', 'configuration'],
  [['run', 'export.jsonl', '--json', '-c', 'torn.yaml'], 'run', 'configuration'],
  [['run', 'export.jsonl', '--json', '--no-such-option'], 'run', 'usage'],
  [['run', 'export.jsonl', '--json', '--limit'], 'run', 'usage'],
  [['run', 'export.jsonl', '--json', '--limit', 'x'], 'run', 'configuration'],
  [['status', '--json'], 'status', 'checkpoint'],
  [['resolve', '--json', '--retry'], 'resolve', 'checkpoint'],
  [['verify', 'export.jsonl', '--json', '--sandbox'], 'verify', 'checkpoint'],
  [['inspect', 'nothing-here', '--json'], 'inspect', 'source'],
  [['init', 'nothing-here', '--json'], 'init', 'source'],
  [['billing', 'usage-events', 'nothing-here.csv', '--dry-run', '--json'], 'dry-run', 'source'],
  [['billing', 'customer', 'shop-1', '--json'], 'customer', 'configuration'],
  [['billing', 'gate', 'shop-1', '--json'], 'gate', 'usage'],
  [['billing', 'usage', '--json'], 'usage', 'configuration'],
  [['checkpoint', 'backup', '--json'], 'checkpoint', 'checkpoint'],
  [['checkpoint', 'rebuild', '--json'], 'checkpoint', 'configuration'],
  [['checkpoint', 'renew', '--json'], 'checkpoint', 'usage'],
  [['links', 'plan', '--json'], 'links', 'usage'],
  [['links', 'renew', '--json'], 'links', 'checkpoint'],
  [['undo', '--json', '--run', 'x'], 'undo', 'usage'],
  [['clean', 'nowhere', '--json'], 'clean', 'usage'],
  [['report', '--json'], 'report', 'checkpoint'],
  [['doctor', '--mail', 'nobody', '--json'], 'doctor', 'usage'],
  [['export', 'nowhere', '--json'], 'export', 'usage'],
  [['sandbox', '--json', '--port', 'x'], 'sandbox', 'usage'],
  [['doctor', '--json', '--no-such-option'], 'doctor', 'usage'],
];

describe('an error as JSON', () => {
  it.each(TRIED)('%j', async (args, mode, code) => {
    const { write, type } = openFolder();
    write('export.jsonl', tickets(2));
    write('slip.yaml', 'run: { concurency: 2 }\n');
    write('torn.yaml', 'run: { batchSize: [\n');
    const ended = await type(...args);
    expect(ended.code).toBe(2);
    const reported = JSON.parse(ended.stdout) as { error: Record<string, unknown> };
    expect(reported).toMatchObject({ version: 2, mode, error: { code }, exitCode: 2 });
    expect(reported.error['message']).toMatch(/\S.*\S/);
    expect(ended.stderr).not.toBe('');
  });

  it.each(TRIED.filter(([, , code]) => code !== 'usage'))(
    '%j names a misspelt variable before all else',
    async (args, mode) => {
      const { stdout } = await openFolder({ env: { HELPDESK_TOKN: 'x' } }).type(...args);
      expect(JSON.parse(stdout)).toMatchObject({ mode, error: { code: 'configuration' }, exitCode: 2 });
      expect(stdout).toContain('Did you mean \\"HELPDESK_TOKEN\\"?');
    },
  );

  it('nothing of it without --json, nor if it is no option', async () => {
    const { type } = openFolder();
    for (const line of ['run nothing-here.jsonl --dry-run', 'nonsense --json'])
      expect(await type(...line.split(' '))).toMatchObject({ code: 2, stdout: '' });
  });

  it('every command is tried above', async () => {
    const tried = TRIED.map(([[name, second]]) => (name === 'billing' ? second : name));
    for (const { name } of await allCommands()) expect(tried).toContain(name);
  });
});

it('a name of megabytes in an export does not become an output of megabytes', async () => {
  const { writeJson } = await import('../../src/cli/show-error.ts');
  const { context, shown } = contextFor('run', [], {}, { cwd: '.' });
  writeJson(context, { problems: [{ column: 'h'.repeat(5_000_000), ticket: '1' }] });
  expect(shown.stdout.length).toBeLessThan(5000);
  expect(JSON.parse(shown.stdout).problems[0].ticket).toBe('1');
});
