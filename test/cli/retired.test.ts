/** Commands, options and settings that went. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../support/cli.ts';
import { commandLine } from '../support/command-line.ts';

it.each([
  ['links apply export/', 'Links in messages stay as exported'],
  ['links map --set target.ticketUrl=https://new.example.com/{id}', 'Links in messages stay as exported'],
  [
    'verify export/ --set target.ticketUrl=https://new.example.com/{id}',
    'Links in messages stay as exported',
  ],
  ['mail-test you@example.com', 'doctor --mail you@example.com'],
  ['init export/ --propose', 'the table changes a known layout too'],
  ['run export/ --files s3://acme/desk', 'for a bucket name a folder, set files.publicUrl'],
])('%s answers with its replacement and exit code 2', async (line, sentence) => {
  using folder = temporaryFolder();
  mkdirSync(folder.join('export'));
  writeFileSync(folder.join('export/a.jsonl'), '{}');
  const { code, stderr } = await commandLine(line.split(' '), { cwd: folder.path });
  expect([code, stderr.replaceAll(/\s+/g, ' ')]).toEqual([2, expect.stringContaining(sentence)]);
});

it.each([
  ['target: { ticketUrl: "https://new.example.com/{id}" }', 'Links in messages stay as exported'],
  ['people: people.csv', 'give both rows the same e-mail address'],
  ['mapping: { extends: native, declares: { messages: count } }', 'Write `claims`, a list'],
  ['mapping: { extends: native, transform: ./change.mjs }', 'Change the export before it is read'],
])('%s in the settings answers with its replacement and exit code 2', async (yaml, sentence) => {
  using folder = temporaryFolder();
  writeFileSync(folder.join('helpdesk-import.yaml'), yaml);
  writeFileSync(folder.join('a.jsonl'), '{}');
  const { code, stderr } = await commandLine(['run', 'a.jsonl', '--dry-run'], { cwd: folder.path });
  expect([code, stderr.replaceAll(/\s+/g, ' ')]).toEqual([2, expect.stringContaining(sentence)]);
});
