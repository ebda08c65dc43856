import { execFileSync } from 'node:child_process';
import { getEventListeners } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer as createTlsServer } from 'node:https';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { ApiRequest } from '../../src/core-api/exchange.ts';
import { createTransport, type Transport, type TransportOptions } from '../../src/core-api/transport.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { httpAnswer, onRequest, rawServer } from './raw-server.ts';

const { signal } = new AbortController();
const open: Transport[] = [];

afterEach(async () => {
  for (const transport of open.splice(0)) await transport.close();
});

function transportTo(origin: string, options: Partial<TransportOptions> = {}) {
  const clock = createFakeClock();
  const transport = createTransport({ origin, timeoutMs: 30_000, connections: 4, clock, ...options });
  open.push(transport);
  return { clock, ...transport };
}

const create = (body = '{"subject":"Hi"}'): ApiRequest => ({
  kind: 'create',
  method: 'POST',
  path: '/tickets',
  body,
  attempt: 1,
});
const read: ApiRequest = { kind: 'read', method: 'GET', path: '/tickets?take=1', attempt: 1 };
/** More than any socket buffer takes. */
const huge = () => create(JSON.stringify({ subject: 'x'.repeat(16 * 1024 * 1024) }));

/** Until the condition holds; for what other sides of a socket do. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}

function afterTurns(turns: number, then: () => void): void {
  setImmediate(() => (turns > 1 ? afterTurns(turns - 1, then) : then()));
}

describe('the transport', () => {
  it('brings a request out and the answer back', async () => {
    let seen = '';
    await using server = await rawServer((socket) =>
      onRequest(socket, (request) => {
        seen = request;
        socket.write(httpAnswer(201, '{"id":"t1"}', { 'x-note': 'a' }));
      }),
    );
    const { exchange } = transportTo(server.origin, { userAgent: 'helpdesk-import/1.2.3' });
    const reply = await exchange(
      { ...create('{"subject":"Grüße"}'), headers: { authorization: 'Bearer abc' } },
      signal,
    );
    expect(reply).toMatchObject({ type: 'answer', status: 201, headers: { 'x-note': 'a' } });
    expect(reply.type === 'answer' && reply.body.toString()).toBe('{"id":"t1"}');
    expect(reply).not.toHaveProperty('cut');
    expect(seen).toContain('POST /tickets HTTP/1.1\r\n');
    expect(seen.toLowerCase()).toContain('authorization: bearer abc\r\n');
    expect(seen).toContain('content-type: application/json\r\n');
    expect(seen).toContain('user-agent: helpdesk-import/1.2.3\r\n');
    expect(seen).toContain('content-length: 21\r\n');
  });

  it('tells when a request begins to go out, once', async () => {
    const order: string[] = [];
    await using server = await rawServer((socket) =>
      onRequest(socket, () => {
        order.push('arrived');
        socket.write(httpAnswer(200, '{}'));
      }),
    );
    await transportTo(server.origin).exchange(read, signal, () => order.push('begun'));
    expect(order).toEqual(['begun', 'arrived']);
  });

  it('passes over informational answers', async () => {
    await using server = await rawServer((socket) =>
      onRequest(socket, () =>
        socket.write(`HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n${httpAnswer(200, '{}')}`),
      ),
    );
    expect(await transportTo(server.origin).exchange(read, signal)).toMatchObject({
      type: 'answer',
      status: 200,
    });
  });

  it('uses a connection again, and no more of them than it may', async () => {
    await using server = await rawServer((socket) =>
      onRequest(socket, () => socket.write(httpAnswer(200, '{}'))),
    );
    const { exchange } = transportTo(server.origin, { connections: 3 });
    await Promise.all(Array.from({ length: 30 }, () => exchange(create(), signal)));
    expect(server.connections).toBe(3);
  });

  it('a redirect comes back as it is and is not followed', async () => {
    await using server = await rawServer((socket) =>
      onRequest(socket, () =>
        socket.write(httpAnswer(307, '', { location: 'http://127.0.0.1:9/elsewhere' })),
      ),
    );
    expect(await transportTo(server.origin).exchange(create(), signal)).toMatchObject({
      type: 'answer',
      status: 307,
    });
  });

  describe('nothing was sent', () => {
    it('when the connection is refused', async () => {
      const closed = await rawServer(() => {});
      await closed[Symbol.asyncDispose]();
      const reply = await transportTo(closed.origin).exchange(create(), signal);
      expect(reply).toEqual({
        type: 'breakdown',
        reason: 'not-connected',
        message: 'connection refused (ECONNREFUSED)',
        code: 'ECONNREFUSED',
      });
    });

    it('when the host has no address', async () => {
      const reply = await transportTo('http://no-such-host.invalid').exchange(create(), signal);
      expect(reply).toMatchObject({ type: 'breakdown', reason: 'not-connected' });
    });

    it('when the other side of an https address does not speak TLS', async () => {
      await using server = await rawServer((socket) => {
        socket.on('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
        socket.resume();
      });
      const reply = await transportTo(server.origin.replace('http:', 'https:')).exchange(create(), signal);
      expect(reply).toMatchObject({ type: 'breakdown', reason: 'not-connected' });
    });

    it('when the connection is closed during the TLS handshake', async () => {
      await using server = await rawServer((socket) => {
        socket.on('data', () => socket.resetAndDestroy());
        socket.resume();
      });
      const reply = await transportTo(server.origin.replace('http:', 'https:')).exchange(create(), signal);
      expect(reply).toMatchObject({ type: 'breakdown', reason: 'not-connected' });
    });

    it('when the deadline passes while it waits for a connection; and it never goes out later', async () => {
      let requests = 0;
      await using server = await rawServer((socket) => onRequest(socket, () => requests++));
      const { exchange, clock } = transportTo(server.origin, { connections: 1 });
      const first = exchange(create(), signal);
      await until(() => requests === 1);
      await clock.advance(10_000);
      const second = exchange(create(), signal);
      await clock.advance(20_000);
      expect(await first).toMatchObject({ type: 'breakdown', reason: 'timeout' });
      // The first one's connection is gone; the second one's request may go out now, with 10 of its 30 seconds left.
      await until(() => requests === 2);
      await clock.advance(30_000);
      expect(await second).toMatchObject({ type: 'breakdown', reason: 'timeout' });
    });

    it('when it is aborted before it has a connection: it rejects with the reason, and never goes out', async () => {
      let requests = 0;
      await using server = await rawServer((socket) =>
        onRequest(socket, () => {
          requests++;
          if (requests > 1) socket.write(httpAnswer(200, '{}'));
        }),
      );
      const { exchange, clock } = transportTo(server.origin, { connections: 1 });
      const first = exchange(create(), signal);
      await until(() => requests === 1);
      const controller = new AbortController();
      const queued = exchange(create(), controller.signal);
      controller.abort(new Error('second signal'));
      await expect(queued).rejects.toThrow('second signal');
      await clock.advance(30_000);
      await first;
      // Whatever goes out next on the new connection is not the one that was given up.
      expect(await exchange(read, signal)).toMatchObject({ status: 200 });
      expect(requests).toBe(2);
      await expect(exchange(create(), controller.signal)).rejects.toThrow('second signal');
    });

    it('when the certificate cannot be trusted, which no waiting will change', async (context) => {
      const folder = mkdtempSync(join(tmpdir(), 'certificate-'));
      try {
        execFileSync(
          'openssl',
          [
            'req',
            '-x509',
            '-newkey',
            'ec',
            '-pkeyopt',
            'ec_paramgen_curve:prime256v1',
            '-nodes',
            '-days',
            '2',
            '-subj',
            '/CN=localhost',
            '-keyout',
            join(folder, 'key'),
            '-out',
            join(folder, 'cert'),
          ],
          { stdio: 'ignore' },
        );
      } catch {
        context.skip('openssl is not there to make a certificate');
      }
      const server = createTlsServer(
        { key: readFileSync(join(folder, 'key')), cert: readFileSync(join(folder, 'cert')) },
        (_request, response) => response.end('{}'),
      );
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const { port } = server.address() as { port: number };
      const reply = await transportTo(`https://127.0.0.1:${port}`).exchange(create(), signal);
      expect(reply).toMatchObject({ type: 'breakdown', reason: 'hopeless' });
      server.close();
      rmSync(folder, { recursive: true });
    });
  });

  describe('the request was not fully written', () => {
    it('when the server resets the connection after half of a large body', async () => {
      await using server = await rawServer((socket) => {
        let bytes = 0;
        socket.on('data', (chunk) => {
          bytes += chunk.length;
          if (bytes > 8 * 1024 * 1024) socket.resetAndDestroy();
        });
        socket.resume();
      });
      const reply = await transportTo(server.origin).exchange(huge(), signal);
      expect(reply).toMatchObject({ type: 'breakdown', reason: 'not-written' });
      expect(server.connections).toBe(1);
    });

    it('when the server closes the connection without reading a large body', async () => {
      await using server = await rawServer((socket) =>
        // Not `once`: without this listener the socket would begin to read.
        socket.on('readable', () => afterTurns(50, () => socket.destroy())),
      );
      expect(await transportTo(server.origin).exchange(huge(), signal)).toMatchObject({
        reason: 'not-written',
      });
    });

    it('but an early refusal counts, even if the body was not read', async () => {
      await using server = await rawServer((socket) => {
        socket.once('data', () =>
          socket.write(httpAnswer(413, '{"error":"too_large"}', { connection: 'close' })),
        );
        socket.resume();
      });
      expect(await transportTo(server.origin).exchange(huge(), signal)).toMatchObject({
        type: 'answer',
        status: 413,
      });
    });
  });

  describe('the outcome is unknown', () => {
    it('when the server reads everything and resets', async () => {
      await using server = await rawServer((socket) => onRequest(socket, () => socket.resetAndDestroy()));
      expect(await transportTo(server.origin).exchange(create(), signal)).toMatchObject({
        type: 'breakdown',
        reason: 'cut',
      });
    });

    it('when the server reads everything of a large body and resets', async () => {
      let all = 0;
      await using server = await rawServer((socket) => {
        socket.on('data', (chunk) => {
          all += chunk.length;
          if (all > 16 * 1024 * 1024 + 100) socket.resetAndDestroy();
        });
        socket.resume();
      });
      expect(await transportTo(server.origin).exchange(huge(), signal)).toMatchObject({ reason: 'cut' });
    });

    it('when the server reads everything and closes without an answer', async () => {
      await using server = await rawServer((socket) => onRequest(socket, () => socket.end()));
      expect(await transportTo(server.origin).exchange(create(), signal)).toMatchObject({ reason: 'cut' });
    });

    it('when the server resets before it reads a small request: the operating system may have had it all', async () => {
      await using server = await rawServer((socket) => socket.on('readable', () => socket.resetAndDestroy()));
      expect(await transportTo(server.origin).exchange(create(), signal)).toMatchObject({ reason: 'cut' });
    });

    it('when a connection that was used before turns out to be stale, and it is not sent again by itself', async () => {
      let requests = 0;
      await using server = await rawServer((socket) =>
        onRequest(socket, () => {
          if (++requests === 1) socket.write(httpAnswer(200, '{}'));
          else socket.resetAndDestroy();
        }),
      );
      const { exchange } = transportTo(server.origin, { connections: 1 });
      await exchange(create(), signal);
      expect(await exchange(create(), signal)).toMatchObject({ type: 'breakdown', reason: 'cut' });
      // The same holds for a read: sending again is the caller's decision.
      await exchange(read, signal);
      expect([requests, server.connections]).toEqual([3, 2]);
    });

    it('when something that is not HTTP comes back', async () => {
      await using server = await rawServer((socket) =>
        onRequest(socket, () => socket.write('SSH-2.0-OpenSSH_9.6\r\n\r\n')),
      );
      const reply = await transportTo(server.origin).exchange(create(), signal);
      expect(reply).toMatchObject({ reason: 'cut', message: expect.stringContaining('not HTTP') });
    });

    it('when no answer comes in time', async () => {
      let asked = false;
      await using server = await rawServer((socket) =>
        onRequest(socket, () => {
          asked = true;
        }),
      );
      const { exchange, clock } = transportTo(server.origin);
      const pending = exchange(create(), signal);
      await until(() => asked);
      await clock.advance(29_999);
      await clock.advance(1);
      expect(await pending).toEqual({
        type: 'breakdown',
        reason: 'timeout',
        message: 'no answer within 30 s',
      });
    });

    it('when it is aborted after it went out', async () => {
      let asked = false;
      await using server = await rawServer((socket) =>
        onRequest(socket, () => {
          asked = true;
        }),
      );
      const controller = new AbortController();
      const pending = transportTo(server.origin).exchange(create(), controller.signal);
      await until(() => asked);
      controller.abort();
      expect(await pending).toMatchObject({ type: 'breakdown', reason: 'aborted' });
    });
  });

  describe('the body of the answer is not complete', () => {
    it('when it is truncated', async () => {
      await using server = await rawServer((socket) =>
        onRequest(socket, () =>
          socket.end('HTTP/1.1 201 Created\r\ncontent-length: 100\r\n\r\n{"ticket":{"id":"t'),
        ),
      );
      const reply = await transportTo(server.origin).exchange(create(), signal);
      expect(reply).toMatchObject({ type: 'answer', status: 201, cut: 'the connection broke' });
    });

    it('when it comes so slowly that the deadline passes, however steadily it drips', async () => {
      let drips = 0;
      await using server = await rawServer((socket) =>
        onRequest(socket, () => {
          socket.write('HTTP/1.1 201 Created\r\ncontent-length: 1000\r\n\r\n');
          const drip = setInterval(() => {
            drips++;
            socket.write('x');
          }, 2);
          socket.on('close', () => clearInterval(drip));
        }),
      );
      const { exchange, clock } = transportTo(server.origin);
      const pending = exchange(create(), signal);
      for (let step = 0; step < 3; step++) {
        const before = drips;
        await until(() => drips > before + 1);
        await clock.advance(10_000);
      }
      expect(await pending).toMatchObject({ status: 201, cut: 'it was not complete within 30 s' });
    });

    it('when it is larger than allowed', async () => {
      await using server = await rawServer((socket) =>
        onRequest(socket, () => socket.write(httpAnswer(200, 'x'.repeat(2_000)))),
      );
      const reply = await transportTo(server.origin, { maxAnswerBytes: 1_000 }).exchange(create(), signal);
      expect(reply).toMatchObject({ status: 200, cut: 'it is larger than 1000 bytes' });
    });
  });

  it('has one sleeper at most for a thousand requests, and none when it is closed; no listener stays on the signal', async () => {
    await using server = await rawServer((socket) =>
      onRequest(socket, () => socket.write(httpAnswer(200, '{}'))),
    );
    const { exchange, clock, close } = transportTo(server.origin, { connections: 16 });
    const controller = new AbortController();
    let most = 0;
    const worker = async () => {
      for (let n = 0; n < 63; n++) {
        await exchange(read, controller.signal);
        most = Math.max(most, clock.sleeping());
      }
    };
    await Promise.all(Array.from({ length: 16 }, worker));
    expect(most).toBeLessThanOrEqual(1);
    await close();
    await clock.advance(0);
    expect([clock.sleeping(), getEventListeners(controller.signal, 'abort').length]).toEqual([0, 0]);
  });

  it('closing ends what is under way, as unknown', async () => {
    let asked = false;
    await using server = await rawServer((socket) =>
      onRequest(socket, () => {
        asked = true;
      }),
    );
    const { exchange, close } = transportTo(server.origin);
    const pending = exchange(create(), signal);
    await until(() => asked);
    await close();
    expect(await pending).toMatchObject({ type: 'breakdown', reason: 'cut' });
    expect(await exchange(create(), signal)).toMatchObject({ type: 'breakdown', reason: 'not-connected' });
  });

  it('closing in the middle of a large request is no proof that nothing happened', async () => {
    await using server = await rawServer((socket) => socket.on('readable', () => {}));
    const { exchange, close } = transportTo(server.origin);
    const pending = exchange(huge(), signal);
    await until(() => server.connections === 1);
    await new Promise<void>((resolve) => afterTurns(20, resolve));
    await close();
    expect(await pending).toMatchObject({ type: 'breakdown', reason: 'cut' });
  });

  describe('through a proxy', () => {
    it('goes through the one that the environment names, but never for this machine', async () => {
      const seen: string[] = [];
      await using proxy = await rawServer((socket) =>
        onRequest(socket, (request) => {
          seen.push(request.split('\r\n', 1)[0] ?? '');
          socket.write(httpAnswer(200, '{"via":"proxy"}'));
        }),
      );
      await using server = await rawServer((socket) =>
        onRequest(socket, () => socket.write(httpAnswer(200, '{"via":"none"}'))),
      );
      const env = { HTTP_PROXY: proxy.origin, NO_PROXY: 'direct.invalid' };
      const far = await transportTo('http://helpdesk.invalid', { env }).exchange(read, signal);
      expect(far).toMatchObject({ type: 'answer', status: 200 });
      expect(seen).toEqual(['GET http://helpdesk.invalid/tickets?take=1 HTTP/1.1']);
      const near = await transportTo(server.origin, { env }).exchange(read, signal);
      expect(near.type === 'answer' && near.body.toString()).toBe('{"via":"none"}');
      const direct = await transportTo('http://direct.invalid', { env }).exchange(read, signal);
      expect(direct).toMatchObject({ reason: 'not-connected' });
      expect(seen).toHaveLength(1);
    });

    it('nothing happened when the proxy refuses, asks for a login, or is not there', async () => {
      const gone = createServer();
      await new Promise<void>((resolve) => gone.listen(0, '127.0.0.1', resolve));
      const { port } = gone.address() as { port: number };
      await new Promise((resolve) => gone.close(resolve));
      await using login = await rawServer((socket) =>
        onRequest(socket, () => socket.write(httpAnswer(407, ''))),
      );
      const via = (proxy: string, origin: string) =>
        transportTo(origin, { env: { HTTPS_PROXY: proxy, HTTP_PROXY: proxy } }).exchange(create(), signal);
      for (const origin of ['http://helpdesk.invalid', 'https://helpdesk.invalid']) {
        expect(await via(`http://127.0.0.1:${port}`, origin)).toMatchObject({ reason: 'not-connected' });
        expect(['not-connected', 'hopeless']).toContain(
          ((await via(login.origin, origin)) as { reason: string }).reason,
        );
      }
    });
  });
});
