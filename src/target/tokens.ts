/** Where access tokens come from: a fixed token, a file, or OAuth 2.0 (specification, section 5), by oauth4webapi. */
import {
  allowInsecureRequests,
  ClientSecretBasic,
  ClientSecretPost,
  clientCredentialsGrantRequest,
  customFetch,
  None,
  refreshTokenGrantRequest,
} from 'oauth4webapi';
import type { Clock, Random } from '../domain/clock.ts';
import { AppError } from '../domain/errors.ts';
import { BOUNDS } from '../domain/limits.ts';
import type { Emit } from '../domain/run-events.ts';
import { type Credentials, type OAuthCredentials, Secret } from '../domain/secret.ts';
import { ApiFailure } from '../domain/ticket-api.ts';
import { parseBaseUrl } from './address.ts';
import { errorBody, json } from './answers.ts';
import { backoff, GIVE_UP_AFTER_MS, retryAfterMs, untilAborted } from './backoff.ts';
import { type Answer, createTransport, headerOf, type Reply } from './http.ts';
import type { Environment } from './proxy.ts';
import { readSecretFile, redact } from './secrets.ts';

/**
 * Contract: `current` gives the token to send, at once where there is one. `renew` is given the token that was refused with
 * 401 and gives another one, or undefined when there is none; for any number of concurrent callers it renews once. Both
 * throw ApiFailure (`auth`, `unreachable`) or the signal's reason.
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

export type ApiCredentials = Exclude<Credentials, OAuthCredentials> | OAuthAccess;

type OAuthAccess = Omit<OAuthCredentials, 'refreshTokenFile'> & {
  /** Keeps a replaced refresh token for the next connection; resolves with whether also for the next process. */
  readonly onRefreshToken?: ((token: Secret) => Promise<boolean>) | undefined;
};

export interface TokenOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly emit: Emit;
  readonly timeoutMs: number;
  readonly giveUpAfterMs?: number | undefined;
  readonly env?: Environment | undefined;
  readonly userAgent?: string | undefined;
}

