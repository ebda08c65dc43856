import { describe, expect, it } from 'vitest';
import { httpAnswer, onRequest, rawServer } from './raw-server.ts';
import { afterTurns, create, huge, signal, transportTo, until } from './transport-to.ts';

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
    expect(reply.type === 'answer' && reply.cut).toBeUndefined();
    expect(seen).toContain('POST /tickets HTTP/1.1\r\n');
    expect(seen.toLowerCase()).toContain('authorization: bearer abc\r\n');
    expect(seen).toContain('content-type: application/json\r\n');
    expect(seen).toContain('user-agent: helpdesk-import/1.2.3\r\n');
    expect(seen).toContain('content-length: 21\r\n');
  });

  it('closing ends requests under way, as unknown', async () => {
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
});
