/** A proxy of the environment carries everything that leaves this machine: fetched files, uploads, and the questions about attachments. */
import { readdirSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { keyOf } from '../../src/attachments/address.ts';
import { FileFetcher } from '../../src/attachments/fetch-file.ts';
import { readSourceCredentials } from '../../src/attachments/source-credentials.ts';
import { targetStore } from '../../src/attachments/stores.ts';
import { canned } from '../support/canned.ts';
import { openFolder, says, ticket } from '../support/desk.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { folderOfTest } from '../support/folder-of-test.ts';

const PDF = Buffer.from('%PDF-1.7 x');

/** Answers every request itself, since the names behind it do not exist. */
async function proxy() {
  const asked: string[] = [];
  const own = await canned(({ method, url }) => {
    asked.push(`${method} ${url.replace(/\?.*/, '')}`);
    return { headers: { 'content-type': 'application/pdf' }, body: PDF };
  });
  own.server.on('connect', ({ method, url, headers }, socket) => {
    asked.push([method, url, headers.authorization].filter((part) => part !== undefined).join(' '));
    socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
  });
  return { url: own.url, asked, [Symbol.asyncDispose]: own[Symbol.asyncDispose] };
}

/** An export whose message has these files. */
function placeWith(env: Record<string, string>, ...addresses: string[]) {
  const place = openFolder({ env });
  const attachments = addresses.map((url) => ({ url, name: 'offer.pdf' }));
  place.write('export.jsonl', [ticket('1', { messages: [{ ...says('See the file.'), attachments }] })]);
  return place;
}

it('files are fetched by way of the proxy, but not from a private address, nor for a host of NO_PROXY', async () => {
  await using through = await proxy();
  const { folder, run } = placeWith(
    { HTTP_PROXY: through.url, NO_PROXY: 'direct.invalid' },
    'http://files.invalid/offer.pdf',
    'http://10.0.0.1/inside.pdf',
    'http://localhost/own.pdf',
    'http://direct.invalid/direct.pdf',
  );
  const line = 'run export.jsonl --set files.missing=keep --sandbox --files kept';
  expect(await run(...line.split(' '))).toMatchObject({ tickets: { done: 1 } });
  expect(through.asked).toEqual(['GET http://files.invalid/offer.pdf']);
  const kept = readdirSync(folder.join('kept'), { recursive: true, encoding: 'utf8' });
  expect(kept.filter((name) => name.endsWith('.pdf'))).toHaveLength(1);
});

it('an encrypted file is fetched through a tunnel: the proxy sees its host, and neither its path nor a credential', async () => {
  await using through = await proxy();
  await using fetcher = new FileFetcher({
    staging: folderOfTest().path,
    credentials: readSourceCredentials('files.invalid Authorization: Bearer geheim', 'here'),
    largest: 1e6,
    timeoutMs: 5_000,
    privateHosts: [],
    env: { HTTPS_PROXY: through.url },
    now: () => 0,
    onBytes: () => undefined,
  });
  const address = 'https://files.invalid/secret/offer.pdf';
  const wanted = { key: keyOf(address), address, field: 'content', role: 'link' } as const;
  expect(await fetcher.fetch(wanted, new AbortController().signal)).toMatchObject({ is: 'again' });
  expect(through.asked).toEqual(['CONNECT files.invalid:443']);
});

it('attachments of a trial are checked by way of the proxy', async () => {
  await using through = await proxy();
  const { run } = placeWith({ HTTP_PROXY: through.url }, 'http://files.invalid/offer.pdf');
  expect(await run('run', 'export.jsonl', '--sandbox', '--trial')).toMatchObject({
    attachments: { checked: 1, unreachable: 0 },
  });
  expect(through.asked).toEqual(['HEAD http://files.invalid/offer.pdf']);
});

it('files go to the helpdesk by way of the proxy', async () => {
  await using through = await proxy();
  const clock = createFakeClock();
  const store = targetStore({
    staging: '/nowhere',
    env: { HTTP_PROXY: through.url },
    clock,
    timeoutMs: 5000,
    announce: async (name) => ({
      signedUrl: `http://up.invalid/${name}?s=1`,
      downloadUrl: 'http://up.invalid/1',
    }),
    target: 'http://up.invalid',
    privateHosts: [],
    localOrigin: undefined,
  });
  const file = {
    hash: 'ab'.repeat(32),
    size: PDF.length,
    type: 'application/pdf',
    path: folderOfTest().join('offer'),
  };
  writeFileSync(file.path, PDF);
  const { signal } = new AbortController();
  expect(await clock.settle(store.put(file, 'offer.pdf', signal))).toBe('http://up.invalid/1');
  expect(through.asked).toEqual(['PUT http://up.invalid/offer.pdf']);
});
