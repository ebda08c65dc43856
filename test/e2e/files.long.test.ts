/** Files that are brought along (`--files`): what is fetched, from whom, what goes out with it, and what the messages say then. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/system-clock.ts';
import { cli as runCli, startCli, temporaryFolder } from '../support/cli.ts';
import { openDesk, says, ticket } from '../support/desk.ts';
import { FileSource, picture } from '../support/file-source.ts';
import { folderOfTest } from '../support/folder-of-test.ts';

/** The arguments under which a missing file is treated this way. */
const missing = (policy: string) => ['--set', `files.missing=${policy}`];

interface Message {
  content?: string;
  contentType?: string;
  attachments?: object[];
}

/** A folder whose export has these messages; `files` are settings. */
function placeOf(tickets: readonly (readonly Message[])[], files = '') {
  const folder = folderOfTest();
  const write = (name: string, text: string) => writeFileSync(folder.join(name), text);
  const exportOf = (all: typeof tickets) =>
    write(
      'export.jsonl',
      all
        .map((messages, index) =>
          JSON.stringify(
            ticket(String(index + 1), {
              messages: messages.map((message, at) => ({ ...says('See the file.', at + 1), ...message })),
            }),
          ),
        )
        .join('\n'),
    );
  exportOf(tickets);
  write('helpdesk-import.yaml', `run:\n  timeout: 5\nfiles:\n  hosts: [127.0.0.1, localhost]\n${files}`);
  const cwd = folder.path;
  return {
    cwd,
    exportOf,
    run: (args: readonly string[] = [], env: Record<string, string> = {}) =>
      runCli(['run', 'export.jsonl', '--sandbox', '--files', 'kept', ...args], { cwd, env }),
  };
}

/** What the service was sent, first to last. */
function sent(cwd: string) {
  const db = new Database(join(cwd, 'helpdesk-import.sandbox/service.sqlite'), { readonly: true });
  const rows = db
    .prepare<[], { content: string; attachments: string | null }>(
      'SELECT content, attachments FROM messages ORDER BY ticket_seq, position',
    )
    .all();
  db.close();
  return rows.map(({ content, attachments }) => ({
    content,
    attachments: JSON.parse(attachments ?? '[]') as { url: string }[],
  }));
}

