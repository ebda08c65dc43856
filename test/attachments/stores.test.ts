/** Where files are put that is elsewhere: what a bucket and the helpdesk may answer, and what that means for the file. */
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { bucketStore, folderStore, StoreRefusal, targetStore } from '../../src/attachments/stores.ts';
import { AppError } from '../../src/domain/errors.ts';
import { createFakeClock } from '../support/fake-clock.ts';

const open: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

type Answer = (request: IncomingMessage, response: ServerResponse, nth: number) => void;

async function serverWith(answer: Answer) {
  const asked: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    asked.push(request);
    request.resume().on('end', () => answer(request, response, asked.length));
  });
  await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done));
  open.push(async () => {
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  });
  return { asked, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

const folder = mkdtempSync(join(tmpdir(), 'stores-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const bytes = Buffer.from('%PDF-1.7 x');
const FILE = {
  hash: 'ab'.repeat(32),
  size: bytes.length,
  type: 'application/pdf',
  path: join(folder, 'offer'),
};
writeFileSync(FILE.path, bytes);
const { signal } = new AbortController();
const status =
  (...statuses: number[]): Answer =>
  (_, response, nth) =>
    void response.writeHead(statuses[Math.min(nth, statuses.length) - 1] ?? 500).end();

const bucketAt = (endpoint: string) => ({
  staging: '/nowhere',
  endpoint,
  region: 'eu-central-1',
  bucket: 'acme',
  prefix: 'desk',
  accessKeyId: 'KEY',
  secretAccessKey: 'SECRET-VALUE',
  publicUrl: 'https://files.example.com',
});

describe('a bucket', () => {
  async function put(answer: Answer, type = FILE.type) {
    const server = await serverWith(answer);
    const clock = createFakeClock();
    const store = bucketStore({ ...bucketAt(server.origin), clock, env: {} });
    const address = clock.settle(store.put({ ...FILE, type }, 'offer.pdf', signal));
    return { server, clock, address };
  }

  it('uploads a file only if the store lacks it', async () => {
    const { server, address } = await put(status(412));
    expect(await address).toBe(`https://files.example.com/desk/ab/${FILE.hash}.pdf`);
    expect(server.asked).toHaveLength(1);
    expect(server.asked[0]?.headers).toMatchObject({
      'if-none-match': '*',
      'content-type': 'application/pdf',
    });
    expect(server.asked[0]?.headers['authorization']).not.toContain('SECRET-VALUE');
  });

  it('that is overloaded is asked again after a pause', async () => {
    const { server, clock, address } = await put(status(503, 200));
    await address;
    expect(server.asked).toHaveLength(2);
    expect(clock.slept.length).toBe(1);
  });

  it('that refuses the key ends the run, with what to check', async () => {
    const { address } = await put(status(403));
    await expect(address).rejects.toThrow(AppError);
    await expect(address).rejects.toMatchObject({ hint: expect.stringContaining('AWS_ACCESS_KEY_ID') });
  });

  it('gives pages as downloads, so that no script runs at its address', async () => {
    const { server, address } = await put(status(200), 'text/html');
    await address;
    expect(server.asked[0]?.headers['content-disposition']).toBe('attachment');
  });
});

it.skipIf(process.platform === 'win32')(
  'a folder keeps files so that the web server can read them',
  async () => {
    const kept = join(folder, 'kept');
    const fetched = { ...FILE, path: join(folder, 'fetched') };
    writeFileSync(fetched.path, bytes, { mode: 0o600 });
    const store = folderStore(kept, 'https://files.example.com/', folder);
    expect(await store.put(fetched, 'offer.pdf', signal)).toBe(
      `https://files.example.com/ab/${FILE.hash}.pdf`,
    );
    await store.settle();
    expect(statSync(join(kept, `ab/${FILE.hash}.pdf`)).mode & 0o777).toBe(0o644);
  },
);

describe('the helpdesk', () => {
  async function put(answer: Answer) {
    const server = await serverWith(answer);
    const clock = createFakeClock();
    let announced = 0;
    const store = targetStore({
      staging: '/nowhere',
      env: {},
      clock,
      timeoutMs: 5000,
      announce: async (filename) => {
        announced += 1;
        const path = `${server.origin}/${announced}/${filename}`;
        return { signedUrl: `${path}?sig=1`, downloadUrl: path };
      },
      target: server.origin,
      privateHosts: [],
      localOrigin: undefined,
    });
    const address = clock.settle(store.put(FILE, 'offer.pdf', signal));
    return { server, address };
  }

  it('is asked for another address if the signature of one is over', async () => {
    const { server, address } = await put(status(403, 200));
    expect(await address).toBe(`${server.origin}/2/offer.pdf`);
    expect(server.asked.map(({ url }) => url)).toEqual(['/1/offer.pdf?sig=1', '/2/offer.pdf?sig=1']);
  });

  it('is sent the same bytes again if no answer came', async () => {
    const { server, address } = await put((_, response, nth) =>
      nth === 1 ? void response.destroy() : void response.writeHead(200).end(),
    );
    expect(await address).toBe(`${server.origin}/1/offer.pdf`);
    expect(server.asked).toHaveLength(2);
  });

  it.each([
    ['https://desk.example', 'http://127.0.0.1:1/internal'],
    ['https://desk.example', 'https://127.0.0.1:1/internal'],
    ['https://desk.example', 'https://169.254.169.254/latest'],
    ['https://desk.example', 'https://[::1]:1/internal'],
    ['https://desk.example', 'http://files.example/1'],
    ['http://10.0.0.7:8080', 'http://10.0.0.8:8080/1'],
    ['http://127.0.0.1:1', 'https://169.254.169.254/latest'],
  ])('at %s sends no file to %s', async (target, signedUrl) => {
    const clock = createFakeClock();
    const announce = async () => ({ signedUrl, downloadUrl: 'https://files.example/1' });
    const own = { staging: '/nowhere', env: {}, timeoutMs: 5000, privateHosts: [], localOrigin: undefined };
    const store = targetStore({ ...own, clock, announce, target });
    await expect(clock.settle(store.put(FILE, 'offer.pdf', signal))).rejects.toThrow(StoreRefusal);
  });

  it('that does not take this file is asked once, and the file keeps its address', async () => {
    const { server, address } = await put(status(413));
    await expect(address).rejects.toThrow(StoreRefusal);
    expect(server.asked).toHaveLength(1);
  });
});
