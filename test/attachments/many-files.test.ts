/** Of many files at a time none gets bytes of another one. */
import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { keyOf } from '../../src/attachments/address.ts';
import { FileFetcher } from '../../src/attachments/fetch-file.ts';
import { SourceCredentials } from '../../src/attachments/source-credentials.ts';
import { FileSource } from '../support/file-source.ts';

const staging = mkdtempSync(join(tmpdir(), 'buffers-'));
afterAll(() => rmSync(staging, { recursive: true, force: true }));

it('many files at a time are each what was sent, whole, in parts of any size, and in chunks', async () => {
  await using source = await FileSource.start();
  const files = Array.from({ length: 12 }, (_, index) => {
    const bytes = randomBytes(40_000 + index * 217_003);
    const url = source.on(`/${index}.bin`, async (_, response) => {
      const isWhole = index % 3 === 0;
      response.writeHead(200, index % 2 === 0 ? { 'content-length': bytes.length } : {});
      const size = isWhole ? bytes.length : 1000 + index * 30_011;
      for (let at = 0; at < bytes.length; at += size)
        if (!response.write(bytes.subarray(at, at + size)))
          await new Promise((drained) => response.once('drain', drained));
      response.end();
    });
    return { bytes, url };
  });
  await using fetcher = new FileFetcher({
    staging,
    credentials: new SourceCredentials(),
    largest: 10_000_000,
    timeoutMs: 5000,
    privateHosts: ['127.0.0.1', 'localhost'],
    env: {},
    now: Date.now,
    onBytes: () => {},
  });
  const { signal } = new AbortController();
  for (let round = 0; round < 2; round++)
    await Promise.all(
      files.map(async ({ bytes, url }) => {
        const wanted = { key: keyOf(url), address: url, field: 'content', role: 'attachment' } as const;
        const attempt = await fetcher.fetch(wanted, signal);
        if (attempt.is !== 'fetched') throw new Error(attempt.detail);
        const { file } = attempt;
        expect(file.hash).toBe(createHash('sha256').update(bytes).digest('hex'));
        expect(readFileSync(file.path).equals(bytes)).toBe(true);
      }),
    );
});
