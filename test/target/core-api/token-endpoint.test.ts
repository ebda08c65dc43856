import { describe, expect, it } from 'vitest';
import type { RunEvent } from '../../../src/domain/run-events.ts';
import { Secret } from '../../../src/domain/secret.ts';
import { ApiFailure } from '../../../src/domain/ticket-api.ts';
import { tokenEndpoint } from '../../../src/target/core-api/token-endpoint.ts';
import type { ApiRequest, Reply } from '../../../src/target/http/exchange.ts';
import { createFakeClock } from '../../support/fake-clock.ts';

const { signal } = new AbortController();
const refresh = { grant: 'refresh_token', refreshToken: new Secret('refresh-secret') } as const;
const client = { grant: 'client_credentials' } as const;

const answer = (status: number, body: unknown, headers = {}): Reply => ({
  type: 'answer',
  status,
  headers,
  body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
});
const good = answer(200, {
  access_token: 'acc',
  token_type: 'Bearer',
  expires_in: 3600,
  refresh_token: 'new',
});

function setUp(
  replies: Reply[],
  options: { scope?: string; clientSecret?: Secret } = { clientSecret: new Secret('client-secret') },
) {
  const clock = createFakeClock();
  const events: RunEvent[] = [];
  const sent: ApiRequest[] = [];
  const grant = tokenEndpoint({
    exchange: async (request) => {
      sent.push(request);
      return replies[Math.min(sent.length, replies.length) - 1] ?? good;
    },
    path: '/oauth/token',
    clientId: 'app one',
    clock,
    random: () => 1,
    emit: (event) => events.push(event),
    giveUpAfterMs: 60_000,
    ...options,
  });
  const forms = () => sent.map(({ body }) => Object.fromEntries(new URLSearchParams(body)));
  return {
    clock,
    events,
    sent,
    forms,
    ask: (request: Parameters<typeof grant>[0]) => clock.settle(grant(request, signal)),
  };
}

