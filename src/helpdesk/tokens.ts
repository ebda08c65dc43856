/** Access tokens: fixed, from a file, or OAuth 2.0 (specification, section 5). */

import { AppError } from '../domain/errors.ts';
import { BOUNDS } from '../domain/limits.ts';
import type { Clock, Emit, Random } from '../domain/ports.ts';
import { type Credentials, type OAuthCredentials, Secret } from '../domain/secret.ts';
import { numberOf } from '../domain/text/foreign.ts';
import { stop } from '../domain/text/stops.ts';
import { ApiFailure } from '../domain/ticket-api.ts';
import { type Environment, parseBaseUrl } from './address.ts';
import { errorBody, json } from './answers.ts';
import { askedPause, backoff, causeOf, GIVE_UP_AFTER_MS, untilAborted } from './backoff.ts';
import { type Answer, createTransport, type Reply } from './http.ts';
import { readSecretFile, redact } from './secrets.ts';

/** All callers share one token and one renewal. Throws ApiFailure (`auth`, `unreachable`) or the signal's reason. */
export interface TokenSource {
  current(signal: AbortSignal): Secret | Promise<Secret>;
  /** Another token than the refused one; undefined if there is none. */
  renew(refused: Secret, signal: AbortSignal): Promise<Secret | undefined>;
  secrets(): readonly string[];
  readonly unsavedRefreshToken: boolean;
  /** Another program writes the tokens, so a new one may be of another workspace. */
  readonly isForeign?: true | undefined;
  close(): void;
}

export type ApiCredentials = Exclude<Credentials, OAuthCredentials> | OAuthAccess;

type OAuthAccess = Omit<OAuthCredentials, 'refreshTokenFile'> & {
  /** Resolves with whether the next process has it too. */
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

export function createTokens(credentials: ApiCredentials, options: TokenOptions): TokenSource {
  if (credentials.kind === 'oauth') return oauthTokens(credentials, options);
  if (credentials.kind === 'token-file')
    // Another program may replace the file, so it is read after each refusal.
    return {
      ...renewable(async () => checkedToken(await readSecretFile(credentials.path), 'the token file')),
      isForeign: true,
    };
  const { token } = credentials;
  const checked = checkedToken(token.reveal(), 'HELPDESK_TOKEN', token.isShown);
  return renewable(async () => checked, checked);
}

export function checkedToken(text: string, where: string, isShown = false): Secret {
  const token = text.trim().replace(/^bearer\s+/i, '');
  if (HEADER_TEXT.test(token)) return new Secret(token, isShown);
  throw new AppError(
    'configuration',
    token === ''
      ? `There is no token in ${where}.`
      : `The token in ${where} has white space or other characters that a token cannot have.`,
    { hint: 'Give the access token or API key alone, on one line.' },
  );
}

const HEADER_TEXT = /^[\x21-\x7e]+$/;
/** Replaced tokens stay secret. */
const REMEMBERED_SECRETS = 20;

function renewable(read: () => Promise<Secret>, held?: Secret, isOver = () => false): TokenSource {
  let token = held;
  let reading: Promise<Secret> | undefined;
  const seen: string[] = held === undefined ? [] : [held.reveal()];

  const load = (): Promise<Secret> => {
    reading ??= read()
      .then((fresh) => {
        token = fresh;
        remember(seen, fresh);
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
      if (token !== undefined && token.reveal() !== refused.reveal()) return token;
      const fresh = await untilAborted(load(), signal);
      return fresh.reveal() === refused.reveal() ? undefined : fresh;
    },
    secrets: () => seen,
    unsavedRefreshToken: false,
    close: () => {},
  };
}

function remember(secrets: string[], secret: Secret): void {
  secrets.push(secret.reveal());
  if (secrets.length > REMEMBERED_SECRETS) secrets.shift();
}

/** Renewed this long before expiry, or when a tenth of its time is left, milliseconds. */
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
    remember(refreshTokens, token);
    try {
      isUnsaved = !(await (onRefreshToken?.(token) ?? false));
    } catch (error) {
      isUnsaved = true;
      const reason = (error as NodeJS.ErrnoException).code ?? 'error';
      const message = `The helpdesk replaced the refresh token, and the new one could not be saved (${reason}).`;
      emit({ type: 'note', message });
    }
  };
  const read = async () => {
    const { accessToken, refreshToken: next, seconds } = await endpoint.grant(refreshToken);
    if (next !== undefined && next.reveal() !== refreshToken?.reveal()) await keep(next);
    const used = seconds * 1000 - Math.min(EARLY_MS, seconds * 100);
    overAt = { monotonic: clock.monotonic() + used, wall: clock.now() + used };
    return accessToken;
  };
  // A machine that slept sees it by the wall clock alone.
  const isOver = () => clock.monotonic() >= overAt.monotonic || clock.now() >= overAt.wall;
  const tokens = renewable(read, undefined, isOver);
  return {
    ...tokens,
    secrets: () => [clientSecret?.reveal() ?? [], refreshTokens, tokens.secrets()].flat(),
    get unsavedRefreshToken() {
      return isUnsaved;
    },
    close: endpoint.close,
  };
}

interface Granted {
  readonly accessToken: Secret;
  readonly refreshToken?: Secret | undefined;
  readonly seconds: number;
}

interface TokenEndpoint {
  /** `refresh_token` if there is one, else `client_credentials`; repeated while the endpoint fails. */
  grant(refreshToken: Secret | undefined): Promise<Granted>;
  close(): void;
}

