import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { httpAnswer, onRequest, rawServer } from './raw-server.ts';
import { create, read, signal, transportTo, until } from './transport-to.ts';

describe('the transport', () => {
  describe('the outcome is unknown', () => {
    it.each<[string, (socket: Socket) => void, string]>([
      ['the server reads everything and resets', (socket) => socket.resetAndDestroy(), 'broke'],
      ['something else comes back', (socket) => void socket.write('SSH-2.0-OpenSSH_9.6\r\n\r\n'), 'not HTTP'],
    ])('when %s', async (_, answer, message) => {
      await using server = await rawServer((socket) => onRequest(socket, () => answer(socket)));
      const reply = await transportTo(server.origin).exchange(create(), signal);
      const said = expect.stringContaining(message);
      expect(reply).toMatchObject({ type: 'breakdown', reason: 'cut', message: said });
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
});
