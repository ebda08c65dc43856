import { describe, expect, it } from 'vitest';
import { authenticated } from '../../src/core-api/auth.ts';
import type { ApiRequest, Exchange, Reply } from '../../src/core-api/exchange.ts';
import { checkedToken, fixedToken, type TokenSource, tokenFromFile } from '../../src/core-api/tokens.ts';
import { Secret } from '../../src/domain/secret.ts';

const request: ApiRequest = { kind: 'create', method: 'POST', path: '/tickets', body: '{}', attempt: 1 };
const { signal } = new AbortController();

/** A service that takes one token, which may change. */
function service(valid: () => string): { exchange: Exchange; seen: { token: string; attempt: number }[] } {
  const seen: { token: string; attempt: number }[] = [];
  const exchange: Exchange = async ({ headers, attempt }): Promise<Reply> => {
    const token = headers?.['authorization'] ?? '';
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
    const reply = await authenticated(exchange, fixedToken(new Secret('mine')))(request, signal);
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
    const send = authenticated(exchange, tokens);
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
    )(request, signal);
    expect([reply.type === 'answer' && reply.status, seen.length]).toEqual([401, 1]);
  });

  it('a fresh token that is refused too is final: no third attempt', async () => {
    const { exchange, seen } = service(() => 'none of them');
    let n = 0;
    const endless: TokenSource = {
      current: async () => new Secret(`t${n}`),
      renew: async () => new Secret(`t${++n}`),
      secrets: () => [],
      unsavedRefreshToken: false,
      close: () => {},
    };
    await authenticated(exchange, endless)(request, signal);
    expect(seen).toHaveLength(2);
  });

  it('keeps the other headers of a request', async () => {
    let headers: unknown;
    const send = authenticated(
      async (sent) => {
        headers = sent.headers;
        return { type: 'breakdown', reason: 'cut', message: 'x' };
      },
      fixedToken(new Secret('mine')),
    );
    await send({ ...request, headers: { 'x-a': '1' } }, signal);
    expect(headers).toEqual({ 'x-a': '1', authorization: 'Bearer mine' });
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
