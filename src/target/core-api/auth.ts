/**
 * Puts the token on each request (`Authorization: Bearer …`, for access tokens and API keys alike). A 401 means that
 * nothing happened, so the same attempt goes out once more with a fresh token, where there is one.
 *
 * A fresh token that is refused as well is no proof that the right to send was taken away: what issues tokens and what
 * checks them are two services, whose clocks differ by a second and one of which learns of a token later than the other,
 * and an import of five hours should not end there. So it waits a moment and sends the same token again, renews it if it
 * is still refused, and after the second pause means it. That takes some four seconds where tokens are issued but never accepted. A
 * right that was taken away, the token service itself refuses: that, and a token that cannot be renewed, ends it at once.
 */
import type { Clock } from '../../domain/clock.ts';
import type { Emit } from '../../domain/run-events.ts';
import { Secret } from '../../domain/secret.ts';
import type { ApiRequest, Exchange, Reply } from '../http/exchange.ts';
import type { TokenSource } from './tokens.ts';

export interface Patience {
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
