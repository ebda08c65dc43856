/** Exports by hand in layouts and languages that the program does not know: how far `init` gets with them. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { inProcess } from '../cli/in-process.ts';
import { temporaryFolder } from '../support/cli.ts';
import { SETTINGS } from './exports.ts';
import { errorsOf, type Summary } from './summary.ts';

const MOST_EDITS = 5;
/** What a person answers, by the key that is open. */
const ANSWERS: Readonly<Record<string, string>> = {
  timezone: 'Europe/Madrid',
  fallbackAgent: 'agt_1',
  synthesize: 'customers.example.com',
};

const UNSEEN = [
  { folder: 'german-csv', open: ['timezone'], tickets: 5, messages: 5, blank: 1 },
  {
    folder: 'spanish-csv',
    open: ['timezone', 'fallbackAgent'],
    tickets: 4,
    messages: 8,
    blank: 0,
  },
  { folder: 'folder-per-ticket', open: [], tickets: 3, messages: 6, blank: 0 },
] as const;

async function proposed(folder: string, cwd: string): Promise<string> {
  const output = join(cwd, 'helpdesk-import.yaml');
  const ended = await inProcess(
    'init',
    [join(SETTINGS, 'unseen', folder)],
    { yes: true, output, ...(folder === 'german-csv' ? { encoding: 'windows-1252' } : {}) },
    { cwd },
  );
  expect(ended.code, ended.stderr).toBe(0);
  return readFileSync(output, 'utf8');
}

describe('an export in an unseen layout and language', () => {
  it.each(UNSEEN)('$folder goes through once the open values are decided', async (unseen) => {
    using own = temporaryFolder();
    const text = await proposed(unseen.folder, own.path);
    const open = [...text.matchAll(/^ *"?([^"#\n]+?)"?: TODO/gm)].map(([, key]) => key ?? '');
    expect(open).toEqual(unseen.open);
    expect(open.length).toBeLessThanOrEqual(MOST_EDITS);
    const config = own.join('decided.yaml');
    writeFileSync(
      config,
      text.replace(/^( *(\w+)): TODO/gm, (_, line, key) => `${line}: ${ANSWERS[key]}`),
    );
    const flags = { config, dryRun: true, json: true };
    const ended = await inProcess('run', [], flags, { cwd: own.path });
    const summary = JSON.parse(ended.stdout) as Summary;
    // a row without any value, as spreadsheets leave them at the end, has no id
    expect(errorsOf(summary)).toEqual(unseen.blank === 0 ? {} : { 'missing-id': unseen.blank });
    expect(summary.tickets).toMatchObject({ read: unseen.tickets + unseen.blank, pending: unseen.tickets });
    expect(summary.messages.read).toBe(unseen.messages);
  });

  it('a public column in another language never makes an internal note public', async () => {
    using own = temporaryFolder();
    const { mapping } = parse(await proposed('spanish-csv', own.path));
    expect(mapping.messages[0].public).toEqual({ column: 'Público', in: ['Sí'], internal: ['No'] });
  });
});