/** All that is on the disk below a folder, as one text. */
function bytesIn(cwd: string): string {
  return readdirSync(cwd, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
    .join('\n');
}

describe('files that are brought along', () => {
  it('a rerun fetches nothing again, and a delta only new files', async () => {
    await using source = await FileSource.start();
    const one = source.file('/one.gif', picture(1), 'image/gif');
    const { cwd, run, exportOf } = placeOf([[{ attachments: [{ url: one }] }]]);
    expect((await run()).code).toBe(0);
    const again = await run();
    expect(again.code, again.stdout).toBe(0);
    expect(again.stdout).not.toContain('changed since');
    const two = source.file('/two.gif', picture(2), 'image/gif');
    exportOf([[{ attachments: [{ url: one }] }, { attachments: [{ url: two }] }]]);
    const delta = await run(['--delta']);
    expect(delta.code, delta.stdout).toBe(0);
    expect([source.timesAsked('/one.gif'), source.timesAsked('/two.gif')]).toEqual([1, 1]);
    const urls = sent(cwd).flatMap(({ attachments }) => attachments.map(({ url }) => url));
    expect(urls).toEqual([expect.stringContaining('/kept-files/'), expect.stringContaining('/kept-files/')]);
  });

  it('what cannot be fetched stays as it was, and says why', async () => {
    await using source = await FileSource.start();
    const paths = {
      forbidden: source.answers('/forbidden.png', 403),
      gone: source.answers('/gone.png', 410),
      login: source.file('/login.png', Buffer.from('<html><input type=password></html>'), 'text/html'),
      expired: `${source.answers('/expired.png', 403)}?Expires=1500000000&Signature=x`,
      large: source.on(
        '/large.bin',
        (_, response) => void response.writeHead(200, { 'content-length': '6000000000' }).write('x'),
      ),
    };
    const { cwd, run } = placeOf([[{ attachments: Object.values(paths).map((url) => ({ url })) }]]);
    const { code, stdout } = await run(['--json', ...missing('note')]);
    expect(code, stdout).toBe(0);
    const [message] = sent(cwd);
    expect(message?.attachments.map(({ url }) => url)).toEqual(Object.values(paths));
    expect(message?.content).toBe(
      `See the file.\n\n${['forbidden.png', 'gone.png', 'login.png', 'expired.png', 'large.bin'].map((name) => `[File not imported: ${name}]`).join('\n')}`,
    );
    const reported: string[] = JSON.parse(stdout)
      .problems.filter(({ code }: { code: string }) => code === 'file-missing')
      .map(({ message }: { message: string }) => message);
    expect(reported).toHaveLength(5);
    for (const reason of [
      'give a credential',
      'is no longer there',
      'login page',
      'until 2017-07-14',
      'no file of more than 5,000,000,000',
    ])
      expect(
        reported.some((one) => one.includes(reason)),
        reason,
      ).toBe(true);
    expect(stdout).not.toContain('Signature=x');
  });

  it.each(['keep', 'note'])(
    'a missing file comes with a delta once it is available, and verify finds it (%s)',
    async (policy) => {
      await using source = await FileSource.start();
      const url = source.answers('/late.gif', 401);
      const { cwd, run } = placeOf([[{ attachments: [{ url }] }]]);
      const how = missing(policy);
      expect((await run(how)).code).toBe(0);
      const note = policy === 'note' ? '\n\n[File not imported: late.gif]' : '';
      expect(sent(cwd)[0]?.content).toBe(`See the file.${note}`);
      const verified = await runCli(['verify', 'export.jsonl', '--sandbox', '--all'], { cwd });
      expect(verified.code, verified.stdout).toBe(0);

      using secrets = temporaryFolder();
      const file = secrets.join('credentials');
      writeFileSync(file, `${source.origin} Authorization: Bearer WRONG-ONE`);
      const env = { HELPDESK_FILES_CREDENTIALS_FILE: file };
      const refused = await run([...how, '--delta', '--json'], env);
      expect(refused.stdout).toContain(
        `the credential for ${new URL(source.origin).host} in ${file} is not the right one`,
      );
      expect(refused.stdout).not.toContain('WRONG-ONE');

      source.file('/late.gif', picture(3), 'image/gif');
      const delta = await run([...how, '--delta']);
      expect(delta.code, delta.stdout).toBe(0);
      expect(sent(cwd)).toEqual([
        {
          content: 'See the file.',
          attachments: [expect.objectContaining({ url: expect.stringContaining('/kept-files/') })],
        },
      ]);
      const again = await runCli(['verify', 'export.jsonl', '--sandbox', '--all'], { cwd });
      expect(again.code, again.stdout).toBe(0);
    },
  );

  it('a stopped fetch counts fetched and missing files, and names the command that continues', async () => {
    await using source = await FileSource.start();
    const urls = [1, 2, 3].map((each) => source.file(`/${each}.gif`, picture(each), 'image/gif'));
    const hanging = source.on('/hangs.gif', () => {});
    const attachments = [...urls, hanging].map((url) => ({ url }));
    const { cwd } = placeOf([[{ attachments }]], '  publicUrl: https://x.example\n');
    const args = ['run', 'export.jsonl', '--files', 'kept', '--files-only'];
    const fetch = startCli(args, { cwd });
    await fetch.shown(/fetching/);
    while (source.asked.length < 4) await new Promise((resolve) => setImmediate(resolve));
    fetch.kill('SIGINT');
    const { code, stderr } = await fetch.result;
    expect(code, stderr).toBe(130);
    const said = stderr.replace(/\s+/g, ' ');
    expect(said).toMatch(/\d files? fetched \([\d.]+ \w+\), 0 missing, \d files? left\./);
    expect(said).toContain('helpdesk-import run export.jsonl --files-only --files kept');
    source.file('/hangs.gif', picture(4), 'image/gif');
    const again = await runCli(args, { cwd });
    expect(again.code, again.stderr).toBe(0);
    expect(new Set(source.asked.map(({ path }) => path)).size).toBe(4);
    const kept = readdirSync(join(cwd, 'kept'), { recursive: true }).map(String);
    expect(kept.filter((name) => name.endsWith('.gif'))).toHaveLength(4);
    // Their host may be gone when the messages are sent.
    await source[Symbol.asyncDispose]();
    const { env, sandbox } = await openDesk({ clock: systemClock, strict: false });
    const imported = await runCli(['run', 'export.jsonl'], { cwd, env });
    expect(imported.code, imported.stdout).toBe(0);
    const held = sandbox.store.sql.column<string>('SELECT attachments FROM messages').join();
    expect([held.match(/https:\/\/x\.example\//g)?.length, held.includes(source.origin)]).toEqual([4, false]);
  });

  it('rejects the ticket on request, and imports it once the file exists', async () => {
    await using source = await FileSource.start();
    const url = source.answers('/late.gif', 404);
    const { cwd, run } = placeOf([[{ attachments: [{ url }] }], [{}]]);
    const rejected = await run(missing('reject'));
    expect(rejected.code, rejected.stdout).toBe(3);
    expect(sent(cwd)).toHaveLength(1);
    expect(existsSync(join(cwd, 'helpdesk-import.sandbox/rejects'))).toBe(true);
    source.file('/late.gif', picture(3), 'image/gif');
    const done = await run(missing('reject'));
    expect(done.code, done.stdout).toBe(0);
    expect(sent(cwd)).toHaveLength(2);
  });
});

describe('credentials for the hosts of files', () => {
  it('go to their own host alone, on no redirect to another one, and into no output', async () => {
    await using source = await FileSource.start();
    await using other = await FileSource.start();
    const needs = (path: string, header: string, value: string) =>
      source.on(path, (request, response) => {
        if (request.headers[header] !== value) response.writeHead(401).end();
        else response.writeHead(302, { location: `${other.origin}${path}` }).end();
      });
    const login = `Basic ${Buffer.from('ana/token:geheim-17').toString('base64')}`;
    const url = needs('/f.gif', 'authorization', login);
    other.file('/f.gif', picture(5), 'image/gif');
    const { cwd, run } = placeOf([[{ attachments: [{ url }] }]]);
    const host = new URL(source.origin).host;
    using secrets = temporaryFolder();
    const file = secrets.join('credentials');
    writeFileSync(
      file,
      `${host} Authorization: ${login}\n${host} X-Key: geheim-18\n${host} Cookie: s=geheim-19`,
    );
    const { code, stdout, stderr } = await run(['--verbose', '--report', 'report.html'], {
      HELPDESK_FILES_CREDENTIALS_FILE: file,
    });
    expect(code, stdout).toBe(0);
    expect(source.asked[0]?.headers).toMatchObject({ 'x-key': 'geheim-18', cookie: 's=geheim-19' });
    expect(JSON.stringify(other.asked)).not.toMatch(/geheim|Z2VoZWlt|authorization|cookie/);
    const written = stdout + stderr + bytesIn(cwd);
    expect(written).not.toMatch(/geheim-\d\d/);
    expect(written).not.toContain(Buffer.from('ana/token:geheim-17').toString('base64'));
    expect(sent(cwd)[0]?.attachments[0]?.url).toContain('/kept-files/');
  });
});

describe('the places where files are kept', () => {
  it('a helpdesk without a call for files is said before any ticket is sent', async () => {
    await using source = await FileSource.start();
    const { cwd } = placeOf([[{ attachments: [{ url: source.file('/one.gif', picture(1), 'image/gif') }] }]]);
    const { env, count } = await openDesk({ clock: systemClock });
    const { code, stdout } = await runCli(['run', 'export.jsonl', '--files', 'target'], { cwd, env });
    expect(code, stdout).toBe(2);
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain(
      'The helpdesk takes no files (POST /attachments: 404). → Bring them to a folder',
    );
    expect(count('tickets')).toBe(0);
  });
});
