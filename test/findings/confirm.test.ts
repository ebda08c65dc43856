/** A finding of a proposal stops a run until somebody has looked; a mapping that nobody asks about warns. */
import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { initCommand } from '../../src/commands/init/init.ts';
import { runCommand } from '../../src/commands/run/run.ts';
import { inProcess } from '../cli/in-process.ts';
import { temporaryFolder } from '../support/cli.ts';

/** Every ticket has a long text that no column name explains, and one message. */
const ROWS = Array.from(
  { length: 8 },
  (_, n) =>
    `${1041 + n},Order ${n} has not arrived,open,ann${n}@example.org,2024-05-0${n + 1}T08:00:00Z,"Hello, my order ${n} has still not arrived.","The internal history of case ${n}, long and told by nobody."`,
);
const EXPORT = `id,subject,status,requester_email,created_at,description,zzz\n${ROWS.join('\n')}\n`;

async function proposed(folder: { path: string; join(...names: string[]): string }): Promise<string> {
  writeFileSync(folder.join('tickets.csv'), EXPORT);
  const output = folder.join('helpdesk-import.yaml');
  const ended = await inProcess(
    initCommand,
    [folder.join('tickets.csv')],
    { yes: true, output, propose: true },
    { cwd: folder.path },
  );
  expect(ended.code, ended.stderr).toBe(0);
  return readFileSync(output, 'utf8');
}

interface Told {
  readonly severity: string;
  readonly code: string;
  readonly field?: string;
}

async function dryRun(folder: { path: string; join(...names: string[]): string }, settings: string) {
  const config = folder.join('decided.yaml');
  writeFileSync(config, settings);
  const ended = await inProcess(runCommand, [], { config, dryRun: true, json: true }, { cwd: folder.path });
  const { problems } = JSON.parse(ended.stdout || '{"problems":[]}') as { problems: Told[] };
  return {
    code: ended.code,
    found: problems.find(({ code }) => code === 'unread-text'),
    stderr: ended.stderr,
  };
}

describe('a finding about a proposed mapping', () => {
  it('is a TODO with numbers and the line to change, and stops a run until it is confirmed', async () => {
    using folder = temporaryFolder();
    const text = await proposed(folder);
    expect(text).toMatch(/^ {2}unread-text: TODO$/m);
    expect(text.replace(/\n *# /g, ' ')).toContain('Nothing reads "zzz" of tickets.csv');

    const open = await dryRun(folder, text.replace('  unread-text: TODO\n', ''));
    expect(open.found).toMatchObject({ severity: 'error', code: 'unread-text', field: 'mapping.messages' });
    expect(open.code).toBe(2);

    const refused = await dryRun(folder, text.replace('unread-text: TODO', 'unread-text: false'));
    expect(refused.code).toBe(2);

    const confirmed = await dryRun(folder, text.replace('unread-text: TODO', 'unread-text: true'));
    expect(confirmed).toMatchObject({ code: 0, found: undefined });
  });

  it('is a warning where the settings ask for no confirmation', async () => {
    using folder = temporaryFolder();
    const text = await proposed(folder);
    const reported = await dryRun(folder, text.replace(/^confirm:\n(?: .*\n)+/m, ''));
    expect(reported.found).toMatchObject({ severity: 'warning' });
    expect(reported.code).toBe(0);
  });
});
