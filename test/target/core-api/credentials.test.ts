import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { Secret } from '../../../src/domain/secret.ts';
import { type CoreApi, createCoreApi } from '../../../src/target/core-api/client.ts';
import type { ApiCredentials as Credentials } from '../../../src/target/core-api/credentials.ts';
import { readSecretFile, writeSecretFile } from '../../../src/target/http/secrets.ts';
import { createAdmission } from '../../../src/target/pace/admission.ts';
import { createFakeClock } from '../../support/fake-clock.ts';
import { type ApiServer, apiServer, type Responder } from './api-server.ts';

const { signal } = new AbortController();
const ticket = { subject: 'Hi', createdAt: '2024-01-01T00:00:00.000Z' };
const clean: (() => unknown)[] = [];
afterEach(async () => {
  for (const each of clean.splice(0).reverse()) await each();
});

function connect(server: ApiServer, credentials: Credentials): CoreApi {
  const clock = createFakeClock();
  const admission = createAdmission({ budgets: [], clock });
  const api = createCoreApi({
    baseUrl: server.url,
    credentials,
    timeoutMs: 30_000,
    connections: 8,
    admission,
    clock,
    random: () => 1,
  });
  clean.push(() => api.close());
  return api;
}

/** A service with a token endpoint that rotates refresh tokens, and an API that takes the newest access token alone. */
async function oauthService(): Promise<{ server: ApiServer; expire: () => void; grants: () => number }> {
  let valid = 'none yet';
  let refresh = 'refresh-0';
  let granted = 0;
  const respond: Responder = ({ url, headers, body }) => {
    if (url !== '/oauth/token')
      return headers.authorization === `Bearer ${valid}`
        ? { status: 201, body: { id: '1' } }
        : { status: 401, body: { error: 'token_expired' } };
    const form = new URLSearchParams(body);
    if (form.get('refresh_token') !== refresh) return { status: 400, body: { error: 'invalid_grant' } };
    granted++;
    valid = `access-token-${granted}`;
    refresh = `refresh-${granted}`;
    return { body: { access_token: valid, token_type: 'bearer', refresh_token: refresh } };
  };
  const server = await apiServer(respond);
  clean.push(() => server[Symbol.asyncDispose]());
  return {
    server,
    expire: () => {
      valid = 'something else';
    },
    grants: () => granted,
  };
}

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'credentials-'));
  clean.push(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

describe('credentials', () => {
  it('a refresh token that the service rotates survives in its file, and thirty expired requests renew once', async () => {
    const { server, expire, grants } = await oauthService();
    const file = join(folder(), 'refresh-token');
    writeFileSync(file, 'refresh-0\n');
    const open = async () =>
      connect(server, {
        kind: 'oauth',
        tokenUrl: `${server.url}/oauth/token`,
        clientId: 'app',
        clientSecret: new Secret('client-secret'),
        refreshToken: new Secret(await readSecretFile(file)),
        onRefreshToken: (token) => writeSecretFile(file, token).then(() => true),
      });
    const first = await open();
    await first.createTicket(ticket, signal);
    expire();
    await Promise.all(Array.from({ length: 30 }, () => first.createTicket(ticket, signal)));
    expect([grants(), await readSecretFile(file), first.unsavedRefreshToken]).toEqual([
      2,
      'refresh-2',
      false,
    ]);
    // Token requests are not requests to the Core API.
    expect(first.stats.sent).toBe(31 + first.stats.retried);
    const next = await open();
    await next.createTicket(ticket, signal);
    expect([grants(), await readSecretFile(file)]).toEqual([3, 'refresh-3']);
  });

  it('a refresh token that is no longer valid ends the run as an authentication failure, without its value', async () => {
    const { server } = await oauthService();
    const api = connect(server, {
      kind: 'oauth',
      tokenUrl: `${server.url}/oauth/token`,
      clientId: 'app',
      refreshToken: new Secret('stale-refresh-token'),
    });
    const error = await api.createTicket(ticket, signal).catch((e: unknown) => e);
    expect(error).toMatchObject({ name: 'ApiFailure', code: 'auth', effect: 'none' });
    expect(String(error)).not.toContain('stale-refresh-token');
  });

  it('a token file is read when the first request needs it', async () => {
    const server = await apiServer(({ headers }) => ({
      status: headers.authorization === 'Bearer from-file' ? 201 : 401,
      body: { id: '1' },
    }));
    clean.push(() => server[Symbol.asyncDispose]());
    const path = join(folder(), 'token');
    const api = connect(server, { kind: 'token-file', path });
    await expect(api.createTicket(ticket, signal)).rejects.toMatchObject({ code: 'configuration' });
    writeFileSync(path, 'from-file\n');
    chmodSync(path, 0o600);
    await api.createTicket(ticket, signal);
    expect(server.seen).toHaveLength(1);
  });

  it.each(['http://tokens.example/oauth', 'ftp://x', 'https://user:pw@tokens.example/oauth'])(
    'the token URL %s is refused before anything is sent',
    async (tokenUrl) => {
      const server = await apiServer(() => ({}));
      clean.push(() => server[Symbol.asyncDispose]());
      expect(() => connect(server, { kind: 'oauth', tokenUrl, clientId: 'app' })).toThrow(
        expect.objectContaining({ code: 'configuration', message: expect.stringContaining('token URL') }),
      );
    },
  );
});
