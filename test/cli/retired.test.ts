/** Commands, options and settings that went answer with what does their work now, and exit code 2. */
import { expect, it } from 'vitest';
import { openFolder } from '../support/desk.ts';

const LINKS = 'Links in messages stay as exported';
const DRY = 'run a.jsonl --dry-run';

it.each([
  ['links apply a.jsonl', '', LINKS],
  ['links map --set target.ticketUrl=https://new.example.com/{id}', '', LINKS],
  ['verify a.jsonl --set target.ticketUrl=https://new.example.com/{id}', '', LINKS],
  ['mail-test you@example.com', '', 'doctor --mail you@example.com'],
  ['init a.jsonl --propose', '', 'the table changes a known layout too'],
  ['run a.jsonl --files s3://acme/desk', '', 'for a bucket name a folder, set files.publicUrl'],
  [DRY, 'target: { ticketUrl: "https://new.example.com/{id}" }', LINKS],
  [DRY, 'people: people.csv', 'give both rows the same e-mail address'],
  [DRY, 'mapping: { extends: native, declares: { messages: count } }', 'Write `claims`, a list'],
  [DRY, 'mapping: { extends: native, transform: ./a.mjs }', 'Change the export before it is read'],
])('%s with the settings "%s" answers with its replacement and exit code 2', async (line, yaml, sentence) => {
  const { write, type } = openFolder();
  write('helpdesk-import.yaml', yaml);
  write('a.jsonl', '{}');
  const { code, stderr } = await type(...line.split(' '));
  expect([code, stderr.replaceAll(/\s+/g, ' ')]).toEqual([2, expect.stringContaining(sentence)]);
});
