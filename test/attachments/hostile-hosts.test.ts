/** One attempt at a file from hosts that lie, break off, pack or turn in circles. */
import { hash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { keyOf } from '../../src/attachments/address.ts';
import { FileFetcher } from '../../src/attachments/fetch-file.ts';
import { SourceCredentials } from '../../src/attachments/source-credentials.ts';
import { BOUNDS } from '../../src/domain/limits.ts';
import { FileSource, picture } from '../support/file-source.ts';

let staging = '';
let source: FileSource;
beforeEach(async () => {
  staging = mkdtempSync(join(tmpdir(), 'hostile-'));
  source = await FileSource.start();
});
afterEach(async () => {
  await source[Symbol.asyncDispose]();
  rmSync(staging, { recursive: true, force: true });
});

const LARGE = Buffer.alloc(2_500_000, 'abcdefghijklm');
const { signal } = new AbortController();

/** As a process of its own would. */
async function fetched(
  address: string,
  options: { largest?: number; now?: () => number; name?: string } = {},
) {
  await using fetcher = new FileFetcher({
    staging,
    credentials: new SourceCredentials(),
    largest: options.largest ?? 10_000_000,
    timeoutMs: 5000,
    privateHosts: ['127.0.0.1', 'localhost'],
    env: {},
    now: options.now ?? Date.now,
    onBytes: () => {},
  });
  const wanted = {
    key: keyOf(address),
    address,
    field: 'content',
    role: 'attachment',
    name: options.name,
  } as const;
  return await fetcher.fetch(wanted, signal);
}

it('a disk that takes no more is said in one sentence', async () => {
  const url = source.file('/large.bin', LARGE);
  rmSync(staging, { recursive: true });
  await expect(fetched(url)).rejects.toMatchObject({
    code: 'disk-write',
    message: expect.stringMatching(/^The folder .* for files cannot be written \(ENOENT\)\.$/),
  });
});

it('a file that an API gives as base64 in JSON is the file', async () => {
  const bytes = Buffer.from(Array.from({ length: 1000 }, (_, index) => (index * 7) % 256));
  const text = JSON.stringify({
    id: 5,
    data: bytes.toString('base64').replace(/.{76}/g, '$&\n'),
  }).replaceAll('/', '\\/');
  const url = source.on('/v2/conversations/1/attachments/5/data', (_, response) => {
    response.writeHead(200, { 'content-type': 'application/hal+json' });
    for (let at = 0; at < text.length; at += 7) response.write(text.slice(at, at + 7));
    response.end();
  });
  const attempt = await fetched(url, { name: 'a.bin' });
  expect(attempt).toMatchObject({ is: 'fetched', file: { hash: hash('sha256', bytes), size: 1000 } });
});

describe('a host', () => {
  it('that sends less than it says is asked again from the start, and nothing of it is kept', async () => {
    const short = source.on('/short.bin', (_, response) => {
      response.writeHead(200, { 'content-length': LARGE.length, etag: '"1"' });
      response.write(LARGE.subarray(0, 2_000_000), () => setImmediate(() => response.destroy()));
    });
    const first = await fetched(short);
    expect(first).toMatchObject({ is: 'again', silent: false, busy: false });
    expect(readdirSync(staging)).toEqual([]);
    source.file('/short.bin', LARGE);
    const whole = await fetched(short);
    expect(whole).toMatchObject({ is: 'fetched', file: { hash: hash('sha256', LARGE), size: LARGE.length } });
    expect(whole.is === 'fetched' && readFileSync(whole.file.path).equals(LARGE)).toBe(true);
    expect(source.asked.map(({ headers }) => headers.range)).toEqual([undefined, undefined]);
  });

  it('that answers with an unrequested part is not believed', async () => {
    const url = source.on('/f.bin', (_, response) => {
      response.writeHead(206, { 'content-range': 'bytes 5-9/10', 'content-length': 5 }).end('56789');
    });
    expect(await fetched(url)).toMatchObject({ is: 'again' });
    expect(readdirSync(staging)).toEqual([]);
  });

  it('that packs its answer is unpacked; a packed file stays unchanged', async () => {
    const text = Buffer.from('a line of a log\n'.repeat(500));
    const packed = { 'content-encoding': 'gzip', 'content-type': 'text/plain' };
    const log = source.answers('/a.log', 200, packed, gzipSync(text));
    expect(await fetched(log)).toMatchObject({ file: { hash: hash('sha256', text), type: 'text/plain' } });
    const archive = gzipSync(text);
    const gz = source.answers('/a.log.gz', 200, { ...packed, 'content-type': 'application/gzip' }, archive);
    expect(await fetched(gz)).toMatchObject({
      file: { hash: hash('sha256', archive), type: 'application/gzip' },
    });
  });

  it('that packs a lot into a little is stopped at the limit', async () => {
    const bomb = gzipSync(Buffer.alloc(20_000_000));
    const url = source.answers('/b.txt', 200, { 'content-encoding': 'gzip' }, bomb);
    expect(await fetched(url, { largest: 1_000_000 })).toMatchObject({ is: 'missing', reason: 'too-large' });
    expect(readdirSync(staging)).toEqual([]);
  });

  it('that packs 250 times as much into a file is stopped long before the limit of a file', async () => {
    const bomb = gzipSync(Buffer.alloc(2 * BOUNDS.unpacked.most));
    const url = source.answers('/b.txt', 200, { 'content-encoding': 'gzip' }, bomb);
    expect(await fetched(url, { largest: 5e9 })).toMatchObject({ is: 'missing', reason: 'too-large' });
  });

  it('that turns in circles, or leads nowhere, is left', async () => {
    const a = source.answers('/a', 302, { location: '/b' });
    source.answers('/b', 302, { location: '/a' });
    expect(await fetched(a)).toMatchObject({ is: 'missing', reason: 'unreachable' });
    const nowhere = source.answers('/n', 302, { location: 'http://[' });
    expect(await fetched(nowhere)).toMatchObject({ is: 'missing', reason: 'unreachable' });
    const script = source.answers('/s', 302, { location: 'file:///etc/passwd' });
    expect(await fetched(script)).toMatchObject({ is: 'missing', reason: 'blocked' });
  });

  it('that drips is left for a while', async () => {
    let now = 0;
    const url = source.on('/drip.bin', (_, response) => {
      response.writeHead(200);
      const drip = () => {
        now += 10_000;
        if (!response.destroyed) response.write(Buffer.alloc(2000), () => setImmediate(drip));
      };
      drip();
    });
    expect(await fetched(url, { now: () => now })).toMatchObject({
      is: 'again',
      detail: expect.stringContaining('too slowly'),
    });
  });

  it('that says how large a file is sends nothing of a file that is too large', async () => {
    const url = source.on('/huge.bin', (_, response) => {
      response.writeHead(200, { 'content-length': 20_000_000_000 }).write('x');
    });
    expect(await fetched(url)).toMatchObject({ is: 'missing', reason: 'too-large' });
  });

  it.each([
    ['attachment; filename="../../etc/passwd"', 'passwd'],
    ['attachment; filename="C:\\\\temp\\\\offer.pdf"', 'offer.pdf'],
    ["attachment; filename*=UTF-8''%E2%80%AEgpj.exe", 'gpj.exe'],
    [`attachment; filename="${'x'.repeat(400)}.png"`, `${'x'.repeat(146)}.png`],
    ['attachment; filename=".."', undefined],
  ])('that calls a file %s', async (disposition, expected) => {
    const url = source.file('/n', picture(1), 'image/gif', { 'content-disposition': disposition });
    expect(await fetched(url)).toMatchObject({ is: 'fetched', file: { name: expected } });
  });
});
