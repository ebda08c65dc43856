/** A secret leaves the program in requests only, whatever settings, address, target and export do. */
import { chmodSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { outgoing } from '../../src/domain/printable.ts';
import { hideSecrets } from '../../src/domain/secret.ts';
import { canned } from '../support/canned.ts';
import { cli } from '../support/cli.ts';
import { openFolder, ticket } from '../support/desk.ts';

const TOKEN = 'q7-Zr4.very~secret_41';
const TICKET = ticket('t-1');

/** With an export of one ticket; what is typed is guarded as `main` guards both streams, which a process below shows. */
function place(env: Record<string, string> = {}, files: Readonly<Record<string, string>> = {}) {
  const { write, type, ...more } = openFolder({ env });
  write('x.jsonl', [TICKET]);
  for (const [name, text] of Object.entries(files)) write(name, text);
  const typed = async (line: string) => {
    const { code, stdout, stderr } = await type(...line.split(' '));
    const guarded = [stdout, stderr].map((text) => outgoing(hideSecrets(text), false));
    return { code, stderr: guarded[1] ?? '', shown: guarded.join('') };
  };
  return { ...more, typed };
}

const to = (url: string, token = TOKEN) => ({ HELPDESK_BASE_URL: url, HELPDESK_TOKEN: token });
const QUICK = { 'helpdesk-import.yaml': 'run: { timeout: 5 }' };

const answering = (status: number, body: string) =>
  // It has nothing to read, so that nothing is looked for again and again.
  canned(({ method }) => ({ status: method === 'GET' && status === 422 ? 404 : status, body }));

it.each([
  ['a token below target', `target:\n  token: ${TOKEN}\n`],
  ['a token at the top', `token: "${TOKEN}"\n`],
  ['a key in quotes', `target: {"api_key": "${TOKEN}"}\n`],
  ['a header', `target:\n  headers: { Authorization: Bearer ${TOKEN} }\n`],
  ['a query', `target: { baseUrl: "https://helpdesk.example.com/?key=${TOKEN}" }\n`],
  ['a password', `target: { baseUrl: "https://ann:${TOKEN}@helpdesk.example.com/" }\n`],
  ['broken YAML', `target:\n  token: ${TOKEN}: "\n`],
  ['a variable', `HELPDESK_TOKEN=${TOKEN}\n`],
  ['a variable below a section', `run: HELPDESK_TOKEN=${TOKEN}`],
  ['a file that is the token', `target: { tokenFile: "${TOKEN}" }`],
  ['an alias', `token: &it ${TOKEN}\nrun: *it`],
])('%s in the settings file is not printed', async (_, settings) => {
  const { typed } = place({}, { 's.yaml': settings });
  for (const line of ['run x.jsonl -c s.yaml --dry-run --json', 'doctor x.jsonl -c s.yaml']) {
    const { code, stderr, shown } = await typed(line);
    expect(code).toBe(2);
    expect(line.startsWith('run') ? stderr : shown).toContain('s.yaml:');
    expect(shown).not.toContain(TOKEN);
  }
});

it('a query in the token URL is refused and not printed', async () => {
  const { typed } = place({
    HELPDESK_BASE_URL: 'http://127.0.0.1:9',
    HELPDESK_TOKEN_URL: `http://127.0.0.1:9/token?key=${TOKEN}`,
    HELPDESK_CLIENT_ID: 'import',
    HELPDESK_CLIENT_SECRET: 'x',
  });
  for (const line of ['run x.jsonl --yes', 'doctor']) {
    const { code, shown } = await typed(line);
    expect([code, shown]).toEqual([2, expect.stringContaining('HELPDESK_TOKEN_URL')]);
    expect(shown).not.toContain(TOKEN);
  }
});

it.each([
  ['an error', 422, { error: 'bad', message: `you sent Bearer ${TOKEN}` }],
  ['an error in another form', 422, { detail: `nonsense ${encodeURIComponent(TOKEN)} ${TOKEN}` }],
  ['the id of the ticket', 201, { ticket: { id: TOKEN } }],
  ['an id that holds it', 201, { id: `ticket-${TOKEN}` }],
])(
  'a token that the helpdesk repeats (%s) is in no output, checkpoint or report',
  async (_, status, body) => {
    await using target = await answering(status, JSON.stringify(body));
    const { typed, folder } = place(to(target.url), QUICK);
    const { code, shown } = await typed('run x.jsonl --yes --json --verbose --report r.html');
    expect([2, 3, 4, 6]).toContain(code);
    expect(shown).not.toContain(TOKEN);
    for (const file of ['helpdesk-import.checkpoint.sqlite', 'r.html'])
      expect(readFileSync(folder.join(file), 'latin1')).not.toContain(TOKEN);
  },
);

it('a token that is short or a plain word is no id of a ticket either', async () => {
  for (const token of ['abcd1', 'letmein']) {
    await using target = await answering(201, JSON.stringify({ ticket: { id: token } }));
    const { typed, folder } = place(to(target.url, token), QUICK);
    await typed('run x.jsonl --yes');
    expect(readFileSync(folder.join('helpdesk-import.checkpoint.sqlite'), 'latin1')).not.toContain(token);
  }
});

it('a ticket whose id is the token is shown without it', async () => {
  const { folder, read } = place({}, { 'x.jsonl': JSON.stringify({ ...TICKET, id: TOKEN, status: 'odd' }) });
  const options = { cwd: folder.path, env: { HELPDESK_TOKEN: TOKEN } };
  const dry = 'run x.jsonl --dry-run --json --report r.html'.split(' ');
  const { stdout, stderr } = await cli(dry, options);
  expect(stdout).toContain('[secret]');
  expect(stdout + stderr + read('r.html')).not.toContain(TOKEN);
});

it('A token goes over http to another machine only if that address is typed', async () => {
  const url = 'http://helpdesk.invalid:8080';
  const { typed } = place(to(url), QUICK);
  const refused = await typed('run x.jsonl --yes');
  expect(refused.code).toBe(2);
  expect(refused.stderr.replace(/\s+/g, ' ')).toContain(`--base-url ${url}`);
  const allowed = await typed(`run x.jsonl --yes --base-url ${url}`);
  expect([allowed.code, allowed.stderr]).toEqual([6, expect.stringContaining('not https')]);
});

it('a file with a token that everybody can read is warned of', async () => {
  await using target = await answering(401, '{}');
  const env = { HELPDESK_BASE_URL: target.url, HELPDESK_TOKEN_FILE: 'token' };
  const { typed, folder } = place(env, { token: TOKEN });
  chmodSync(folder.join('token'), 0o644);
  const warned = await typed('run x.jsonl --yes');
  expect(warned.stderr).toContain('Everybody on this machine can read token');
  chmodSync(folder.join('token'), 0o600);
  const fine = await typed('run x.jsonl --yes');
  expect(fine.stderr).not.toContain('Everybody');
});
