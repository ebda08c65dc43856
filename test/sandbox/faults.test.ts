import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { FaultPicker, parseFaults } from '../support/double/faults.ts';
import { look, type RunningSandbox, running } from './running-sandbox.ts';

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

  it('slow answers late, after the effect', async () => {
    const sandbox = await faulty('slow=2500#1');
    let answered = false;
    const answer = sandbox.call('POST', '/tickets', { subject: 'One' }).finally(() => {
      answered = true;
    });
    await sandbox.clock.sleepers(1);
    expect([tickets(sandbox), answered]).toEqual([1, false]);
    sandbox.clock.advance(2499);
    expect(sandbox.clock.sleeping).toBe(1);
    sandbox.clock.advance(1);
    expect((await answer).status).toBe(201);
  });

  it('garbage is a whole answer that is not JSON', async () => {
    const sandbox = await faulty('garbage#1');
    const { text } = await rawCreate(sandbox, 'One');
    expect(text).toMatch(/^HTTP\/1\.1 201/);
    expect(() => JSON.parse(text.split('\r\n\r\n')[1] ?? '')).toThrow();
    expect(tickets(sandbox)).toBe(1);
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

  it('late-504 answers at once, and the ticket appears later', async () => {
    const sandbox = await faulty('late-504=12#1');
    expect((await sandbox.call('POST', '/tickets', { subject: 'One' })).status).toBe(504);
    await sandbox.clock.sleepers(1);
    expect(tickets(sandbox)).toBe(0);
    sandbox.clock.advance(12_000);
    await expect.poll(() => tickets(sandbox)).toBe(1);
    await expect.poll(() => lastLogged(sandbox)).toMatchObject({ effect: 'created', fault: 'late-504=12#1' });
  });

  it('list-lags and list-hides leave tickets out of lists, not out of the service', async () => {
    const sandbox = await faulty('list-lags=5', 'list-hides=2');
    for (const subject of ['One', 'Two', 'Three']) await sandbox.create({ subject });
    const listed = async () => {
      const { tickets: found, total } = (await sandbox.call('GET', '/tickets')).body;
      return [total, ...found.map((ticket: { subject: string }) => ticket.subject)];
    };
    expect(await listed()).toEqual([0]);
    sandbox.clock.advance(5_000);
    expect(await listed()).toEqual([2, 'Three', 'One']);
    expect((await sandbox.call('GET', '/tickets/tkt_000000000002')).status).toBe(200);
  });

  it('tags-dropped stores no tags, events-append adds, unreadable refuses reads alone', async () => {
    const sandbox = await faulty('tags-dropped', 'events-append');
    const id = await sandbox.create({ subject: 'One', tags: ['a'] });
    const event = {
      type: 'status_change',
      actorType: 'system',
      oldValue: { status: 'pending' },
      newValue: { status: 'open' },
    };
    await sandbox.call('PUT', `/tickets/${id}/events`, [event]);
    const twice = await sandbox.call('PUT', `/tickets/${id}/events`, [event]);
    expect(twice.body.events).toHaveLength(2);
    expect((await sandbox.call('GET', `/tickets/${id}`)).body.ticket.tags).toEqual([]);
    sandbox.setFaults(parseFaults(['unreadable=403']));
    expect((await sandbox.call('GET', `/tickets/${id}`)).status).toBe(403);
    expect((await sandbox.call('PUT', `/tickets/${id}/events`, [])).status).toBe(200);
  });

  it('fall on what they are aimed at, and not on pages', async () => {
    const sandbox = await faulty('503:100@messages', '500:100@token');
    const id = await sandbox.create({ subject: 'One' });
    expect((await sandbox.call('PUT', `/tickets/${id}/messages`, [])).status).toBe(503);
    expect((await sandbox.call('PUT', `/tickets/${id}/events`, [])).status).toBe(200);
    expect((await sandbox.call('GET', `/tickets/${id}`)).status).toBe(200);
    expect((await fetch(sandbox.oauth.tokenUrl, { method: 'POST' })).status).toBe(500);
    expect((await look(sandbox.url)).status).toBe(200);
  });

  it('leave no request hanging when the sandbox closes', async () => {
    const sandbox = await faulty('slow=3600000#1', 'no-answer-after#2');
    const cut = [1, 2].map((n) =>
      sandbox.create({ subject: `T${n}` }).then(
        () => 'answered',
        () => 'cut off',
      ),
    );
    while (tickets(sandbox) < 2) await new Promise((resolve) => setImmediate(resolve));
    await sandbox.close();
    expect(await Promise.all(cut)).toEqual(['cut off', 'cut off']);
    expect(sandbox.clock.sleeping).toBe(0);
  });
});

describe('the grammar of faults', () => {
  it.each([
    ['503', { percent: 10 }],
    ['429=30:2.5', { percent: 2.5, value: 30 }],
    ['reset-after:5@create', { percent: 5, kinds: ['create'] }],
    ['Slow=250:100%@Reads', { value: 250, kinds: ['list', 'read', 'agents', 'contacts', 'workspace'] }],
    ['garbage@create#3', { percent: 100, nth: { first: 3, last: 3 } }],
    ['list-lags', { percent: 100, value: 5, kinds: ['list'] }],
  ])('reads %s', (text, expected) => {
    expect(parseFaults([text], 1).rules[0]).toMatchObject(expected);
  });
});

describe('the choice of faults', () => {
  const times = (number: number, kind: string) => Array.from({ length: number }, () => kind);
  const played = (texts: string[], kinds: string[], seed = 1) => {
    const picker = new FaultPicker(parseFaults(texts, seed));
    return kinds.map((kind) => picker.next(kind).map(({ text }) => text));
  };

  it('is the same for the same seed and the same order of requests', () => {
    const texts = ['garbage:20', '503:20', 'slow:20'];
    const kinds = times(200, 'create');
    expect(played(texts, kinds, 5)).toEqual(played(texts, kinds, 5));
    expect(played(texts, kinds, 5)).not.toEqual(played(texts, kinds, 6));
  });

  it('counts only the requests it is meant for', () => {
    const kinds: string[] = ['create', 'messages', 'create', 'list', 'create', 'create'];
    const fell = played(['504-after@create#2-3'], kinds).map((faults) => faults.length);
    expect(fell).toEqual([0, 0, 1, 0, 1, 0]);
  });

  it('the first fault that falls counts, and traits hold with it', () => {
    const [faults] = played(['slow:0', 'garbage:100', '503:100', 'list-lags'], ['list']);
    expect(faults).toEqual(['list-lags', 'garbage:100']);
  });
});