function tokenEndpoint(access: OAuthAccess, options: TokenOptions): TokenEndpoint {
  const { clientId, clientSecret, scope } = access;
  const { clock, random, emit, giveUpAfterMs = GIVE_UP_AFTER_MS } = options;
  const url = parseBaseUrl(access.tokenUrl, 'token URL');
  if (url.warning !== undefined) throw stop('token-url-unencrypted', { url: url.href });
  const maxAnswerBytes = BOUNDS.tokenAnswer.most;
  const transport = createTransport({ ...options, origin: url.origin, connections: 1, maxAnswerBytes });
  const lifetime = new AbortController();
  const { signal } = lifetime;
  const { pathname: path } = new URL(access.tokenUrl.trim());
  let inHeader = false;
  let hasAnswered = false;

  async function ask(refreshToken: Secret | undefined, attempt: number): Promise<Reply> {
    const form = new URLSearchParams(scope === undefined ? {} : { scope });
    form.set('grant_type', refreshToken === undefined ? 'client_credentials' : 'refresh_token');
    if (refreshToken !== undefined) form.set('refresh_token', refreshToken.reveal());
    const headers: Record<string, string> = { 'content-type': 'application/x-www-form-urlencoded' };
    const pair = [clientId, clientSecret?.reveal() ?? ''];
    if (inHeader)
      headers['authorization'] =
        `Basic ${Buffer.from(pair.map(encodeURIComponent).join(':')).toString('base64')}`;
    else {
      form.set('client_id', clientId);
      if (clientSecret !== undefined) form.set('client_secret', clientSecret.reveal());
    }
    const body = form.toString();
    return await transport.exchange({ kind: 'read', method: 'POST', path, headers, body, attempt }, signal);
  }

  async function grant(refreshToken: Secret | undefined): Promise<Granted> {
    const until = clock.monotonic() + giveUpAfterMs;
    const hidden = [clientSecret, refreshToken].flatMap((secret) => secret?.reveal() ?? []);
    for (let attempt = 1; ; attempt++) {
      const reply = await ask(refreshToken, attempt);
      signal.throwIfAborted();
      if (reply.type === 'answer' && !isPassing(reply)) {
        if (reply.status < 300) return grantedBy(reply, hidden);
        const { error, detail } = errorBody(reply, hidden);
        if (error !== 'invalid_client' || inHeader || clientSecret === undefined)
          throw refusal(reply.status, detail, refreshToken !== undefined);
        // Some services take the secret in the header only.
        inHeader = true;
        continue;
      }
      // Never answered: the address is more likely wrong than down.
      const isWrong = reply.type === 'breakdown' && reply.reason === 'not-connected' && !hasAnswered;
      const isHopeless = reply.type === 'breakdown' && reply.reason === 'hopeless';
      hasAnswered ||= reply.type === 'answer';
      const cause = causeOf(reply);
      const waitMs = Math.ceil(Math.max(askedPause(reply, clock.now()), backoff(attempt, random)));
      if (isWrong || isHopeless || clock.monotonic() + waitMs >= until) {
        const status = reply.type === 'answer' ? reply.status : undefined;
        throw new ApiFailure('unreachable', 'none', `The token endpoint gives no token: ${cause}.`, {
          status,
        });
      }
      emit({ type: 'retry', reason: `token endpoint: ${cause}`, waitMs, attempt });
      const outage = { address: 'the token endpoint', cause, givesUpMs: until - clock.monotonic() };
      emit({ type: 'waiting', reason: 'target-down', untilMs: clock.now() + waitMs, outage });
      await clock.sleep(waitMs, signal);
    }
  }

  return {
    grant,
    close() {
      lifetime.abort(new Error('the client was closed'));
      void transport.close();
    },
  };
}

function isPassing({ status, cut }: Answer): boolean {
  return (cut !== undefined && status < 300) || status >= 500 || [408, 425, 429].includes(status);
}

/** Some services name no type, and write the lifetime as text. */
function grantedBy(answer: Answer, hidden: readonly string[]): Granted {
  const { access_token, refresh_token, expires_in, token_type } = (json(answer) ?? {}) as Partial<
    Record<string, unknown>
  >;
  const isBearer = typeof token_type !== 'string' || token_type.toLowerCase() === 'bearer';
  if (isBearer && typeof access_token === 'string' && HEADER_TEXT.test(access_token)) {
    const seconds = numberOf(expires_in) ?? 0;
    const isReplaced = typeof refresh_token === 'string' && refresh_token !== '';
    return {
      accessToken: new Secret(access_token),
      refreshToken: isReplaced ? new Secret(refresh_token) : undefined,
      seconds: seconds > 0 ? seconds : Number.POSITIVE_INFINITY,
    };
  }
  const message = isBearer
    ? 'The token endpoint answered without an access token.'
    : `The token endpoint gives out ${redact(String(token_type).slice(0, 40), hidden)} tokens; only bearer tokens can be used.`;
  throw new ApiFailure('auth', 'none', message, { status: answer.status });
}

function refusal(status: number, detail: string | undefined, isRefresh: boolean): ApiFailure {
  const what = isRefresh ? 'the refresh token' : 'the client id and secret';
  const said = detail === undefined ? '' : `: ${detail}`;
  const message =
    status < 400
      ? `The token endpoint redirects elsewhere (${status}); set HELPDESK_TOKEN_URL to its final address.`
      : `The token endpoint refused ${what} (${status}${said}).`;
  return new ApiFailure('auth', 'none', message, { status, detail });
}
