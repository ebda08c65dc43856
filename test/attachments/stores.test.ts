/** Where files are put that is elsewhere: what the helpdesk may answer, and what that means for the file. */
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { folderStore, StoreRefusal, targetStore } from '../../src/attachments/stores.ts';
import { canned, type Responder } from '../support/canned.ts';
import { createFakeClock } from '../support/fake-clock.ts';

async function serverWith(respond: Responder) {
  const server = await canned(respond);
  onTestFinished(() => server[Symbol.asyncDispose]());
  return server;
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
  (...statuses: number[]): Responder =>
  (_, nth) => ({ status: statuses[Math.min(nth, statuses.length) - 1] ?? 500 });

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
  async function put(answer: Responder) {
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
        const path = `${server.url}/${announced}/${filename}`;
        return { signedUrl: `${path}?sig=1`, downloadUrl: path };
      },
      target: server.url,
      privateHosts: [],
      localOrigin: undefined,
    });
    const address = clock.settle(store.put(FILE, 'offer.pdf', signal));
    return { server, address };
  }

  it('is asked for another address if the signature of one is over', async () => {
    const { server, address } = await put(status(403, 200));
    expect(await address).toBe(`${server.url}/2/offer.pdf`);
    expect(server.seen.map(({ url }) => url)).toEqual(['/1/offer.pdf?sig=1', '/2/offer.pdf?sig=1']);
  });

  it('is sent the same bytes again if no answer came', async () => {
    const { server, address } = await put((_, nth) => (nth === 1 ? 'destroy' : { status: 200 }));
    expect(await address).toBe(`${server.url}/1/offer.pdf`);
    expect(server.seen).toHaveLength(2);
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
    expect(server.seen).toHaveLength(1);
  });
});
