/**
 * Puts the token on each request (`Authorization: Bearer …`, for access tokens and API keys alike). A 401 means that
 * nothing happened, so the same attempt goes out once more with a fresh token, where there is one; what comes back then
 * is final.
 */
import type { Secret } from '../domain/secret.ts';
import type { ApiRequest, Exchange } from './exchange.ts';
import type { TokenSource } from './tokens.ts';

export function authenticated(next: Exchange, tokens: TokenSource): Exchange {
  return async (request, signal) => {
    const token = await tokens.current(signal);
    const reply = await next(withToken(request, token), signal);
    if (reply.type !== 'answer' || reply.status !== 401) return reply;
    const fresh = await tokens.renew(token, signal);
    if (fresh === undefined) return reply;
    return next({ ...withToken(request, fresh), attempt: request.attempt + 1 }, signal);
  };
}

function withToken(request: ApiRequest, token: Secret): ApiRequest {
  return { ...request, headers: { ...request.headers, authorization: `Bearer ${token.reveal()}` } };
}
