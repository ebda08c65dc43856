import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import type { RunEvent } from '../../../src/domain/run-events.ts';
import { Secret } from '../../../src/domain/secret.ts';
import { ApiFailure } from '../../../src/domain/ticket-api.ts';
import { type OAuthOptions, oauthTokens } from '../../../src/target/core-api/oauth.ts';
import type { GrantedToken, GrantRequest } from '../../../src/target/core-api/token-endpoint.ts';
import type { TokenSource } from '../../../src/target/core-api/tokens.ts';
import { createFakeClock } from '../../support/fake-clock.ts';

const { signal } = new AbortController();

interface Grant {
  readonly at: number;
  readonly grant: string;
  readonly refreshToken: string | undefined;
}

function setUp(
  options: Partial<OAuthOptions> = {},
  answer: (
    nth: number,
  ) => Partial<{ expires: number; refresh: string; error: Error; takes: number }> = () => ({}),
) {
  const clock = createFakeClock();
  const grants: Grant[] = [];
  const events: RunEvent[] = [];
  const tokens = oauthTokens({
    grant: async (request: GrantRequest, own): Promise<GrantedToken> => {
      const nth = grants.push({
        at: clock.monotonic(),
        grant: request.grant,
        refreshToken: request.grant === 'refresh_token' ? request.refreshToken.reveal() : undefined,
      });
      const { expires, refresh, error, takes } = answer(nth);
      await clock.sleep(takes ?? 0, own);
      if (error !== undefined) throw error;
      return {
        accessToken: new Secret(`access-${nth}`),
        ...(refresh === undefined ? {} : { refreshToken: new Secret(refresh) }),
        ...(expires === undefined ? {} : { expiresInSeconds: expires }),
      };
    },
    clock,
    emit: (event) => events.push(event),
    ...options,
  });
  const current = async () => (await clock.settle(currentOf(tokens))).reveal();
  return { clock, grants, events, tokens, current };
}

/** A token that is at hand comes without a promise. */
const currentOf = async (tokens: TokenSource) => tokens.current(signal);

