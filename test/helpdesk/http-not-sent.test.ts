import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer as createTlsServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { httpAnswer, onRequest, rawServer } from './raw-server.ts';
import { create, huge, read, signal, transportTo, until } from './transport-to.ts';

describe('the transport', () => {
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
        const options =
          'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost';
        const files = ['-keyout', join(folder, 'key'), '-out', join(folder, 'cert')];
        execFileSync('openssl', [...options.split(' '), ...files], { stdio: 'ignore' });
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

  it('an early refusal counts, even if the body was not read', async () => {
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
