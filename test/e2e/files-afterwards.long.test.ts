/** Files that were fetched, behind a kill: the links are still rewritten. And `verify`, which opens them as anybody would. */
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, describe, expect, it } from 'vitest';
import { RequestLog } from '../../src/sandbox/store/request-log.ts';
import { cli, startCli } from '../support/cli.ts';
import { FileSource, picture } from '../support/file-source.ts';
import { type Service, withServiceOfProcesses } from './service-run.ts';

const root = mkdtempSync(join(tmpdir(), 'files-afterwards-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

function folder(name: string, urls: readonly string[], publicUrl = 'https://files.example.com'): string {
  const cwd = join(root, name);
  mkdirSync(cwd);
  writeFileSync(
    join(cwd, 'helpdesk-import.yaml'),
    `run:\n  timeout: 5\nfiles:\n  hosts: [127.0.0.1, localhost]\n  publicUrl: ${publicUrl}\n`,
  );
  const contact = { email: 'ann@example.com' };
  const at = '2024-05-06T07:08:09Z';
  const lines = urls.map((url, index) => {
    const content = `<p>See <img src="${url}"> for you.</p>`;
    const message = { actorType: 'customer', contact, occurredAt: at, contentType: 'html', content };
    return JSON.stringify({
      id: String(index),
      subject: `Ticket ${index}`,
      contact,
      createdAt: at,
      messages: [message, { ...message, content: 'And this.', attachments: [{ url }] }],
    });
  });
  writeFileSync(join(cwd, 'export.jsonl'), lines.join('\n'));
  return cwd;
}

function expectRewritten(service: Service, old: string, files: number): void {
  const rows = service.store.database.prepare('SELECT content, attachments FROM messages').all();
  const text = JSON.stringify(rows);
  expect(rows).toHaveLength(files * 2);
  expect(text).not.toContain(old);
  expect(text.match(/https:\/\/files\.example\.com\//g)).toHaveLength(files * 2);
}

const TO = ['--files', 'kept'];
const FILES = 12;

describe('links are rewritten', () => {
  it.each([
    ['by the same command', TO],
    ['by one that names no files', []],
  ])('behind a kill at the first ticket that was sent, %s', async (how, again) => {
    await using source = await FileSource.start();
    const urls = Array.from({ length: FILES }, (_, at) =>
      source.file(`/${at}.gif`, picture(at), 'image/gif'),
    );
    const cwd = folder(how.replaceAll(' ', '-'), urls);
    await withServiceOfProcesses({ dir: join(cwd, 'service'), strict: false }, async (service) => {
      const run = startCli(['run', 'export.jsonl', ...TO, '--no-progress'], { cwd, env: service.env });
      const { log } = service.store;
      log.add = (request) => {
        RequestLog.prototype.add.call(log, request);
        if (request.method === 'POST' && request.path.includes('tickets')) run.kill('SIGKILL');
      };
      expect((await run.result).code).toBe('SIGKILL');
      log.add = (request) => RequestLog.prototype.add.call(log, request);
      const last = await cli(['run', 'export.jsonl', ...again, '--no-progress'], { cwd, env: service.env });
      expect(last.code, last.stdout + last.stderr).toBe(0);
      expect(source.asked).toHaveLength(FILES);
      expectRewritten(service, source.origin, FILES);
    });
  });

  it('of files that were fetched by themselves, also where their host is gone by then', async () => {
    const source = await FileSource.start();
    const { origin } = source;
    const urls = Array.from({ length: FILES }, (_, at) =>
      source.file(`/${at}.gif`, picture(at), 'image/gif'),
    );
    const cwd = folder('fetched', urls);
    await withServiceOfProcesses({ dir: join(cwd, 'service'), strict: false }, async (service) => {
      let asked = 0;
      const killed = startCli(['files', 'fetch', 'export.jsonl', ...TO], { cwd, env: service.env });
      source.onAsked = () => {
        asked += 1;
        if (asked === FILES / 2) killed.kill('SIGKILL');
      };
      expect((await killed.result).code).toBe('SIGKILL');
      const fetched = await cli(['files', 'fetch', 'export.jsonl', ...TO, '--json'], {
        cwd,
        env: service.env,
      });
      expect(JSON.parse(fetched.stdout)).toMatchObject({ wanted: FILES, missing: 0 });
      await source[Symbol.asyncDispose]();
      const run = await cli(['run', 'export.jsonl', '--no-progress'], { cwd, env: service.env });
      expect(run.code, run.stdout + run.stderr).toBe(0);
      expectRewritten(service, origin, FILES);
    });
  });
});

it('verify opens each new address without a login, and says what is wrong with which', async () => {
  await using source = await FileSource.start();
  const names = ['good', 'changed', 'longer', 'shorter', 'gone', 'login', 'locked', 'broken', 'empty'];
  const urls = names.map((name, at) => source.file(`/${name}.gif`, picture(at), 'image/gif'));
  const web = createServer();
  await new Promise<void>((done) => void web.listen(0, '127.0.0.1', done));
  const address = web.address();
  const base = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  const cwd = folder('verified', urls, base);
  try {
    const to = ['--files', 'kept'];
    const run = await cli(['run', 'export.jsonl', '--sandbox', ...to, '--json'], { cwd });
    expect(run.code, run.stderr).toBe(0);
    const kept = keptNames(cwd, names.length);
    const credentials: unknown[] = [];
    web.on('request', (request, response) => {
      const { authorization, cookie } = request.headers;
      credentials.push(authorization, cookie);
      const at = kept.indexOf(request.url ?? '');
      const bytes = picture(at);
      const send = (status: number, body: Buffer | string, headers = {}) =>
        void response.writeHead(status, headers).end(body);
      const name = names[at] ?? 'login-page';
      if (name === 'changed') send(200, picture(at + 100));
      else if (name === 'longer') send(200, Buffer.concat([bytes, bytes]));
      else if (name === 'shorter') send(200, bytes.subarray(1));
      else if (name === 'gone') send(404, 'Not found');
      else if (name === 'login') send(302, '', { location: '/login' });
      else if (name === 'login-page') send(200, '<html><form><input type="password"></form></html>');
      else if (name === 'locked') send(403, '');
      else if (name === 'broken') request.socket.destroy();
      else if (name === 'empty') send(200, '');
      else send(200, bytes);
    });
    const env = { HELPDESK_FILES_CREDENTIALS: `${base} Authorization: Bearer geheim` };
    const { code, stdout } = await cli(['verify', 'export.jsonl', '--sandbox', '--json'], { cwd, env });
    expect(code).toBe(3);
    const { opened, wrong } = JSON.parse(stdout).files as {
      opened: number;
      wrong: { address: string; detail: string }[];
    };
    expect(opened).toBe(names.length);
    const details = new Map(
      wrong.map(({ address, detail }) => [
        names[kept.indexOf(new URL(address).pathname)],
        detail.replace(/^\S+ /, ''),
      ]),
    );
    expect(Object.fromEntries(details)).toEqual({
      changed: 'has different content.',
      longer: 'has more than its 43 bytes.',
      shorter: 'has 42 bytes in place of 43.',
      gone: 'answers 404.',
      login: 'leads to a login page.',
      locked: 'answers 403.',
      broken: expect.stringMatching(/^cannot be reached \(.+\)\.$/),
      empty: 'has 0 bytes in place of 43.',
    });
    expect(credentials.filter((one) => one !== undefined)).toEqual([]);
    web.removeAllListeners('request');
    web.on('request', (request, response) => {
      response.end(picture(kept.indexOf(request.url ?? '')));
    });
    expect((await cli(['verify', 'export.jsonl', '--sandbox'], { cwd })).code).toBe(0);
  } finally {
    web.closeAllConnections();
    web.close();
  }
});

/** The path of each of these files where it is now, by their numbers. */
function keptNames(cwd: string, files: number): string[] {
  const db = new Database(join(cwd, 'helpdesk-import.sandbox/checkpoint.sqlite'), { readonly: true });
  try {
    const rows = db
      .prepare(
        "SELECT value ->> '$.hash' AS hash, value ->> '$.address' AS address FROM note WHERE kind = 'content'",
      )
      .all() as {
      hash: string;
      address: string;
    }[];
    return Array.from({ length: files }, (_, at) => {
      const hash = createHash('sha256').update(picture(at)).digest('hex');
      return new URL(rows.find((row) => row.hash === hash)?.address ?? '').pathname;
    });
  } finally {
    db.close();
  }
}