describe('OAuth tokens', () => {
  it('asks with client credentials where there is no refresh token, and with it where there is one', async () => {
    const client = setUp();
    expect([await client.current(), await client.current()]).toEqual(['access-1', 'access-1']);
    expect(client.grants).toEqual([{ at: 0, grant: 'client_credentials', refreshToken: undefined }]);
    const refresh = setUp({ refreshToken: new Secret('refresh-0') });
    await refresh.current();
    expect(refresh.grants).toEqual([{ at: 0, grant: 'refresh_token', refreshToken: 'refresh-0' }]);
  });

  it('renews once for many that ask at the same time, and once for many whose token was refused', async () => {
    const { tokens, clock, grants } = setUp({}, () => ({ takes: 50 }));
    const first = await clock.settle(Promise.all(Array.from({ length: 50 }, () => currentOf(tokens))));
    expect(new Set(first.map((token) => token.reveal()))).toEqual(new Set(['access-1']));
    const refused = first[0]!;
    const renewed = await clock.settle(
      Promise.all(Array.from({ length: 50 }, () => tokens.renew(refused, signal))),
    );
    expect(new Set(renewed.map((token) => token?.reveal()))).toEqual(new Set(['access-2']));
    // Whoever comes late with the old token gets the new one.
    expect((await tokens.renew(refused, signal))?.reveal()).toBe('access-2');
    expect(grants).toHaveLength(2);
  });

  it('renews before expiry in the background, while requests go on with the old token', async () => {
    const { tokens, clock, current, grants } = setUp({}, () => ({ expires: 3_600, takes: 500 }));
    await current();
    await clock.advance(3_539_000);
    expect(await current()).toBe('access-1');
    expect(grants).toHaveLength(1);
    await clock.advance(1_500);
    const during = await currentOf(tokens);
    expect([during.reveal(), grants.length]).toEqual(['access-1', 2]);
    await clock.advance(500);
    expect(await current()).toBe('access-2');
    expect(grants).toHaveLength(2);
  });

  it('waits for a new one when the old one has expired, also after a sleep of the machine that only the wall clock saw', async () => {
    const { clock, current, grants } = setUp({}, () => ({ expires: 600 }));
    await current();
    await clock.advance(600_000);
    expect(await current()).toBe('access-2');
    clock.jump(7_200_000);
    expect(await current()).toBe('access-3');
    expect(grants).toHaveLength(3);
  });

  it('a renewal in the background that fails leaves the old token in use, is not repeated at once, and is met at expiry', async () => {
    const failed = new ApiFailure('unreachable', 'none', 'The token endpoint gives no token: status 503.');
    const { tokens, clock, current, grants } = setUp({}, (nth) =>
      nth === 1 ? { expires: 1_000 } : { error: failed },
    );
    await current();
    await clock.advance(950_000);
    for (let n = 0; n < 10; n++) expect((await currentOf(tokens)).reveal()).toBe('access-1');
    await clock.advance(1);
    expect(grants).toHaveLength(2);
    await clock.advance(60_000);
    await expect(clock.settle(currentOf(tokens))).rejects.toBe(failed);
  });

  it('a token of unknown lifetime is used until it is refused', async () => {
    const { tokens, clock, current, grants } = setUp();
    expect(await current()).toBe('access-1');
    await clock.advance(100 * 86_400_000);
    expect(await current()).toBe('access-1');
    expect((await clock.settle(tokens.renew(new Secret('access-1'), signal)))?.reveal()).toBe('access-2');
    expect(grants).toHaveLength(2);
  });

  it('a refresh token that is replaced is saved before the new access token is used, and used from then on', async () => {
    const order: string[] = [];
    const { tokens, clock, grants } = setUp(
      {
        refreshToken: new Secret('refresh-0'),
        onRefreshToken: async (token) => {
          order.push(`saved ${token.reveal()}`);
          return true;
        },
      },
      (nth) => ({ refresh: `refresh-${nth}` }),
    );
    const first = await clock.settle(currentOf(tokens));
    order.push(`using ${first.reveal()}`);
    await clock.settle(tokens.renew(first, signal));
    expect(order).toEqual(['saved refresh-1', 'using access-1', 'saved refresh-2']);
    expect(grants.map(({ refreshToken }) => refreshToken)).toEqual(['refresh-0', 'refresh-1']);
    expect(tokens.unsavedRefreshToken).toBe(false);
  });

  it('a replaced refresh token that is not saved is kept in memory, and said so', async () => {
    const memory = setUp({ refreshToken: new Secret('refresh-0') }, () => ({ refresh: 'refresh-1' }));
    await memory.current();
    expect(memory.tokens.unsavedRefreshToken).toBe(true);

    const full = setUp(
      {
        refreshToken: new Secret('refresh-0'),
        onRefreshToken: async () => {
          throw Object.assign(new Error('no space left'), { code: 'ENOSPC' });
        },
      },
      () => ({ refresh: 'refresh-1' }),
    );
    expect(await full.current()).toBe('access-1');
    expect(full.tokens.unsavedRefreshToken).toBe(true);
    expect(full.events).toEqual([
      { type: 'note', message: expect.stringContaining('could not be saved (ENOSPC)') },
    ]);
    expect(JSON.stringify(full.events)).not.toContain('refresh-1');

    const same = setUp({ refreshToken: new Secret('refresh-0') }, () => ({ refresh: 'refresh-0' }));
    await same.current();
    expect(same.tokens.unsavedRefreshToken).toBe(false);
  });

  it('one caller that gives up does not stop the renewal for the others', async () => {
    const { tokens, clock, grants } = setUp({}, () => ({ takes: 1_000 }));
    const controller = new AbortController();
    const gone = tokens.current(controller.signal);
    const stays = currentOf(tokens);
    controller.abort(new Error('stop'));
    await expect(gone).rejects.toThrow('stop');
    expect((await clock.settle(stays)).reveal()).toBe('access-1');
    expect([grants.length, getEventListeners(controller.signal, 'abort').length]).toEqual([1, 0]);
  });

  it('closing ends a renewal under way and leaves no timer', async () => {
    const { tokens, clock } = setUp({}, () => ({ takes: 1_000 }));
    const pending = currentOf(tokens);
    tokens.close();
    await expect(pending).rejects.toThrow('closed');
    expect(clock.sleeping()).toBe(0);
  });

  it('knows every secret that it had, and remembers the old ones without bound on none', async () => {
    const { tokens, clock } = setUp(
      { refreshToken: new Secret('refresh-0'), secrets: [new Secret('client-secret')] },
      (nth) => ({ refresh: `refresh-${nth}` }),
    );
    let token = await clock.settle(currentOf(tokens));
    for (let n = 0; n < 100; n++) token = (await clock.settle(tokens.renew(token, signal))) ?? token;
    expect(tokens.secrets()).toEqual(
      expect.arrayContaining(['client-secret', 'refresh-0', 'access-101', 'refresh-101', 'access-95']),
    );
    expect(tokens.secrets().length).toBeLessThan(30);
  });
});
