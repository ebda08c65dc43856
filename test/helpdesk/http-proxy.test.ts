import { createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { httpAnswer, onRequest, rawServer } from './raw-server.ts';
import { create, read, signal, transportTo } from './transport-to.ts';

describe('the transport', () => {
  describe('through a proxy', () => {
    it('goes through the proxy of the environment, but never for this machine', async () => {
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
