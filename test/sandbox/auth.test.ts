import { describe, expect, it } from 'vitest';
import type { AuthOptions } from '../support/double/oauth.ts';
import { type RunningSandbox, running } from './running-sandbox.ts';

const CLIENT = { id: 'importer', secret: 'p:ss wörd' };

const withClient = (auth: AuthOptions = {}) =>
  running({ auth: { clients: [CLIENT], refreshToken: 'first-refresh', ...auth } });

async function token(
  sandbox: RunningSandbox,
  form: Record<string, string> | string,
  headers: Record<string, string> = {},
): Promise<{ status: number; headers: Headers; body: Record<string, unknown> }> {
  const response = await fetch(sandbox.oauth.tokenUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body: typeof form === 'string' ? form : new URLSearchParams(form).toString(),
  });
  return {
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as Record<string, unknown>,
  };
}

const inBody = { client_id: CLIENT.id, client_secret: CLIENT.secret };
const bearer = (value: unknown) => ({ authorization: `Bearer ${String(value)}` });

describe('bearer tokens', () => {
  it.each([
    [['read:tickets'], 'POST', '/tickets', 403, 'write:tickets'],
    [['read:tickets'], 'GET', '/tickets', 200, ''],
    [['write:tickets'], 'GET', '/tickets', 403, 'read:tickets'],
    [['write:tickets'], 'POST', '/tickets', 201, ''],
  ] as const)('with the scopes %j, %s %s is %i', async (scopes, method, path, status, missing) => {
    const sandbox = await running({ auth: { scopes }, strict: false });
    const answer = await sandbox.call(method, path, method === 'GET' ? undefined : { subject: 'a' });
    expect(answer.status).toBe(status);
    if (missing !== '') {
      expect(answer.body.code).toBe('insufficient_scope');
      expect(answer.body.error).toContain(missing);
    }
  });

  it('a refresh token is no access token', async () => {
    const sandbox = await withClient();
    expect((await sandbox.call('GET', '/tickets', undefined, bearer('first-refresh'))).status).toBe(401);
  });
});

describe('the token endpoint', () => {
  it('gives client credentials a token that works until it expires', async () => {
    const sandbox = await withClient({ accessTokenSeconds: 60 });
    const answer = await token(sandbox, { grant_type: 'client_credentials', ...inBody });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.body).toMatchObject({
      token_type: 'Bearer',
      expires_in: 60,
      scope: 'read:tickets write:tickets',
    });
    expect(answer.body['refresh_token']).toBeUndefined();
    const auth = bearer(answer.body['access_token']);
    expect((await sandbox.call('GET', '/tickets', undefined, auth)).status).toBe(200);
    sandbox.clock.advance(59_999);
    expect((await sandbox.call('GET', '/tickets', undefined, auth)).status).toBe(200);
    sandbox.clock.advance(1);
    const expired = await sandbox.call('GET', '/tickets', undefined, auth);
    expect(expired.status).toBe(401);
    expect(expired.body.error).toMatch(/^token_expired/);
  });

  it('gives the scopes that are asked for, and no more', async () => {
    const sandbox = await withClient();
    const form = { grant_type: 'client_credentials', ...inBody };
    const narrow = await token(sandbox, { ...form, scope: 'read:tickets' });
    expect(narrow.body['scope']).toBe('read:tickets');
    const auth = bearer(narrow.body['access_token']);
    expect((await sandbox.call('POST', '/tickets', { subject: 'a' }, auth)).status).toBe(403);
    expect(await token(sandbox, { ...form, scope: 'admin' })).toMatchObject({
      status: 400,
      body: { error: 'invalid_scope' },
    });
  });

  it.each([
    ['another grant', { ...inBody, grant_type: 'password' }, 400, 'unsupported_grant_type'],
    [
      'a wrong secret',
      { ...inBody, client_secret: 'no', grant_type: 'client_credentials' },
      401,
      'invalid_client',
    ],
    [
      'a wrong refresh token',
      { ...inBody, grant_type: 'refresh_token', refresh_token: 'x' },
      400,
      'invalid_grant',
    ],
  ])('refuses %s as RFC 6749 says', async (_, form, status, error) => {
    const answer = await token(await withClient(), form as Record<string, string> | string);
    expect(answer).toMatchObject({ status, body: { error, error_description: expect.any(String) } });
  });

  it('takes forms only, by POST only', async () => {
    const sandbox = await withClient();
    const json = await token(sandbox, '{}', { 'content-type': 'application/json' });
    expect(json).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
    expect((await fetch(sandbox.oauth.tokenUrl)).status).toBe(405);
  });
});

describe('made-up credentials', () => {
  it('are random, and differ from sandbox to sandbox', async () => {
    const [one, other] = [await running({ auth: {} }), await running({ auth: {} })];
    expect(one.token).not.toBe(other.token);
    expect(one.token.length).toBeGreaterThan(40);
    expect((await one.call('GET', '/tickets', undefined, bearer(other.token))).status).toBe(401);
  });
});
