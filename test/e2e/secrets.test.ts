/** A secret leaves the program in requests only, whatever settings, address, target and export do. */
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { outgoing } from '../../src/domain/printable.ts';
import { hideSecrets } from '../../src/domain/secret.ts';
import { canned } from '../support/canned.ts';
import { type CliResult, cli, temporaryFolder } from '../support/cli.ts';
import { commandLine } from '../support/command-line.ts';
import { ticket } from '../support/desk.ts';

const TOKEN = 'q7-Zr4.very~secret_41';
const TICKET = ticket('t-1');

const IMPATIENT = 'run: { timeout: 5 }';

/** With an export of one ticket. */
function folderWith(files: Readonly<Record<string, string>> = {}) {
  const folder = temporaryFolder();
  const all = { 'x.jsonl': `${JSON.stringify(TICKET)}\n`, ...files };
  for (const [name, text] of Object.entries(all)) writeFileSync(folder.join(name), text);
  return folder;
}

/** In this process, with the guard that `main` puts on both streams; that it is on is shown by a process below. */
async function typed(
  args: readonly string[],
  options: Parameters<typeof commandLine>[1],
): Promise<CliResult> {
  const { code, stdout, stderr } = await commandLine(args, options);
  return { code, stdout: outgoing(hideSecrets(stdout), false), stderr: outgoing(hideSecrets(stderr), false) };
}

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
])('%s in the settings file is not printed', async (_, settings) => {
  using folder = folderWith({ 's.yaml': settings });
  const { code, stdout, stderr } = await typed(['run', 'x.jsonl', '--dry-run', '-c', 's.yaml', '--json'], {
    cwd: folder.path,
  });
  expect(code).toBe(2);
  expect(stderr).toContain('s.yaml:');
  expect(stdout + stderr).not.toContain(TOKEN);
});

it('a query in the token URL is refused and not printed', async () => {
  using folder = folderWith();
  for (const command of [['run', 'x.jsonl', '--yes'], ['doctor']]) {
    const { code, stdout, stderr } = await typed(command, {
      cwd: folder.path,
      env: {
        HELPDESK_BASE_URL: 'http://127.0.0.1:9',
        HELPDESK_TOKEN_URL: `http://127.0.0.1:9/token?key=${TOKEN}`,
        HELPDESK_CLIENT_ID: 'import',
        HELPDESK_CLIENT_SECRET: 'x',
      },
    });
    expect(code).toBe(2);
    expect(stdout + stderr).toContain('HELPDESK_TOKEN_URL');
    expect(stdout + stderr).not.toContain(TOKEN);
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
    using folder = folderWith({ 'helpdesk-import.yaml': IMPATIENT });
    await using target = await answering(status, typeof body === 'string' ? body : JSON.stringify(body));
    const { code, stdout, stderr } = await typed(
      ['run', 'x.jsonl', '--yes', '--json', '--verbose', '--report', 'r.html'],
      { cwd: folder.path, env: { HELPDESK_BASE_URL: target.url, HELPDESK_TOKEN: TOKEN } },
    );
    expect([2, 3, 4, 6]).toContain(code);
    expect(stdout + stderr).not.toContain(TOKEN);
    for (const file of ['helpdesk-import.checkpoint.sqlite', 'r.html'])
      expect(readFileSync(folder.join(file), 'latin1')).not.toContain(TOKEN);
  },
);

it('a token that is short or a plain word is no id of a ticket either', async () => {
  for (const token of ['abcd1', 'letmein']) {
    using folder = folderWith({ 'helpdesk-import.yaml': IMPATIENT });
    await using target = await answering(201, JSON.stringify({ ticket: { id: token } }));
    await typed(['run', 'x.jsonl', '--yes'], {
      cwd: folder.path,
      env: { HELPDESK_BASE_URL: target.url, HELPDESK_TOKEN: token },
    });
    expect(readFileSync(folder.join('helpdesk-import.checkpoint.sqlite'), 'latin1')).not.toContain(token);
  }
});

it.each([
  [`HELPDESK_TOKEN=${TOKEN}\n`],
  [`run: HELPDESK_TOKEN=${TOKEN}`],
  [`target: { tokenFile: "${TOKEN}" }`],
  [`token: &it ${TOKEN}\nrun: *it`],
])('a token in the settings (%j) is not printed', async (settings) => {
  using folder = folderWith({ 's.yaml': settings });
  for (const command of ['run', 'doctor']) {
    const more = command === 'run' ? ['--dry-run', '--json'] : [];
    const { code, stdout, stderr } = await typed([command, 'x.jsonl', '-c', 's.yaml', ...more], {
      cwd: folder.path,
    });
    expect(code).toBe(2);
    expect(stdout + stderr).toContain('s.yaml:');
    expect(stdout + stderr).not.toContain(TOKEN);
  }
});

it('a ticket whose id is the token is shown without it', async () => {
  using folder = folderWith({ 'x.jsonl': `${JSON.stringify({ ...TICKET, id: TOKEN, status: 'odd' })}\n` });
  const { stdout, stderr } = await cli(['run', 'x.jsonl', '--dry-run', '--json', '--report', 'r.html'], {
    cwd: folder.path,
    env: { HELPDESK_TOKEN: TOKEN },
  });
  expect(stdout).toContain('[secret]');
  expect(stdout + stderr + readFileSync(folder.join('r.html'), 'utf8')).not.toContain(TOKEN);
});

it('A token goes over http to another machine only if that address is typed', async () => {
  using folder = folderWith({ 'helpdesk-import.yaml': IMPATIENT });
  const env = { HELPDESK_BASE_URL: 'http://helpdesk.invalid:8080', HELPDESK_TOKEN: TOKEN };
  const refused = await typed(['run', 'x.jsonl', '--yes'], { cwd: folder.path, env });
  expect(refused.code).toBe(2);
  expect(refused.stderr.replace(/\s+/g, ' ')).toContain(`--base-url ${env.HELPDESK_BASE_URL}`);
  const asked = ['run', 'x.jsonl', '--yes', '--base-url', env.HELPDESK_BASE_URL];
  const allowed = await typed(asked, { cwd: folder.path, env });
  expect(allowed.code).toBe(6);
  expect(allowed.stderr).toContain('not https');
});

it('a file with a token that everybody can read is warned of', async () => {
  using folder = folderWith({ token: TOKEN });
  await using target = await answering(401, '{}');
  const env = { HELPDESK_BASE_URL: target.url, HELPDESK_TOKEN_FILE: 'token' };
  chmodSync(folder.join('token'), 0o644);
  const warned = await typed(['run', 'x.jsonl', '--yes'], { cwd: folder.path, env });
  expect(warned.stderr).toContain('Everybody on this machine can read token');
  chmodSync(folder.join('token'), 0o600);
  const fine = await typed(['run', 'x.jsonl', '--yes'], { cwd: folder.path, env });
  expect(fine.stderr).not.toContain('Everybody');
});