describe('the token endpoint', () => {
  it('is asked with a form, and answers with a token', async () => {
    const { ask, forms, sent } = setUp([good], {
      scope: 'write:tickets read:tickets',
      clientSecret: new Secret('client-secret'),
    });
    const token = await ask(refresh);
    expect([token.accessToken.reveal(), token.refreshToken?.reveal(), token.expiresInSeconds]).toEqual([
      'acc',
      'new',
      3600,
    ]);
    expect(forms()).toEqual([
      {
        grant_type: 'refresh_token',
        refresh_token: 'refresh-secret',
        client_id: 'app one',
        client_secret: 'client-secret',
        scope: 'write:tickets read:tickets',
      },
    ]);
    expect(sent[0]).toMatchObject({
      method: 'POST',
      path: '/oauth/token',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    await ask(client);
    expect(forms()[1]).not.toHaveProperty('refresh_token');
  });

  it('a client without a secret sends its id alone', async () => {
    const { ask, forms } = setUp([good], {});
    await ask(refresh);
    expect(forms()[0]).toEqual({
      grant_type: 'refresh_token',
      refresh_token: 'refresh-secret',
      client_id: 'app one',
    });
  });

  it('a service that takes the secret only in the header is asked that way, from then on', async () => {
    const { ask, sent, forms } = setUp([answer(401, { error: 'invalid_client' }), good]);
    await ask(client);
    await ask(client);
    const basic = `Basic ${Buffer.from('app%20one:client-secret').toString('base64')}`;
    expect(sent.map(({ headers }) => headers?.['authorization'])).toEqual([undefined, basic, basic]);
    expect(forms()[1]).toEqual({ grant_type: 'client_credentials' });
    const wrong = setUp([answer(401, { error: 'invalid_client' })]);
    await expect(wrong.ask(client)).rejects.toMatchObject({ code: 'auth' });
    expect(wrong.sent).toHaveLength(2);
  });

  it.each<[string, Reply, object]>([
    ['a number in quotes', answer(200, { access_token: 'a', expires_in: '60' }), { expiresInSeconds: 60 }],
    ['no lifetime', answer(200, { access_token: 'a' }), {}],
    ['a senseless lifetime', answer(200, { access_token: 'a', expires_in: -1 }), {}],
    ['an empty refresh token', answer(200, { access_token: 'a', refresh_token: '' }), {}],
  ])('understands %s', async (_name, reply, expected) => {
    const { accessToken, ...rest } = await setUp([reply]).ask(client);
    expect(accessToken.reveal()).toBe('a');
    expect(rest).toEqual(expected);
  });

  it.each<[string, Reply, string]>([
    [
      'invalid_grant',
      answer(400, { error: 'invalid_grant', error_description: 'refresh-secret is revoked' }),
      'The token endpoint refused the refresh token (400: invalid_grant: [secret] is revoked).',
    ],
    ['404', answer(404, '<html>'), 'The token endpoint refused the refresh token (404).'],
    ['no token', answer(200, { ok: true }), 'The token endpoint answered without an access token.'],
    ['no JSON', answer(200, '<html>'), 'The token endpoint answered without an access token.'],
    [
      'a token that fits no header',
      answer(200, { access_token: 'a\r\nb' }),
      'The token endpoint answered without an access token.',
    ],
    [
      'another kind of token',
      answer(200, { access_token: 'a', token_type: 'mac' }),
      'The token endpoint gives out mac tokens; only bearer tokens can be used.',
    ],
    [
      'a redirect',
      answer(302, ''),
      'The token endpoint redirects elsewhere (302); set HELPDESK_TOKEN_URL to its final address.',
    ],
  ])('%s is a failure of authentication, at once', async (_name, reply, message) => {
    const { ask, sent } = setUp([reply]);
    await expect(ask(refresh)).rejects.toMatchObject({
      name: 'ApiFailure',
      code: 'auth',
      effect: 'none',
      message,
    });
    expect(sent).toHaveLength(1);
  });

  it('is asked again while it is out of order, no sooner than it says', async () => {
    const { ask, clock, events } = setUp([
      answer(503, '', { 'retry-after': '20' }),
      answer(429, '', { 'retry-after': '5' }),
      { type: 'breakdown', reason: 'timeout', message: 'no answer within 30 s' },
      good,
    ]);
    await ask(refresh);
    expect(clock.monotonic()).toBe(20_000 + 5_000 + 2_000);
    expect(events.map(({ type }) => type)).toEqual([
      'retry',
      'waiting',
      'retry',
      'waiting',
      'retry',
      'waiting',
    ]);
    expect(JSON.stringify(events)).not.toContain('secret');
  });

  it('is asked again where its answer does not come whole, and is unreachable where it never does', async () => {
    const half = { ...answer(200, { access_token: 'a' }), cut: 'no end within 30 s' } as Reply;
    expect((await setUp([half, half, good]).ask(refresh)).accessToken.reveal()).toBe('acc');
    await expect(setUp([half]).ask(refresh)).rejects.toMatchObject({
      code: 'unreachable',
      message: 'The token endpoint gives no token: no end within 30 s.',
    });
  });

  it('gives up after its time as unreachable', async () => {
    const { ask, clock } = setUp([answer(500, '')]);
    await expect(ask(refresh)).rejects.toMatchObject({
      code: 'unreachable',
      effect: 'none',
      message: 'The token endpoint gives no token: status 500.',
    });
    expect(clock.monotonic()).toBeLessThanOrEqual(60_000);
    const nowhere = setUp([
      {
        type: 'breakdown',
        reason: 'not-connected',
        message: 'no such host name (ENOTFOUND)',
        code: 'ENOTFOUND',
      },
    ]);
    await expect(nowhere.ask(refresh)).rejects.toBeInstanceOf(ApiFailure);
    expect(nowhere.sent).toHaveLength(1);
  });
});
