import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { type RunningSandbox, running } from './running-sandbox.ts';

/** Writes bytes to the sandbox's port, ends, and answers all that comes back. */
function raw(sandbox: RunningSandbox, text: string, end = false): Promise<string> {
  return new Promise((resolve) => {
    let answer = '';
    const socket = connect(sandbox.port, '127.0.0.1', () => {
      socket.write(text);
      if (end) socket.end();
    });
    socket.setEncoding('latin1').on('data', (data) => {
      answer += data;
    });
    socket.on('error', () => {});
    socket.on('close', () => resolve(answer));
  });
}

const head = (sandbox: RunningSandbox, more: string) =>
  `POST /v1/tickets HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${sandbox.token}\r\nConnection: close\r\n${more}\r\n\r\n`;

describe('request bodies', () => {
  it('bytes that are not UTF-8 are refused instead of changed', async () => {
    const sandbox = await running();
    const latin1 = Buffer.from('{"subject":"M\xfcller"}', 'latin1');
    const response = await fetch(`${sandbox.url}/v1/tickets`, {
      method: 'POST',
      headers: { authorization: `Bearer ${sandbox.token}`, 'content-type': 'application/json' },
      body: latin1,
    });
    expect(response.status).toBe(400);
  });

  it('one larger than the limit is 413, with its length announced or not', async () => {
    const sandbox = await running({ maxBodyBytes: 1000 });
    const subject = 'x'.repeat(2000);
    const announced = await sandbox.call('POST', '/tickets', { subject });
    expect(announced.status).toBe(413);
    const chunk = JSON.stringify({ subject });
    const chunked = await raw(
      sandbox,
      `${head(sandbox, 'Content-Type: application/json\r\nTransfer-Encoding: chunked')}${chunk.length.toString(16)}\r\n${chunk}\r\n0\r\n\r\n`,
    );
    expect(chunked).toMatch(/^HTTP\/1\.1 413/);
    expect((await sandbox.call('POST', '/tickets', { subject: 'x'.repeat(900) })).status).toBe(201);
  });

  it('a truncated body has no effect', async () => {
    const sandbox = await running();
    await raw(
      sandbox,
      `${head(sandbox, 'Content-Type: application/json\r\nContent-Length: 100')}{"subject":"a"}`,
      true,
    );
    await sandbox.call('GET', '/tickets');
    expect(sandbox.store.tickets.count({})).toBe(0);
  });
});

describe('whom the sandbox listens to', () => {
  it('a port that is taken, and an address that is not here, are explained', async () => {
    const sandbox = await running();
    await expect(running({ port: sandbox.port })).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining(`Port ${sandbox.port} on 127.0.0.1 is in use`),
      hint: expect.any(String),
    });
    await expect(running({ host: '192.0.2.1' })).rejects.toMatchObject({ code: 'usage' });
  });

  it('only those with its own token, which is random', async () => {
    const [one, other] = [await running({ auth: {} }), await running({ auth: {} })];
    expect(one.token.length).toBeGreaterThan(40);
    const headers = { authorization: `Bearer ${other.token}` };
    expect((await one.call('GET', '/tickets', undefined, headers)).status).toBe(401);
  });
});

describe('attachments', () => {
  it('are uploaded to a signed URL and downloaded again, byte by byte', async () => {
    const sandbox = await running({ strict: false });
    const bytes = Buffer.from([0, 1, 2, 250, 255, 10, 13]);
    const asked = await sandbox.call('POST', '/attachments', {
      filename: 'Größe <1>.bin',
      contentType: 'application/octet-stream',
    });
    expect(asked.status).toBe(201);
    const { signedUrl, downloadUrl, expiresAt } = asked.body;
    expect(Date.parse(expiresAt)).toBeGreaterThan(sandbox.clock.now());
    expect((await fetch(downloadUrl)).status).toBe(404);
    expect((await fetch(signedUrl, { method: 'PUT', body: bytes })).status).toBe(200);
    const file = await fetch(downloadUrl);
    expect(file.status).toBe(200);
    expect(Buffer.from(await file.arrayBuffer())).toEqual(bytes);
    expect(file.headers.get('content-disposition')).toMatch(/^attachment; /);
    expect(file.headers.get('x-content-type-options')).toBe('nosniff');
    const probe = await fetch(downloadUrl, { method: 'HEAD' });
    expect([probe.status, probe.headers.get('content-length')]).toEqual([200, '7']);
  });

  it('are not reachable with another secret, nor uploaded after the URL has expired', async () => {
    const sandbox = await running({ strict: false });
    const { signedUrl, downloadUrl } = (
      await sandbox.call('POST', '/attachments', { filename: 'a.txt', contentType: 'text/html' })
    ).body;
    const forged = (url: string) => url.replace(/\/[0-9a-f]{32}/, `/${'0'.repeat(32)}`);
    expect((await fetch(forged(signedUrl), { method: 'PUT', body: 'x' })).status).toBe(404);
    expect((await fetch(forged(downloadUrl))).status).toBe(404);
    await sandbox.clock.advance(61 * 60_000);
    expect((await fetch(signedUrl, { method: 'PUT', body: 'x' })).status).toBe(403);
  });
});
