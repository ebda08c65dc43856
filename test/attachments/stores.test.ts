/** Where files are put that is elsewhere: what a bucket and the target may answer, and what that means for the file. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { StoreRefusal } from '../../src/attachments/file-store.ts';
import { bucketStore, targetStore } from '../../src/attachments/remote-stores.ts';
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

  it('is asked to take a file only where it is not there yet; one that is there is as good', async () => {
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

  it('gives pages as downloads, so that none runs at its address', async () => {
    const { server, address } = await put(status(200), 'text/html');
    await address;
    expect(server.asked[0]?.headers['content-disposition']).toBe('attachment');
  });

  describe('whose upload in parts a process left behind that was killed', () => {
    const path = join(folder, 'large.part');
    const SIZE = 9 * 1024 * 1024;
    writeFileSync(path, Buffer.alloc(SIZE, 'x'));
    const large = { hash: 'cd'.repeat(32), size: SIZE, type: 'application/octet-stream', path };
    const key = `desk/cd/${large.hash}.bin`;

    async function asked(isBegun: boolean, uploads: string, exists = false) {
      const server = await serverWith((request, response) => {
        const url = new URL(request.url ?? '', 'http://s3');
        if (request.method === 'HEAD') return void response.writeHead(exists ? 200 : 404).end();
        if (request.method === 'GET')
          return void response.end(`<ListMultipartUploadsResult>${uploads}</ListMultipartUploadsResult>`);
        if (request.method === 'DELETE') return void response.writeHead(204).end();
        if (request.method === 'PUT') return void response.writeHead(200, { etag: '"1"' }).end();
        return void response.end(
          url.searchParams.has('uploads')
            ? '<InitiateMultipartUploadResult><UploadId>NEW</UploadId></InitiateMultipartUploadResult>'
            : '<CompleteMultipartUploadResult><ETag>"2"</ETag></CompleteMultipartUploadResult>',
        );
      });
      const clock = createFakeClock();
      const store = bucketStore({ ...bucketAt(server.origin), clock, env: {} });
      await store.put(large, 'large.bin', signal, isBegun);
      return server.asked.map(({ method, url }) => {
        const { pathname, searchParams } = new URL(url ?? '', 'http://s3');
        return `${method} ${decodeURIComponent(pathname)} ${searchParams.get('uploadId') ?? ''}`.trim();
      });
    }
    const upload = (of: string, id: string) => `<Upload><Key>${of}</Key><UploadId>${id}</UploadId></Upload>`;
    const sent = (id: string) => [
      `PUT /acme/${key} ${id}`,
      `PUT /acme/${key} ${id}`,
      `POST /acme/${key} ${id}`,
    ];

    it('it is given up, and no other one', async () => {
      const ledger = await asked(
        true,
        upload(key, 'OLD-1') + upload(key, 'OLD-2') + upload(`${key}2`, 'OTHER'),
      );
      expect(ledger.filter((one) => one.startsWith('DELETE'))).toEqual([
        `DELETE /acme/${key} OLD-1`,
        `DELETE /acme/${key} OLD-2`,
      ]);
      expect(ledger.slice(-3)).toEqual(sent('NEW'));
    });

    it('it is given up also where the object was finished by somebody else', async () => {
      const ledger = await asked(true, upload(key, 'OLD'), true);
      expect(ledger.filter((one) => one.startsWith('DELETE'))).toEqual([`DELETE /acme/${key} OLD`]);
      expect(ledger.some((one) => one.startsWith('P'))).toBe(false);
    });

    it('nothing is asked for where none was begun', async () => {
      const ledger = await asked(false, upload(key, 'OLD'));
      expect(ledger.some((one) => one.startsWith('GET') || one.startsWith('DELETE'))).toBe(false);
      expect(ledger.slice(-3)).toEqual(sent('NEW'));
    });
  });
});

describe('the target', () => {
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
      localOrigin: undefined,
    });
    const address = clock.settle(store.put(FILE, 'offer.pdf', signal));
    return { server, address };
  }

  it('is asked for another address where the signature of one is over', async () => {
    const { server, address } = await put(status(403, 200));
    expect(await address).toBe(`${server.origin}/2/offer.pdf`);
    expect(server.asked.map(({ url }) => url)).toEqual(['/1/offer.pdf?sig=1', '/2/offer.pdf?sig=1']);
  });

  it('is sent the same bytes again where no answer came', async () => {
    const { server, address } = await put((_, response, nth) =>
      nth === 1 ? void response.destroy() : void response.writeHead(200).end(),
    );
    expect(await address).toBe(`${server.origin}/1/offer.pdf`);
    expect(server.asked).toHaveLength(2);
  });

  it('that does not take this file is asked once, and the file stays where it was', async () => {
    const { server, address } = await put(status(413));
    await expect(address).rejects.toThrow(StoreRefusal);
    expect(server.asked).toHaveLength(1);
  });
});
