/**
 * An import with files that is killed again and again, at requests that were chosen beforehand, and what is true behind
 * each kill and at the end. All bytes that left for a host other than the one of the credentials are kept, by the server's side.
 */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readCheckpoint } from '../../src/checkpoint/read-checkpoint.ts';
import { RequestLog } from '../../src/sandbox/store/request-log.ts';
import { type CliResult, startCli, temporaryFolder } from '../support/cli.ts';
import { FileSource } from '../support/file-source.ts';
import { seeded } from '../support/seeded.ts';
import { count, type Service, withServiceOfProcesses } from './service-run.ts';

/** Files that are fetched from one host at a time, which bounds what is under way. */
const PER_HOST = 8;
const FILES_OF_TICKET = 4;
const SECRETS = ['geheim-bearer-17', 'ana/token:geheim-basic-18', 'geheim-header-19', 'geheim-cookie-20'];
const LOGIN = `Basic ${Buffer.from(SECRETS[1] ?? '').toString('base64')}`;
/** As they are, and as they would be in a header, an address or JSON. */
const FORMS = SECRETS.flatMap((secret) => [
  secret,
  Buffer.from(secret).toString('base64').slice(0, -4),
  encodeURIComponent(secret),
]);

interface KilledFiles {
  readonly files: number;
  readonly kills: number;
  readonly seed: number;
}

async function killedFiles({ files, kills, seed }: KilledFiles): Promise<void> {
  using folder = temporaryFolder();
  await using source = await FileSource.start();
  await using other = await FileSource.start('127.0.0.2');
  const content = (file: number) => contentOf(file % 10 === 9 ? file - 1 : file);
  const urls = Array.from({ length: files }, (_, file) => serve(source, other, file, content(file)));
  writeExport(folder.path, urls);
  const heard = new HeardElsewhere(source);
  await withServiceOfProcesses({ dir: folder.join('service'), strict: false }, async (service) => {
    const { host } = new URL(source.origin);
    const env = {
      ...service.env,
      HELPDESK_FILES_CREDENTIALS: [
        `${host} Authorization: ${LOGIN}`,
        `${host} X-Key: ${SECRETS[2]}`,
        `${host} Cookie: s=${SECRETS[3]}`,
        `files.example.com Authorization: Bearer ${SECRETS[0]}`,
      ].join('\n'),
    };
    const args = [
      'run',
      'export.jsonl',
      '--files',
      'target',
      '--rate',
      '1000000/1',
      '--no-progress',
      '--verbose',
    ];
    const start = () => startCli([...args, '--report', 'report.html'], { cwd: folder.path, env });
    const random = seeded(seed);
    // What is begun and not known to have ended when a process dies is what the next one may send again.
    let inFlight = 0;
    for (let kill = 0; kill < kills; kill++) {
      const run = start();
      const moment = random.pick(['asked', 'announced', 'uploaded'] as const);
      at(moment, random.between(1, Math.floor((1.4 * files) / kills)), source, service, () =>
        run.kill('SIGKILL'),
      );
      const result = await run.result;
      expect(result.code, `kill ${kill} ${moment}: ${result.stdout}${result.stderr}`).toBe('SIGKILL');
      const begun = begunIn(folder.path);
      expect(begun, `kill ${kill} ${moment}`).toBeLessThanOrEqual(PER_HOST);
      inFlight += begun;
      expectNoSecret(folder.path, result);
    }
    expect(count(service, 'SELECT count(*) FROM tickets')).toBe(0);
    const last = await start().result;
    expect(last.code, last.stdout + last.stderr).toBe(0);
    expectNoSecret(folder.path, last);
    heard.expectNoSecret();

    const contents = new Set(urls.map((_, file) => content(file).toString('latin1'))).size;
    const uploads = count(
      service,
      "SELECT count(*) FROM request_log WHERE method = 'PUT' AND effect = 'stored' AND path LIKE '/uploads/%'",
    );
    expect(uploads - contents).toBeGreaterThanOrEqual(0);
    expect(uploads - contents).toBeLessThanOrEqual(inFlight);
    // Each address is asked for once, but for what was under way at a kill.
    expect(source.asked.length - files).toBeLessThanOrEqual(kills * PER_HOST);
    expectKept(service, source, other, files, contents);
    process.stdout.write(
      `${kills} kills, ${files} files, ${contents} contents: ${uploads} uploads (${inFlight} in flight at the kills), ${source.asked.length} requests\n`,
    );
  });
  heard.end();
}

/** Every third is behind a redirect to another host, some are larger than a buffer. */
function serve(source: FileSource, other: FileSource, file: number, bytes: Buffer): string {
  const path = `/attachments/${file}.bin`;
  const signed = file % 3 === 0 ? other.file(path, bytes) : source.file(`/stored${path}`, bytes);
  return source.on(path, ({ headers }, response) => {
    const isLet =
      headers['authorization'] === LOGIN &&
      headers['x-key'] === SECRETS[2] &&
      headers['cookie'] === `s=${SECRETS[3]}`;
    if (!isLet) return void response.writeHead(401).end();
    if (file % 3 === 0) return void response.writeHead(302, { location: `${signed}?sig=${file}` }).end();
    return void response.writeHead(200, { 'content-length': bytes.length }).end(bytes);
  });
}

