import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { sandboxOptions } from '../../src/commands/sandbox.ts';
import { ROUTES } from '../../src/sandbox/service-app.ts';
import { openFolder } from '../support/desk.ts';

it('every flag reaches the service; without any it is in its usual folder, on this computer alone', () => {
  expect(sandboxOptions([], {})).toEqual({ host: '127.0.0.1', dir: 'helpdesk-import.sandbox' });
  const flags = { port: 0, host: '0.0.0.0' };
  expect(sandboxOptions(['desk'], flags)).toEqual({ port: 0, host: '0.0.0.0', dir: 'desk' });
});

it.each([
  ['--fault=503', /end a run with Ctrl-C/],
  ['--strict', /always strict/],
  ['--agents=team.csv', /a team member for every address/],
])('%s, which went, is answered with what does its work', async (option, said) => {
  const { code, stderr } = await openFolder().type('sandbox', option);
  expect([code, stderr.replaceAll(/\s+/g, ' ')]).toEqual([2, expect.stringMatching(said)]);
});

it('the help of sandbox fits on one screen', async () => {
  const { stdout } = await openFolder().type('sandbox', '--help');
  expect(stdout.trimEnd().split('\n').length).toBeLessThanOrEqual(24);
});

it('docs/rehearsal.md has a line for every call', () => {
  const text = readFileSync(join(import.meta.dirname, '../../docs/rehearsal.md'), 'utf8');
  const calls = ROUTES.map(({ method, path }) => `${method} ${path.replaceAll(/:\w+/g, '{id}')}`);
  expect(calls.filter((call) => !text.includes(`\`${call}\``))).toEqual([]);
});
