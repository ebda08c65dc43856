/**
 * One request to the token endpoint (RFC 6749, sections 4.4, 5 and 6), form-encoded, repeated while the endpoint is out
 * of order. The client's secret goes into the form; a service that only takes it in the Authorization header says
 * `invalid_client`, and is then asked that way.
 */
import type { Clock, Random } from '../../domain/clock.ts';
import type { Emit } from '../../domain/run-events.ts';
import { Secret } from '../../domain/secret.ts';
import { ApiFailure } from '../../domain/ticket-api.ts';
import type { Answer, Exchange, Reply } from '../http/exchange.ts';
import { redact } from '../http/secrets.ts';
import { backoff } from '../pace/backoff.ts';
import { errorBody } from './error-body.ts';
import { askedPause } from './paced-exchange.ts';

/** What is asked for; the endpoint adds who asks. */
export type GrantRequest =
  | { readonly grant: 'refresh_token'; readonly refreshToken: Secret }
  | { readonly grant: 'client_credentials' };

export interface GrantedToken {
  readonly accessToken: Secret;
  readonly refreshToken?: Secret | undefined;
  readonly expiresInSeconds?: number | undefined;
}

export interface TokenEndpointOptions {
  readonly exchange: Exchange;
  /** Path of the endpoint, with its query if it has one. */
  readonly path: string;
  readonly clientId: string;
  readonly clientSecret?: Secret | undefined;
  readonly scope?: string | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly emit: Emit;
  readonly giveUpAfterMs: number;
}

export function tokenEndpoint(
  options: TokenEndpointOptions,
): (request: GrantRequest, signal: AbortSignal) => Promise<GrantedToken> {
  const { exchange, clock, random, emit, clientSecret } = options;
  let inHeader = false;
  let hasAnswered = false;

  return async (request, signal) => {
    const until = clock.monotonic() + options.giveUpAfterMs;
    const hidden = secretsOf(request, clientSecret);
    for (let attempt = 1; ; attempt++) {
      const reply = await exchange(formRequest(options, request, inHeader, attempt), signal);
      if (reply.type === 'breakdown' && reply.reason === 'aborted') throw signal.reason;
      // Nothing ever answered at this address: it is more likely wrong than down.
      const isFirst = reply.type === 'breakdown' && reply.reason === 'not-connected' && !hasAnswered;
      hasAnswered ||= reply.type === 'answer';
      if (reply.type === 'answer' && !passing(reply)) {
        if (reply.status < 300) return grantedToken(reply, hidden);
        const said = errorBody(reply, hidden);
        if (said.error === 'invalid_client' && !inHeader && clientSecret !== undefined) {
          inHeader = true;
          continue;
        }
        throw refusal(reply, said.detail, request);
      }
      const waitMs = Math.ceil(pause(reply, attempt));
      if (isFirst || hopeless(reply) || clock.monotonic() + waitMs >= until) throw outOfOrder(reply);
      emit({ type: 'retry', reason: `token endpoint: ${causeOf(reply)}`, waitMs, attempt });
      emit({
        type: 'waiting',
        reason: 'target-down',
        untilMs: clock.now() + waitMs,
        outage: {
          address: 'the token endpoint',
          cause: causeOf(reply),
          givesUpMs: until - clock.monotonic(),
        },
      });
      await clock.sleep(waitMs, signal);
    }
  };

  function pause(reply: Reply, attempt: number): number {
    const asked = reply.type === 'answer' ? (askedPause(reply, clock) ?? 0) : 0;
    return Math.max(asked, backoff(attempt, random));
  }
}

function formRequest(
  options: TokenEndpointOptions,
  request: GrantRequest,
  inHeader: boolean,
  attempt: number,
) {
  const { clientId, clientSecret, scope, path } = options;
  const form = new URLSearchParams({ grant_type: request.grant });
  if (request.grant === 'refresh_token') form.set('refresh_token', request.refreshToken.reveal());
  if (scope !== undefined) form.set('scope', scope);
  const headers: Record<string, string> = { 'content-type': 'application/x-www-form-urlencoded' };
  if (inHeader && clientSecret !== undefined) {
    const pair = `${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret.reveal())}`;
    headers['authorization'] = `Basic ${Buffer.from(pair).toString('base64')}`;
  } else {
    form.set('client_id', clientId);
    if (clientSecret !== undefined) form.set('client_secret', clientSecret.reveal());
  }
  return { kind: 'read', method: 'POST', path, body: form.toString(), headers, attempt } as const;
}

/** An answer that will pass by itself, or did not come whole: try again. */
function passing({ status, cut }: Answer): boolean {
  return (
    (cut !== undefined && status < 300) || status === 408 || status === 425 || status === 429 || status >= 500
  );
}

function hopeless(reply: Reply): boolean {
  return reply.type === 'breakdown' && (reply.reason === 'hopeless' || reply.code === 'ENOTFOUND');
}

function grantedToken(answer: Answer, hidden: readonly string[]): GrantedToken {
  let value: unknown;
  try {
    value = JSON.parse(answer.body.toString('utf8'));
  } catch {
    value = undefined;
  }
  const fields = (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>;
  const { access_token: access, refresh_token: refresh, expires_in: expires, token_type: type } = fields;
  if (typeof access !== 'string' || !/^[\x21-\x7e]+$/.test(access))
    throw new ApiFailure('auth', 'none', 'The token endpoint answered without an access token.', {
      status: answer.status,
    });
  if (typeof type === 'string' && type.toLowerCase() !== 'bearer')
    throw new ApiFailure(
      'auth',
      'none',
      `The token endpoint gives out ${redact(type.slice(0, 40), hidden)} tokens; only bearer tokens can be used.`,
      { status: answer.status },
    );
  // Some services write the number as a string.
  const seconds = typeof expires === 'string' && expires.trim() !== '' ? Number(expires) : expires;
  return {
    accessToken: new Secret(access),
    ...(typeof refresh === 'string' && refresh !== '' ? { refreshToken: new Secret(refresh) } : {}),
    ...(typeof seconds === 'number' && seconds > 0 && Number.isFinite(seconds)
      ? { expiresInSeconds: seconds }
      : {}),
  };
}

function refusal(answer: Answer, detail: string | undefined, request: GrantRequest): ApiFailure {
  const what = request.grant === 'refresh_token' ? 'the refresh token' : 'the client id and secret';
  const said = detail === undefined ? '' : `: ${detail}`;
  const message =
    answer.status < 400
      ? `The token endpoint redirects elsewhere (${answer.status}); set HELPDESK_TOKEN_URL to its final address.`
      : `The token endpoint refused ${what} (${answer.status}${said}).`;
  return new ApiFailure('auth', 'none', message, {
    status: answer.status,
    detail,
  });
}

function outOfOrder(reply: Reply): ApiFailure {
  return new ApiFailure('unreachable', 'none', `The token endpoint gives no token: ${causeOf(reply)}.`, {
    ...(reply.type === 'answer' ? { status: reply.status } : {}),
  });
}

function causeOf(reply: Reply): string {
  return reply.type === 'answer' ? (reply.cut ?? `status ${reply.status}`) : reply.message;
}

function secretsOf(request: GrantRequest, clientSecret: Secret | undefined): string[] {
  return [
    ...(clientSecret === undefined ? [] : [clientSecret.reveal()]),
    ...(request.grant === 'refresh_token' ? [request.refreshToken.reveal()] : []),
  ];
}
