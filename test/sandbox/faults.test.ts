import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { FaultPicker, parseFaults } from '../support/double/faults.ts';
import { type RunningSandbox, running } from './running-sandbox.ts';

interface Seen {
  text: string;
  /** How the connection ended; `open` when nothing came within the time that an answer takes. */
  end: 'closed' | 'reset' | 'open';
}

/** One create over a connection of its own, and everything that a client can see of it. */
function rawCreate(sandbox: RunningSandbox, subject: string, whenOpen?: () => boolean): Promise<Seen> {
  return new Promise((resolve) => {
    const body = JSON.stringify({ subject, contact: { email: 'ann@example.com' } });
    let text = '';
    let end: Seen['end'] = 'closed';
    const socket = connect(sandbox.port, '127.0.0.1', () => {
      socket.write(
        `POST /v1/tickets HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${sandbox.token}\r\n` +
          `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
      );
    });
    socket.setEncoding('latin1').on('data', (data) => {
      text += data;
    });
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNRESET') end = 'reset';
    });
    socket.on('close', () => {
      clearInterval(poll);
      resolve({ text, end });
    });
    const poll = setInterval(() => {
      if (whenOpen?.() !== true) return;
      end = 'open';
      socket.destroy();
    }, 5);
  });
}

const faulty = (...texts: string[]) => running({ faults: parseFaults(texts, 7) });
const tickets = (sandbox: RunningSandbox) => sandbox.store.tickets.count({});
const lastLogged = (sandbox: RunningSandbox) => sandbox.log.requests().at(-1);

describe('faults as a client sees them', () => {
  it.each([
    ['503', 503, null, undefined],
    ['504-after', 504, null, 201],
    ['422', 422, null, undefined],
    ['429', 429, '1', undefined],
    ['429=30', 429, '30', undefined],
    ['429-date=5', 429, 'Sun, 01 Mar 2026 12:00:05 GMT', undefined],
  ])(
    '%s answers %i with Retry-After: %s, and the service decided %s',
    async (fault, status, wait, handled) => {
      const sandbox = await faulty(`${fault}#1`);
      const answer = await sandbox.call('POST', '/tickets', { subject: 'One' });
      expect([answer.status, answer.headers.get('retry-after')]).toEqual([status, wait]);
      expect(tickets(sandbox)).toBe(handled === 201 ? 1 : 0);
      const effect = handled === 201 ? 'created' : 'none';
      expect(lastLogged(sandbox)).toMatchObject({ kind: 'create', status, fault: `${fault}#1`, effect });
      expect((await sandbox.call('POST', '/tickets', { subject: 'Two' })).status).toBe(201);
    },
  );

  it.each([
    ['reset-before', 'reset', 0],
    ['reset-after', 'reset', 1],
    ['close-after', 'closed', 1],
  ] as const)(
    '%s ends the connection (%s) without a byte and leaves %i tickets',
    async (fault, end, created) => {
      const sandbox = await faulty(`${fault}#1`);
      const seen = await rawCreate(sandbox, 'One');
      expect(seen).toEqual({ text: '', end });
      expect(tickets(sandbox)).toBe(created);
      expect(lastLogged(sandbox)?.status).toBeUndefined();
    },
  );

  it.each([
    ['no-answer-before', 0],
    ['no-answer-after', 1],
  ])('%s never answers and leaves %i tickets', async (fault, created) => {
    const sandbox = await faulty(`${fault}#1`);
    const seen = await rawCreate(sandbox, 'One', () => sandbox.log.requests().length === 1);
    expect(seen).toEqual({ text: '', end: 'open' });
    expect(tickets(sandbox)).toBe(created);
  });

  it('token-expired ends an OAuth token for good, and only answers 401 to the sandbox’s own', async () => {
    const sandbox = await running({ auth: { clients: [{ id: 'c', secret: 's' }] } });
    const form = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: 'c',
      client_secret: 's',
    });
    const granted = (await (await fetch(sandbox.oauth.tokenUrl, { method: 'POST', body: form })).json()) as {
      access_token: string;
    };
    const auth = { authorization: `Bearer ${granted.access_token}` };
    expect((await sandbox.call('POST', '/tickets', { subject: 'a' }, auth)).status).toBe(201);
    sandbox.setFaults(parseFaults(['token-expired#1'], 1));
    const expired = await sandbox.call('POST', '/tickets', { subject: 'b' }, auth);
    expect([expired.status, expired.body.code]).toEqual([401, 'token_expired']);
    expect((await sandbox.call('POST', '/tickets', { subject: 'b' }, auth)).status).toBe(401);
    sandbox.setFaults(parseFaults(['token-expired#1'], 1));
    expect((await sandbox.call('POST', '/tickets', { subject: 'b' })).status).toBe(401);
    expect((await sandbox.call('POST', '/tickets', { subject: 'b' })).status).toBe(201);
    expect(tickets(sandbox)).toBe(2);
  });
});

it('a fault falls on the requests that it is aimed at, and the same ones for the same seed', () => {
  const played = (text: string, kinds: string[], seed = 1) => {
    const picker = new FaultPicker(parseFaults([text], seed));
    return kinds.map((kind) => picker.next(kind).length);
  };
  const kinds = ['create', 'messages', 'create', 'list', 'create', 'create'];
  expect(played('504-after@create#2-3', kinds)).toEqual([0, 0, 1, 0, 1, 0]);
  const many = Array.from({ length: 200 }, () => 'create');
  expect(played('503:20', many, 5)).toEqual(played('503:20', many, 5));
  expect(played('503:20', many, 5)).not.toEqual(played('503:20', many, 6));
});