/** Random bytes of its own for each file. */
function contentOf(file: number): Buffer {
  const { between } = seeded(file, 15);
  const bytes = Buffer.alloc(file % 100 === 50 ? 1_500_000 : between(1, 4_000), `file ${file} `);
  bytes.writeUInt8(between(0, 255), bytes.length - 1);
  return bytes;
}

function writeExport(cwd: string, urls: readonly string[]): void {
  const lines = Array.from({ length: Math.ceil(urls.length / FILES_OF_TICKET) }, (_, index) => {
    const own = urls.slice(index * FILES_OF_TICKET, (index + 1) * FILES_OF_TICKET);
    return JSON.stringify({
      id: String(index + 1),
      subject: `Ticket ${index + 1}`,
      createdAt: '2024-01-01T00:00:00Z',
      contact: { email: `c${index}@example.com` },
      messages: own.map((url, at) => ({
        actorType: 'customer',
        contact: { email: `c${index}@example.com` },
        occurredAt: `2024-01-01T00:00:0${at}Z`,
        ...(at % 2 === 0
          ? { content: 'See the file.', attachments: [{ url }] }
          : { content: `It is at ${url} for you.` }),
      })),
    });
  });
  writeFileSync(join(cwd, 'export.jsonl'), lines.join('\n'));
  writeFileSync(
    join(cwd, 'helpdesk-import.yaml'),
    `run:\n  logFile: log.txt\nfiles:\n  hosts: [127.0.0.2]\n`,
  );
}

/** Calls `then` when the n-th of such requests from now on has had its effect, before it is answered. */
function at(
  moment: 'asked' | 'announced' | 'uploaded',
  n: number,
  source: FileSource,
  service: Service,
  then: () => void,
): void {
  let left = n;
  const counted = () => {
    left -= 1;
    if (left === 0) then();
  };
  source.onAsked = moment === 'asked' ? counted : () => {};
  const { log } = service.store;
  log.add = (request) => {
    RequestLog.prototype.add.call(log, request);
    const is = { asked: false, announced: request.method === 'POST', uploaded: request.method === 'PUT' };
    if (is[moment] && request.effect === 'stored') counted();
  };
}

function begunIn(cwd: string): number {
  const checkpoint = readCheckpoint(join(cwd, 'helpdesk-import.checkpoint.sqlite'));
  try {
    const begun = [...checkpoint.files.contents()].filter((content) => content.begun);
    return begun.length;
  } finally {
    checkpoint.close();
  }
}

function expectNoSecret(cwd: string, { stdout, stderr }: CliResult): void {
  const written = readdirSync(cwd, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  for (const form of FORMS) {
    expect(stdout + stderr).not.toContain(form);
    const bytes = Buffer.from(form);
    for (const path of written) expect(readFileSync(path).includes(bytes), path).toBe(false);
  }
}

/** Every message leads to its own content, which the service has once as far as messages know. */
function expectKept(
  service: Service,
  source: FileSource,
  other: FileSource,
  files: number,
  contents: number,
): void {
  const messages = service.store.database.prepare('SELECT content, attachments FROM messages').all() as {
    content: string;
    attachments: string | null;
  }[];
  expect(messages).toHaveLength(files);
  const addresses = messages.map(({ content, attachments }) => {
    expect(content + attachments).not.toContain(source.origin);
    expect(content + attachments).not.toContain(other.origin);
    return /http:\/\/[^"\s]+/.exec(attachments ?? content)?.[0] ?? /http:\/\/\S+/.exec(content)?.[0] ?? '';
  });
  expect(new Set(addresses).size).toBe(contents);
}

/** What any server in this process but the one of the credentials was sent: first lines and headers. */
class HeardElsewhere {
  readonly #lines: string[] = [];
  readonly #listen: (message: unknown) => void;

  constructor(source: FileSource) {
    const own = new URL(source.origin).port;
    this.#listen = (message) => {
      const { request } = message as { request: IncomingMessage };
      if (String(request.socket.localPort) !== own)
        this.#lines.push(`${request.url} ${request.rawHeaders.join(' ')}`);
    };
    subscribe('http.server.request.start', this.#listen);
  }

  expectNoSecret(): void {
    expect(this.#lines.length).toBeGreaterThan(0);
    const text = this.#lines.join('\n');
    for (const form of FORMS) expect(text).not.toContain(form);
  }

  end(): void {
    unsubscribe('http.server.request.start', this.#listen);
  }
}

it('an import that is killed six times keeps each file once and sends no credential to another host', async () => {
  await killedFiles({ files: 120, kills: 6, seed: 3 });
});
