/** An import with files, killed at chosen requests: what the books say behind each kill and at the end. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readCheckpoint } from '../../src/checkpoint/read-checkpoint.ts';
import { systemClock } from '../../src/system-clock.ts';
import { startCli, temporaryFolder } from '../support/cli.ts';
import { type Desk, openDesk, says, ticket } from '../support/desk.ts';
import { FileSource } from '../support/file-source.ts';
import { seeded } from '../support/seeded.ts';

/** Files that are fetched from one host at a time, which bounds what is under way. */
const PER_HOST = 8;
const FILES = 60;
const MOMENTS = ['asked', 'announced', 'uploaded'] as const;
const SECRET = 'geheim-header-19';

it('an import that is killed three times keeps each file once and leaves no credential behind', async () => {
  const desk = await openDesk({ clock: systemClock, strict: false });
  const { folder, sandbox } = desk;
  await using source = await FileSource.start();
  await using other = await FileSource.start('127.0.0.2');
  // The last of each ten has the content of the one before.
  const content = (file: number) => contentOf(file % 10 === 9 ? file - 1 : file);
  const urls = Array.from({ length: FILES }, (_, file) => serve(source, other, file, content(file)));
  writeExport(desk, urls);
  const random = seeded(3);
  using secrets = temporaryFolder();
  writeFileSync(secrets.join('credentials'), `${new URL(source.origin).host} X-Key: ${SECRET}`);
  const env = { ...desk.env, HELPDESK_FILES_CREDENTIALS_FILE: secrets.join('credentials') };
  const args = ['run', 'export.jsonl', '--files', 'target', '--set', 'run.rate=1000000/1', '--verbose'];
  // What is begun and not known to have ended when a process dies is what the next one may send again.
  let inFlight = 0;
  for (const moment of [...MOMENTS, undefined]) {
    const run = startCli(args, { cwd: folder.path, env });
    const nth = moment === undefined ? Number.NaN : random.between(1, (1.4 * FILES) / MOMENTS.length);
    at(moment ?? 'asked', Math.floor(nth), source, desk, () => run.kill('SIGKILL'));
    const { code, stdout, stderr } = await run.result;
    const said = `${moment}: ${stdout}${stderr}`;
    expect(code, said).toBe(moment === undefined ? 0 : 'SIGKILL');
    const begun = begunIn(folder.path);
    expect(begun, said).toBeLessThanOrEqual(PER_HOST);
    inFlight += begun;
    for (const written of [Buffer.from(said), ...bytesIn(folder.path)])
      expect(written.includes(SECRET)).toBe(false);
    if (moment !== undefined) expect(desk.count('tickets')).toBe(0);
  }
  const contents = new Set(urls.map((_, file) => content(file).toString('latin1'))).size;
  const uploads = sandbox.log
    .requests({ method: 'PUT', effect: 'stored' })
    .filter(({ path }) => path.startsWith('/uploads/')).length;
  expect(uploads).toBeGreaterThanOrEqual(contents);
  expect(uploads).toBeLessThanOrEqual(contents + inFlight);
  // Each address is asked for once, but for what was under way at a kill.
  expect(source.asked.length - FILES).toBeLessThanOrEqual(MOMENTS.length * PER_HOST);
  expect(JSON.stringify(other.asked)).not.toContain(SECRET);
  const messages = sandbox.store.sql.column<string>(
    "SELECT content || ' ' || coalesce(attachments, '') FROM messages",
  );
  expect(messages).toHaveLength(FILES);
  expect(messages.filter((text) => text.includes(source.origin) || text.includes(other.origin))).toEqual([]);
  expect(new Set(messages.map((text) => /http:\/\/[^"\s]+/.exec(text)?.[0])).size).toBe(contents);
});

/** Every third is behind a redirect to another host, some are larger than a buffer. */
function serve(source: FileSource, other: FileSource, file: number, bytes: Buffer): string {
  const path = `/attachments/${file}.bin`;
  const moved = file % 3 === 0 ? other.file(path, bytes) : undefined;
  return source.on(path, ({ headers }, response) => {
    if (headers['x-key'] !== SECRET) return void response.writeHead(401).end();
    if (moved !== undefined) return void response.writeHead(302, { location: moved }).end();
    return void response.writeHead(200, { 'content-length': bytes.length }).end(bytes);
  });
}

function contentOf(file: number): Buffer {
  const { between } = seeded(file, 15);
  const bytes = Buffer.alloc(file % 100 === 50 ? 1_500_000 : between(1, 4_000), `file ${file} `);
  bytes.writeUInt8(between(0, 255), bytes.length - 1);
  return bytes;
}

function writeExport({ write }: Desk, urls: readonly string[]): void {
  const message = (url: string, index: number) =>
    index % 2 === 0 ? { ...says('See the file.'), attachments: [{ url }] } : says(`It is at ${url} for you.`);
  write(
    'export.jsonl',
    urls.map((url, index) => ticket(String(index), { messages: [message(url, index)] })),
  );
  write('helpdesk-import.yaml', `files:\n  hosts: [127.0.0.2]\n`);
}

/** Calls `then` when the n-th of such requests from now on has had its effect, before it is answered. */
function at(
  moment: (typeof MOMENTS)[number],
  n: number,
  source: FileSource,
  { sandbox: { log } }: Desk,
  then: () => void,
): void {
  let left = n;
  const counted = () => {
    left -= 1;
    if (left === 0) then();
  };
  source.onAsked = moment === 'asked' ? counted : () => {};
  const method = moment === 'announced' ? 'POST' : 'PUT';
  log.onRequest = (request) => {
    if (moment !== 'asked' && request.method === method && request.effect === 'stored') counted();
  };
}

function begunIn(cwd: string): number {
  const checkpoint = readCheckpoint(join(cwd, 'helpdesk-import.checkpoint.sqlite'));
  try {
    return [...checkpoint.files.contents()].filter((content) => content.begun).length;
  } finally {
    checkpoint.close();
  }
}

function bytesIn(cwd: string): Buffer[] {
  return readdirSync(cwd, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name)));
}
