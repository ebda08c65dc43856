/** Where access tokens come from. Two simple sources here; OAuth 2.0 in oauth.ts. */

import type { Clock } from '../../domain/clock.ts';
import { AppError } from '../../domain/errors.ts';
import type { Emit } from '../../domain/run-events.ts';
import { Secret } from '../../domain/secret.ts';
import type { ApiRequest, Exchange, Reply } from '../http/exchange.ts';

/**
 * Contract: `current` gives the token to send, at once where there is one, renewing it first where it knows that it has expired. `renew` is told
 * which token was refused with 401 and gives another one, or undefined when there is none; for any number of concurrent
 * callers with the same refused token it renews once. Both throw ApiFailure (`auth`, `unreachable`) or the signal's reason.
 */
export interface TokenSource {
  current(signal: AbortSignal): Secret | Promise<Secret>;
  renew(refused: Secret, signal: AbortSignal): Promise<Secret | undefined>;
  /** Everything that must not be seen in a message. */
  secrets(): readonly string[];
  /** True when the service replaced the refresh token and the new one is only in memory. */
  readonly unsavedRefreshToken: boolean;
  /** Ends renewals under way. */
  close(): void;
}

/** A bearer token or API key that never changes. Throws AppError `configuration` when it cannot be a token. */
export function fixedToken(token: Secret): TokenSource {
  const checked = checkedToken(token.reveal(), 'HELPDESK_TOKEN', token.isShown);
  return {
    current: () => checked,
    renew: () => Promise.resolve(undefined),
    secrets: () => [checked.reveal()],
    unsavedRefreshToken: false,
    close: () => {},
  };
}

/** A token in a file that someone else may replace: read at the first call, and again when it is refused. */
export function tokenFromFile(read: () => Promise<string>): TokenSource {
  let token: Secret | undefined;
  let reading: Promise<Secret> | undefined;
  const seen = new Set<string>();

  const load = () => {
    reading ??= read()
      .then((text) => {
        token = checkedToken(text, 'the token file');
        seen.add(token.reveal());
        return token;
      })
      .finally(() => {
        reading = undefined;
      });
    return reading;
  };

  return {
    current: () => token ?? load(),
    async renew(refused) {
      if (token !== undefined && token.reveal() !== refused.reveal()) return token;
      const fresh = await load();
      return fresh.reveal() === refused.reveal() ? undefined : fresh;
    },
    secrets: () => [...seen],
    unsavedRefreshToken: false,
    close: () => {},
  };
}

/** Trimmed, without a `Bearer` in front, and fit for a header. */
export function checkedToken(text: string, where: string, isShown = false): Secret {
  const token = text.trim().replace(/^bearer\s+/i, '');
  if (!/^[\x21-\x7e]+$/.test(token))
    throw new AppError(
      'configuration',
      token === ''
        ? `There is no token in ${where}.`
        : `The token in ${where} has white space or other characters that a token cannot have.`,
      { hint: 'Give the access token or API key alone, on one line.' },
    );
  return new Secret(token, isShown);
}

// Puts the token on each request (`Authorization: Bearer …`, for access tokens and API keys alike). A 401 means that
// nothing happened, so the same attempt goes out once more with a fresh token, where there is one.
//
// A fresh token that is refused as well is no proof that the right to send was taken away: what issues tokens and what
// checks them are two services, whose clocks differ by a second and one of which learns of a token later than the other,
// and an import of five hours should not end there. So it waits a moment and sends the same token again, renews it if it
// is still refused, and after the second pause means it. That takes some four seconds where tokens are issued but never accepted. A
// right that was taken away, the token service itself refuses: that, and a token that cannot be renewed, ends it at once.

interface Patience {
  readonly clock: Clock;
  readonly emit: Emit;
  /** One after the other, milliseconds; with none a fresh token that is refused is final. */
  readonly pausesMs: readonly number[];
}

/** For tokens that were renewed and refused. */
export const PAUSES_MS = [1_000, 3_000];

export function authenticated(next: Exchange, tokens: TokenSource, patience: Patience): Exchange {
  const { clock, emit, pausesMs } = patience;
  /** One text for one token, and not one for each request. */
  let last: { readonly token: Secret; readonly authorization: string } | undefined;
  const withToken = (request: ApiRequest, token: Secret, attempt: number): ApiRequest => {
    if (last?.token !== token) last = { token, authorization: `Bearer ${token.reveal()}` };
    return { ...request, authorization: last.authorization, attempt };
  };
  const send = (request: ApiRequest, token: Secret, signal: AbortSignal) =>
    next(withToken(request, token, request.attempt), signal).then((reply) =>
      isRefused(reply) ? sendAgain(request, token, reply, signal) : reply,
    );

  const sendAgain = async (request: ApiRequest, refused: Secret, refusal: Reply, signal: AbortSignal) => {
    let { attempt } = request;
    let token = refused;
    let reply = refusal;
    for (let round = 0; isRefused(reply); round++) {
      const fresh = await tokens.renew(token, signal);
      if (fresh === undefined) return reply;
      token = fresh;
      reply = await next(withToken(request, token, ++attempt), signal);
      const pauseMs = pausesMs[round];
      if (!isRefused(reply) || pauseMs === undefined) return reply;
      emit({ type: 'retry', reason: 'status 401 for a new token', waitMs: pauseMs, attempt });
      await clock.sleep(pauseMs, signal);
      // Someone else's may be newer still.
      token = await tokens.current(signal);
      reply = await next(withToken(request, token, ++attempt), signal);
    }
    return reply;
  };

  return (request, signal) => {
    const token = tokens.current(signal);
    return token instanceof Secret
      ? send(request, token, signal)
      : token.then((held) => send(request, held, signal));
  };
}

function isRefused(reply: Reply): boolean {
  return reply.type === 'answer' && reply.status === 401;
}
