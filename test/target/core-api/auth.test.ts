import { describe, expect, it } from 'vitest';
import type { RunEvent } from '../../../src/domain/run-events.ts';
import { Secret } from '../../../src/domain/secret.ts';
import {
  authenticated,
  checkedToken,
  fixedToken,
  PAUSES_MS,
  type TokenSource,
  tokenFromFile,
} from '../../../src/target/core-api/tokens.ts';
import type { ApiRequest, Exchange, Reply } from '../../../src/target/http/exchange.ts';
import { createFakeClock } from '../../support/fake-clock.ts';

const request: ApiRequest = { kind: 'create', method: 'POST', path: '/tickets', body: '{}', attempt: 1 };
const { signal } = new AbortController();
/** Never made use of where there is no fresh token. */
const patience = () => ({ clock: createFakeClock(), emit: () => undefined, pausesMs: PAUSES_MS });

/** A service that takes one token, which may change. */
function service(valid: () => string): { exchange: Exchange; seen: { token: string; attempt: number }[] } {
  const seen: { token: string; attempt: number }[] = [];
  const exchange: Exchange = async ({ authorization: token = '', attempt }): Promise<Reply> => {
    seen.push({ token, attempt });
    await new Promise((resolve) => setImmediate(resolve));
    const status = token === `Bearer ${valid()}` ? 201 : 401;
    return { type: 'answer', status, headers: {}, body: Buffer.alloc(0) };
  };
  return { exchange, seen };
}

describe('authentication', () => {
  it('a token that is refused and cannot be renewed is refused for good, after one request', async () => {
    const { exchange, seen } = service(() => 'other');
    const reply = await authenticated(exchange, fixedToken(new Secret('mine')), patience())(request, signal);
    expect([reply.type === 'answer' && reply.status, seen.length]).toEqual([401, 1]);
  });

  it('a token file is read once, again when its token is refused, and once for any number of refusals', async () => {
    let content = 'old\n';
    let reads = 0;
    const { exchange, seen } = service(() => 'new');
    const tokens = tokenFromFile(async () => {
      reads++;
      return content;
    });
    const send = authenticated(exchange, tokens, patience());
    await tokens.current(signal);
    content = 'Bearer new\n';
    const replies = await Promise.all(Array.from({ length: 20 }, () => send(request, signal)));
    expect(replies.every((reply) => reply.type === 'answer' && reply.status === 201)).toBe(true);
    expect([reads, seen.length, tokens.secrets()]).toEqual([2, 40, ['old', 'new']]);
    expect(seen.filter(({ attempt }) => attempt === 2)).toHaveLength(20);
  });

  it('a token file that still holds the refused token is no way out', async () => {
    const { exchange, seen } = service(() => 'new');
    const reply = await authenticated(
      exchange,
      tokenFromFile(async () => 'old'),
      patience(),
    )(request, signal);
    expect([reply.type === 'answer' && reply.status, seen.length]).toEqual([401, 1]);
  });

  /** Tokens t0, t1, … one for each renewal, of which the service takes those that `accepts` says, at that time. */
  function renewable(accepts: (token: string, now: number) => boolean) {
    const clock = createFakeClock(0);
    let n = 0;
    const seen: string[] = [];
    const tokens: TokenSource = {
      current: async () => new Secret(`t${n}`),
      renew: async (refused) => new Secret(refused.reveal() === `t${n}` ? `t${++n}` : `t${n}`),
      secrets: () => [],
      unsavedRefreshToken: false,
      close: () => {},
    };
    const exchange: Exchange = async ({ authorization = '', attempt }) => {
      const token = authorization.replace('Bearer ', '');
      seen.push(`${token}#${attempt}`);
      const status = accepts(token, clock.now()) ? 201 : 401;
      return { type: 'answer', status, headers: {}, body: Buffer.alloc(0) };
    };
    const reported: RunEvent[] = [];
    const send = (pausesMs = PAUSES_MS, stop = signal) =>
      authenticated(exchange, tokens, { clock, emit: (event) => reported.push(event), pausesMs })(
        request,
        stop,
      );
    return { clock, seen, send, reported };
  }
  const statusOf = (reply: Reply) => reply.type === 'answer' && reply.status;

  it('a fresh token that the service learns of a moment later is sent again, not given up', async () => {
    const { clock, seen, send, reported } = renewable((token, now) => token === 't1' && now >= 900);
    expect(statusOf(await clock.settle(send()))).toBe(201);
    expect(seen).toEqual(['t0#1', 't1#2', 't1#3']);
    expect(reported).toEqual([
      { type: 'retry', reason: 'status 401 for a new token', waitMs: 1_000, attempt: 2 },
    ]);
  });

  it('a fresh token that was revoked at once is renewed again', async () => {
    const { clock, seen, send } = renewable((token) => token === 't2');
    expect(statusOf(await clock.settle(send()))).toBe(201);
    expect(seen).toEqual(['t0#1', 't1#2', 't1#3', 't2#4']);
  });

  it('where no token is ever taken it ends after six requests and four seconds', async () => {
    const { clock, seen, send } = renewable(() => false);
    expect(statusOf(await clock.settle(send()))).toBe(401);
    expect(seen).toEqual(['t0#1', 't1#2', 't1#3', 't2#4', 't2#5', 't3#6']);
    expect(clock.now()).toBe(4_000);
  });

  it('without patience a fresh token that is refused is final: no third request', async () => {
    const { clock, seen, send } = renewable(() => false);
    expect(statusOf(await send([]))).toBe(401);
    expect([seen.length, clock.slept]).toEqual([2, []]);
  });

  it('a stop ends the pause, with its reason, and leaves no timer', async () => {
    const { clock, send } = renewable(() => false);
    const stop = new AbortController();
    const reply = send(PAUSES_MS, stop.signal);
    await clock.advance(500);
    stop.abort(new Error('enough'));
    await expect(reply).rejects.toThrow('enough');
    expect(clock.sleeping()).toBe(0);
  });

  it('keeps the other headers of a request', async () => {
    let out: unknown;
    const send = authenticated(
      async ({ headers, authorization }) => {
        out = { headers, authorization };
        return { type: 'breakdown', reason: 'cut', message: 'x' };
      },
      fixedToken(new Secret('mine')),
      patience(),
    );
    await send({ ...request, headers: { 'x-a': '1' } }, signal);
    expect(out).toEqual({ headers: { 'x-a': '1' }, authorization: 'Bearer mine' });
  });

  it.each([
    ['abc', 'abc'],
    ['  abc\n', 'abc'],
    ['Bearer abc', 'abc'],
    ['bearer   abc', 'abc'],
  ])('%j is the token %s', (text, token) => {
    expect(checkedToken(text, 'HELPDESK_TOKEN').reveal()).toBe(token);
  });

  it.each(['', '  ', 'a b', 'a\nb', 'tökén', '\u0000'])(
    '%j is no token, and the error does not show it',
    (text) => {
      expect(() => checkedToken(text, 'HELPDESK_TOKEN')).toThrow(
        expect.objectContaining({ code: 'configuration' }),
      );
      if (text.trim() !== '') expect(() => checkedToken(text, 'HELPDESK_TOKEN')).not.toThrow(text.trim());
    },
  );
});