/** Throws AppError `configuration` for what can be seen to be wrong without a request. */
export function createTokens(credentials: ApiCredentials, options: TokenOptions): TokenSource {
  if (credentials.kind === 'token') {
    const { token } = credentials;
    const checked = checkedToken(token.reveal(), 'HELPDESK_TOKEN', token.isShown);
    return renewable({ read: () => Promise.resolve(checked), held: checked });
  }
  if (credentials.kind === 'token-file') {
    const { path } = credentials;
    // Somebody else may replace it: it is read at the first call, and again when the token is refused.
    return renewable({ read: async () => checkedToken(await readSecretFile(path), 'the token file') });
  }
  return oauthTokens(credentials, options);
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

/** Old tokens stay secret after they were replaced; so many are remembered. */
const REMEMBERED_SECRETS = 20;

interface Renewable {
  readonly read: () => Promise<Secret>;
  readonly held?: Secret;
  /** Whether the token has expired without being refused. */
  readonly isOver?: () => boolean;
}

/** One token that all share, and one renewal for all who ask meanwhile. A renewal that gives the same token is no way out. */
function renewable({ read, held, isOver = () => false }: Renewable): TokenSource {
  let token = held;
  let reading: Promise<Secret> | undefined;
  const seen: string[] = held === undefined ? [] : [held.reveal()];

  const load = (): Promise<Secret> => {
    reading ??= read()
      .then((fresh) => {
        token = fresh;
        seen.push(fresh.reveal());
        if (seen.length > REMEMBERED_SECRETS) seen.shift();
        return fresh;
      })
      .finally(() => {
        reading = undefined;
      });
    return reading;
  };

  return {
    current: (signal) => (token !== undefined && !isOver() ? token : untilAborted(load(), signal)),
    async renew(refused, signal) {
      // Another request's 401 has renewed it already.
      if (token !== undefined && token.reveal() !== refused.reveal()) return token;
      const fresh = await untilAborted(load(), signal);
      return fresh.reveal() === refused.reveal() ? undefined : fresh;
    },
    secrets: () => seen,
    unsavedRefreshToken: false,
    close: () => {},
  };
}

/** A token is renewed so long before it expires, or when a tenth of its time is left, milliseconds. */
const EARLY_MS = 60_000;

export function oauthTokens(
  access: OAuthAccess,
  options: TokenOptions,
  endpoint: TokenEndpoint = tokenEndpoint(access, options),
): TokenSource {
  const { clock, emit } = options;
  const { clientSecret, onRefreshToken } = access;
  let { refreshToken } = access;
  let isUnsaved = false;
  let overAt = { monotonic: Number.POSITIVE_INFINITY, wall: Number.POSITIVE_INFINITY };
  const refreshTokens = refreshToken === undefined ? [] : [refreshToken.reveal()];

  /** Saved before the new access token is used: a crash in between must not lock the user out. */
  const keep = async (token: Secret) => {
    refreshToken = token;
    refreshTokens.push(token.reveal());
    if (refreshTokens.length > REMEMBERED_SECRETS) refreshTokens.shift();
    try {
      isUnsaved = !(await (onRefreshToken?.(token) ?? false));
    } catch (error) {
      isUnsaved = true;
      const reason = (error as NodeJS.ErrnoException).code ?? 'error';
      emit({
        type: 'note',
        message: `The service replaced the refresh token, and the new one could not be saved (${reason}).`,
      });
    }
  };

  const tokens = renewable({
    async read() {
      const { accessToken, refreshToken: next, seconds } = await endpoint.grant(refreshToken);
      if (next !== undefined && next.reveal() !== refreshToken?.reveal()) await keep(next);
      const ms = seconds * 1000;
      const used = Number.isFinite(ms) ? ms - Math.min(EARLY_MS, ms / 10) : ms;
      overAt = { monotonic: clock.monotonic() + used, wall: clock.now() + used };
      return accessToken;
    },
    // A machine that slept sees it by the wall clock alone.
    isOver: () => clock.monotonic() >= overAt.monotonic || clock.now() >= overAt.wall,
  });
  return {
    ...tokens,
    secrets: () => [
      ...(clientSecret === undefined ? [] : [clientSecret.reveal()]),
      ...refreshTokens,
      ...tokens.secrets(),
    ],
    get unsavedRefreshToken() {
      return isUnsaved;
    },
    close: endpoint.close,
  };
}

export interface Granted {
  readonly accessToken: Secret;
  readonly refreshToken?: Secret | undefined;
  /** Its life; infinite if unknown. */
  readonly seconds: number;
}

export interface TokenEndpoint {
  /** `refresh_token` where there is a refresh token, else `client_credentials`; repeated while the endpoint is out of order. */
  grant(refreshToken: Secret | undefined): Promise<Granted>;
  close(): void;
}

function tokenEndpoint(access: OAuthAccess, options: TokenOptions): TokenEndpoint {
  const { clientId, clientSecret, scope } = access;
  const { clock, random, emit, giveUpAfterMs = GIVE_UP_AFTER_MS } = options;
  const url = parseBaseUrl(access.tokenUrl, 'token URL');
  if (url.warning !== undefined)
    throw new AppError('configuration', `The token URL ${url.href} is not encrypted.`, {
      hint: 'Use https: the client secret and the tokens go over this connection.',
    });
  const transport = createTransport({
    ...options,
    origin: url.origin,
    connections: 1,
    maxAnswerBytes: BOUNDS.tokenAnswer.most,
  });
  const lifetime = new AbortController();
  const { signal } = lifetime;
  const server = { issuer: url.origin, token_endpoint: access.tokenUrl.trim() };
  const client = { client_id: clientId };
  const parameters: Record<string, string> = scope === undefined ? {} : { scope };
  let inHeader = false;
  let hasAnswered = false;

  /** The library makes the request; our transport carries it, with its proxy, its deadline and its bounds. */
  async function ask(refreshToken: Secret | undefined, attempt: number): Promise<Reply> {
    const { promise, resolve } = Promise.withResolvers<Reply>();
    const request = {
      signal,
      [allowInsecureRequests]: true,
      [customFetch]: async (
        address: string,
        { body, headers }: { body: URLSearchParams; headers: Record<string, string> },
      ) => {
        const { pathname, search } = new URL(address);
        const post = { kind: 'read', method: 'POST', path: pathname + search, headers, attempt } as const;
        resolve(await transport.exchange({ ...post, body: body.toString() }, signal));
        return Response.error();
      },
    };
    const secret = clientSecret?.reveal();
    const auth =
      secret === undefined ? None() : inHeader ? ClientSecretBasic(secret) : ClientSecretPost(secret);
    if (refreshToken === undefined)
      await clientCredentialsGrantRequest(server, client, auth, parameters, request);
    else {
      const additional = { ...request, additionalParameters: parameters };
      await refreshTokenGrantRequest(server, client, auth, refreshToken.reveal(), additional);
    }
    return promise;
  }

  async function grant(refreshToken: Secret | undefined): Promise<Granted> {
    const until = clock.monotonic() + giveUpAfterMs;
    const hidden = [clientSecret, refreshToken].flatMap((secret) => secret?.reveal() ?? []);
    for (let attempt = 1; ; attempt++) {
      const reply = await ask(refreshToken, attempt);
      signal.throwIfAborted();
      // Nothing ever answered at this address: it is more likely wrong than down.
      const isWrong = reply.type === 'breakdown' && reply.reason === 'not-connected' && !hasAnswered;
      hasAnswered ||= reply.type === 'answer';
      if (reply.type === 'answer' && !isPassing(reply)) {
        if (reply.status < 300) return grantedBy(reply, hidden);
        const { error, detail } = errorBody(reply, hidden);
        if (error === 'invalid_client' && !inHeader && clientSecret !== undefined) {
          // Some services take the secret in the header alone.
          inHeader = true;
          continue;
        }
        throw refusal(reply, detail, refreshToken !== undefined);
      }
      const cause = causeOf(reply);
      const waitMs = Math.ceil(Math.max(askedPause(reply), backoff(attempt, random)));
      const isHopeless = reply.type === 'breakdown' && reply.reason === 'hopeless';
      if (isWrong || isHopeless || clock.monotonic() + waitMs >= until)
        throw new ApiFailure('unreachable', 'none', `The token endpoint gives no token: ${cause}.`, {
          ...(reply.type === 'answer' ? { status: reply.status } : {}),
        });
      emit({ type: 'retry', reason: `token endpoint: ${cause}`, waitMs, attempt });
      const outage = { address: 'the token endpoint', cause, givesUpMs: until - clock.monotonic() };
      emit({ type: 'waiting', reason: 'target-down', untilMs: clock.now() + waitMs, outage });
      await clock.sleep(waitMs, signal);
    }
  }

  function askedPause(reply: Reply): number {
    if (reply.type === 'breakdown') return 0;
    return retryAfterMs(headerOf(reply, 'retry-after'), headerOf(reply, 'date'), clock.now()) ?? 0;
  }

  return {
    grant,
    close() {
      lifetime.abort(new Error('the client was closed'));
      void transport.close();
    },
  };
}

/** An answer that will pass by itself, or did not come whole. */
function isPassing({ status, cut }: Answer): boolean {
  return (
    (cut !== undefined && status < 300) || status === 408 || status === 425 || status === 429 || status >= 500
  );
}

/** Some services name no type, and write the lifetime as a text. */
function grantedBy(answer: Answer, hidden: readonly string[]): Granted {
  const { access_token, refresh_token, expires_in, token_type } = (json(answer) ?? {}) as Partial<
    Record<string, unknown>
  >;
  const isBearer = typeof token_type !== 'string' || token_type.toLowerCase() === 'bearer';
  if (isBearer && typeof access_token === 'string' && /^[\x21-\x7e]+$/.test(access_token))
    return {
      accessToken: new Secret(access_token),
      refreshToken:
        typeof refresh_token === 'string' && refresh_token !== '' ? new Secret(refresh_token) : undefined,
      seconds: Number(expires_in) > 0 ? Number(expires_in) : Number.POSITIVE_INFINITY,
    };
  const message = isBearer
    ? 'The token endpoint answered without an access token.'
    : `The token endpoint gives out ${redact(String(token_type).slice(0, 40), hidden)} tokens; only bearer tokens can be used.`;
  throw new ApiFailure('auth', 'none', message, { status: answer.status });
}

function refusal({ status }: Answer, detail: string | undefined, isRefresh: boolean): ApiFailure {
  const what = isRefresh ? 'the refresh token' : 'the client id and secret';
  const said = detail === undefined ? '' : `: ${detail}`;
  const message =
    status < 400
      ? `The token endpoint redirects elsewhere (${status}); set HELPDESK_TOKEN_URL to its final address.`
      : `The token endpoint refused ${what} (${status}${said}).`;
  return new ApiFailure('auth', 'none', message, { status, detail });
}

function causeOf(reply: Reply): string {
  return reply.type === 'answer' ? (reply.cut ?? `status ${reply.status}`) : reply.message;
}
