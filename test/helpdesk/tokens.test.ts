import { writeFileSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { RunEvent } from '../../src/domain/ports.ts';
import { Secret } from '../../src/domain/secret.ts';
import { readSecretFile, writeSecretFile } from '../../src/helpdesk/secrets.ts';
import {
  type ApiCredentials,
  checkedToken,
  createTokens,
  oauthTokens,
  type TokenOptions,
} from '../../src/helpdesk/tokens.ts';
import { type CannedAnswer, canned, type Responder } from '../support/canned.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { folderOfTest } from '../support/folder-of-test.ts';
import { setUp, ticket } from './client-set-up.ts';

const { signal } = new AbortController();
const GOOD = { body: { access_token: 'access-1', token_type: 'bearer', expires_in: 3_600 } };

function options(): TokenOptions & { clock: ReturnType<typeof createFakeClock>; events: RunEvent[] } {
  const events: RunEvent[] = [];
  const emit = (event: RunEvent) => void events.push(event);
  return {
    clock: createFakeClock(),
    random: () => 1,
    emit,
    events,
    timeoutMs: 30_000,
    giveUpAfterMs: 60_000,
  };
}

/** A token endpoint that answers with these, the last one for ever. */
async function endpoint(answers: readonly (CannedAnswer | 'destroy')[], own: Partial<ApiCredentials> = {}) {
  const server = await canned((_, nth) => answers[Math.min(nth, answers.length) - 1] ?? 'destroy');
  const given = options();
  const tokens = createTokens(
    {
      kind: 'oauth',
      tokenUrl: `${server.url}/oauth/token`,
      clientId: 'app one',
      clientSecret: new Secret('client-secret'),
      ...own,
    } as ApiCredentials,
    given,
  );
  onTestFinished(async () => {
    tokens.close();
    await server[Symbol.asyncDispose]();
  });
  /** Moves the clock on only while nothing is on the wire: then the transport's deadline sleeps. */
  const token = async () => {
    const asked = Promise.resolve(tokens.current(signal)).then((secret) => secret.reveal());
    let isOver = false;
    const over = () => {
      isOver = true;
    };
    asked.then(over, over);
    for (let waited = 0; !isOver; ) {
      await new Promise((resolve) => setImmediate(resolve));
      const pauses = given.events.filter(({ type }) => type === 'retry').length;
      if (pauses === waited) continue;
      waited = pauses;
      await given.clock.advance(20_000);
    }
    return asked;
  };
  const forms = () => server.seen.map(({ body }) => Object.fromEntries(new URLSearchParams(body)));
  return { ...given, server, tokens, token, forms };
}

describe('the token endpoint', () => {
  it('is asked with client credentials and the scope, in a form', async () => {
    const { token, server, forms } = await endpoint([GOOD], { scope: 'write:tickets' } as object);
    expect([await token(), await token()]).toEqual(['access-1', 'access-1']);
    expect(forms()).toEqual([
      {
        grant_type: 'client_credentials',
        scope: 'write:tickets',
        client_id: 'app one',
        client_secret: 'client-secret',
      },
    ]);
    expect(server.seen[0]).toMatchObject({ method: 'POST', url: '/oauth/token' });
  });

  it('is asked with the refresh token if there is one; a client without a secret sends its id alone', async () => {
    const { token, forms } = await endpoint([GOOD], {
      refreshToken: new Secret('refresh-0'),
      clientSecret: undefined,
    } as object);
    await token();
    expect(forms()).toEqual([
      { grant_type: 'refresh_token', refresh_token: 'refresh-0', client_id: 'app one' },
    ]);
  });

  it('that takes the secret in the header alone is asked that way', async () => {
    const { token, server, forms } = await endpoint([
      { status: 401, body: { error: 'invalid_client' } },
      GOOD,
    ]);
    expect(await token()).toBe('access-1');
    const [scheme, pair = ''] = (server.seen[1]?.headers.authorization ?? '').split(' ');
    const decoded = Buffer.from(pair, 'base64').toString().replaceAll('+', ' ');
    expect([scheme, decodeURIComponent(decoded)]).toEqual(['Basic', 'app one:client-secret']);
    expect(forms()[1]).toEqual({ grant_type: 'client_credentials' });
  });

  it.each<[string, unknown]>([
    ['a number in quotes', { access_token: 'a', expires_in: '60' }],
    ['no lifetime and no type', { access_token: 'a' }],
    ['a senseless lifetime', { access_token: 'a', expires_in: -1 }],
    ['a lifetime that is no value', { access_token: 'a', expires_in: { valueOf: 2, toString: 1 } }],
    ['an empty refresh token', { access_token: 'a', refresh_token: '' }],
    ['the type in capitals', { access_token: 'a', token_type: 'Bearer' }],
  ])('may answer with %s', async (_, body) => {
    const { token, tokens } = await endpoint([{ headers: { 'content-type': 'text/plain' }, body }]);
    expect([await token(), tokens.unsavedRefreshToken]).toEqual(['a', false]);
  });

  const without = 'answered without an access token.';
  const revoked = { error: 'invalid_grant', error_description: 'refresh-0 is revoked' };
  const mac = { access_token: 'a', token_type: 'mac' };
  it.each<[string, CannedAnswer, string]>([
    [
      'invalid_grant',
      { status: 400, body: revoked },
      'refused the refresh token (400: invalid_grant: [secret] is revoked).',
    ],
    ['no token', { body: { ok: true } }, without],
    ['a token that fits no header', { body: { access_token: 'a\r\nb' } }, without],
    ['another kind of token', { body: mac }, 'gives out mac tokens; only bearer tokens can be used.'],
    [
      'a redirect',
      { status: 302, body: '' },
      'redirects elsewhere (302); set HELPDESK_TOKEN_URL to its final address.',
    ],
  ])('that answers with %s is a failure of authentication, at once', async (_, answer, message) => {
    const { token, server } = await endpoint([answer], { refreshToken: new Secret('refresh-0') } as object);
    await expect(token()).rejects.toMatchObject({
      ...{ code: 'auth', effect: 'none', message: `The token endpoint ${message}` },
    });
    expect(server.seen).toHaveLength(1);
  });

  it('is asked again while it is out of order, no sooner than it says, and is unreachable at last', async () => {
    const { token, events } = await endpoint([
      { status: 503, headers: { 'retry-after': '20' }, body: '' },
      { status: 429, headers: { 'retry-after': '5' }, body: '' },
      GOOD,
    ]);
    expect(await token()).toBe('access-1');
    expect(events.flatMap((each) => (each.type === 'retry' ? [each.waitMs] : []))).toEqual([20_000, 5_000]);
    expect(events[1]).toMatchObject({ type: 'waiting', outage: { address: 'the token endpoint' } });
    const never = await endpoint([{ status: 500, body: '' }]);
    await expect(never.token()).rejects.toMatchObject({
      ...{ code: 'unreachable', status: 500 },
      message: 'The token endpoint gives no token: status 500.',
    });
    expect(never.server.seen.length).toBeGreaterThan(1);
  });

  it('without a listener is wrong rather than down', async () => {
    const { server, token, events } = await endpoint([GOOD]);
    await server[Symbol.asyncDispose]();
    await expect(token()).rejects.toMatchObject({
      code: 'unreachable',
      message: expect.stringContaining('connection refused'),
    });
    expect(events).toEqual([]);
  });

  it.each(['http://tokens.example/oauth', 'ftp://x', 'https://user:pw@tokens.example/oauth'])(
    '%s is refused before anything is sent',
    (tokenUrl) => {
      expect(() => createTokens({ kind: 'oauth', tokenUrl, clientId: 'app' }, options())).toThrow(
        expect.objectContaining({ code: 'configuration', message: expect.stringContaining('token URL') }),
      );
    },
  );
});

describe('tokens', () => {
  function granting(
    lifetime?: number,
    refresh?: (nth: number) => string,
    save?: (token: Secret) => Promise<boolean>,
  ) {
    const given = options();
    let grants = 0;
    const tokens = oauthTokens(
      {
        kind: 'oauth',
        tokenUrl: 'https://tokens.example',
        clientId: 'app',
        clientSecret: new Secret('client-secret'),
        ...(refresh === undefined ? {} : { refreshToken: new Secret('refresh-0') }),
        onRefreshToken: save,
      },
      given,
      {
        grant: async () => {
          grants += 1;
          await given.clock.sleep(50);
          return {
            accessToken: new Secret(`access-${grants}`),
            refreshToken: refresh === undefined ? undefined : new Secret(refresh(grants)),
            seconds: lifetime ?? Number.POSITIVE_INFINITY,
          };
        },
        close: () => undefined,
      },
    );
    const current = () =>
      given.clock.settle(Promise.resolve(tokens.current(signal)).then((token) => token.reveal()));
    return { ...given, tokens, current, grants: () => grants };
  }

  it('are renewed a minute before they end, also after a sleep of the machine that only the wall clock saw', async () => {
    const { clock, current } = granting(3_600);
    expect(await current()).toBe('access-1');
    await clock.advance(3_539_000);
    expect(await current()).toBe('access-1');
    await clock.advance(1_000);
    expect(await current()).toBe('access-2');
    clock.jump(7_200_000);
    expect(await current()).toBe('access-3');
  });

  it('are renewed once for many that ask, or were refused, at the same time', async () => {
    const { clock, tokens, grants } = granting();
    const many = Array.from({ length: 50 }, async () => tokens.current(signal));
    const [first] = await clock.settle(Promise.all(many));
    await clock.settle(Promise.all(Array.from({ length: 50 }, () => tokens.renew(first!, signal))));
    expect((await tokens.renew(first!, signal))?.reveal()).toBe('access-2');
    expect(grants()).toBe(2);
  });

  it('a caller that gives up does not stop the renewal for the others', async () => {
    const { clock, tokens, current } = granting();
    const controller = new AbortController();
    const gone = tokens.current(controller.signal);
    const stays = current();
    controller.abort(new Error('stop'));
    await expect(gone).rejects.toThrow('stop');
    expect([await stays, clock.sleeping()]).toEqual(['access-1', 0]);
  });

  it('a refresh token that is not saved is kept in memory, and said so', async () => {
    const memory = granting(undefined, () => 'refresh-1');
    await memory.current();
    expect(memory.tokens.unsavedRefreshToken).toBe(true);
    const full = granting(
      undefined,
      () => 'refresh-1',
      () => Promise.reject(Object.assign(new Error('no space left'), { code: 'ENOSPC' })),
    );
    await full.current();
    expect(full.tokens.unsavedRefreshToken).toBe(true);
    expect(full.events).toEqual([
      { type: 'note', message: expect.stringContaining('could not be saved (ENOSPC)') },
    ]);
    expect(JSON.stringify(full.events)).not.toContain('refresh-1');
  });

  it('every secret is known, the old ones too, and not without end', async () => {
    const { clock, tokens } = granting(undefined, (nth) => `refresh-${nth}`);
    let token = await clock.settle(Promise.resolve(tokens.current(signal)));
    for (let n = 0; n < 100; n++) token = (await clock.settle(tokens.renew(token, signal))) ?? token;
    expect(tokens.secrets()).toEqual(
      expect.arrayContaining(['client-secret', 'access-101', 'refresh-101', 'access-95']),
    );
    expect(tokens.secrets().length).toBeLessThan(50);
  });

  it.each(['', 'two words', 'a\nb', 'ümlaut'])('%j is no token', (text) => {
    expect(() => checkedToken(text, 'HELPDESK_TOKEN')).toThrow(
      expect.objectContaining({ code: 'configuration' }),
    );
  });
});

describe('a request that is refused with 401', () => {
  it('goes out once more with what the token file holds now, read once for twenty refusals', async () => {
    const path = folderOfTest().join('token');
    writeFileSync(path, 'old\n');
    const { api, server } = await setUp(
      ({ headers }) =>
        headers.authorization === 'Bearer new' ? { status: 201, body: { id: '1' } } : { status: 401 },
      { credentials: { kind: 'token-file', path } },
    );
    const first = api.createTicket(ticket, signal);
    writeFileSync(path, 'Bearer new\n');
    await first;
    await Promise.all(Array.from({ length: 20 }, () => api.createTicket(ticket, signal)));
    expect(server.seen.length).toBe(21 + api.stats.retried);
  });

  it('continues with a fresh token that the service accepts a moment later, and ends the run if none is accepted', async () => {
    let grants = 0;
    const respond: Responder = () => ({ body: { access_token: `access-${++grants}`, token_type: 'bearer' } });
    const tokens = await canned(respond);
    onTestFinished(() => tokens[Symbol.asyncDispose]());
    const credentials = { kind: 'oauth', tokenUrl: tokens.url, clientId: 'app' } as const;
    const late = await setUp((_, nth) => (nth < 4 ? { status: 401 } : { status: 201, body: { id: '1' } }), {
      credentials,
    });
    await late.settle(late.api.createTicket(ticket, signal));
    expect([late.server.seen.length, grants]).toEqual([4, 4]);
    const never = await setUp(() => ({ status: 401, body: { error: 'token_expired' } }), { credentials });
    await expect(never.settle(never.api.createTicket(ticket, signal))).rejects.toMatchObject({
      code: 'auth',
      status: 401,
    });
    expect([never.server.seen.length, never.clock.monotonic()]).toEqual([6, 5_000]);
  });

  it('a refresh token that the service rotates survives in its file, and thirty expired requests renew once', async () => {
    let [valid, refresh, granted] = ['none yet', 'refresh-0', 0];
    const tokens = await canned(({ body }) => {
      if (new URLSearchParams(body).get('refresh_token') !== refresh)
        return { status: 400, body: { error: 'invalid_grant' } };
      granted += 1;
      valid = `access-token-${granted}`;
      refresh = `refresh-${granted}`;
      return { body: { access_token: valid, token_type: 'bearer', refresh_token: refresh } };
    });
    onTestFinished(() => tokens[Symbol.asyncDispose]());
    const file = folderOfTest().join('refresh-token');
    const { api } = await setUp(
      ({ headers }) =>
        headers.authorization === `Bearer ${valid}` ? { status: 201, body: { id: '1' } } : { status: 401 },
      {
        credentials: {
          kind: 'oauth',
          tokenUrl: tokens.url,
          clientId: 'app',
          refreshToken: new Secret('refresh-0'),
          onRefreshToken: (token) => writeSecretFile(file, token).then(() => true),
        },
      },
    );
    await api.createTicket(ticket, signal);
    valid = 'something else';
    await Promise.all(Array.from({ length: 30 }, () => api.createTicket(ticket, signal)));
    expect([granted, await readSecretFile(file), api.unsavedRefreshToken]).toEqual([2, 'refresh-2', false]);
    // Token requests are not requests to the Core API.
    expect(api.stats.sent).toBe(31 + api.stats.retried);
  });
});
