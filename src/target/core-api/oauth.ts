/**
 * OAuth 2.0 access tokens (specification, section 5; RFC 6749): `refresh_token` where there is a refresh token, else
 * `client_credentials`.
 *
 * Renewed in the background when a tenth of the lifetime (at most a minute) is left, while requests go on with the old
 * token; waited for only when that one has expired or was refused. One renewal serves all who ask meanwhile. A refresh
 * token that the service replaces is handed on to be saved before the new access token is used, so that a crash in
 * between does not lock the user out.
 *
 * A form post of our own rather than an OAuth library: of the protocol these two grants need one request with four
 * fields. What is hard about it here (one renewal for many, retries, a proxy, deadlines, secrets in errors) such a library leaves to its caller.
 */
import type { Clock } from '../../domain/clock.ts';
import type { Emit } from '../../domain/run-events.ts';
import type { Secret } from '../../domain/secret.ts';
import type { GrantedToken, GrantRequest } from './token-endpoint.ts';
import type { TokenSource } from './tokens.ts';

export interface OAuthOptions {
  /** One request for a token, with its own retries (token-endpoint.ts). Throws ApiFailure. */
  readonly grant: (request: GrantRequest, signal: AbortSignal) => Promise<GrantedToken>;
  readonly refreshToken?: Secret | undefined;
  /** Keeps a refresh token that the service has replaced; resolves with whether durably. */
  readonly onRefreshToken?: ((token: Secret) => Promise<boolean>) | undefined;
  readonly clock: Clock;
  readonly emit: Emit;
  /** Further secrets that must not be seen, such as the client's. */
  readonly secrets?: readonly Secret[] | undefined;
}

/** After a renewal in the background failed, the next one is tried no sooner. Milliseconds. */
const BACKGROUND_PAUSE_MS = 5_000;
/** Old tokens stay secret after they were replaced; so many are remembered. */
const REMEMBERED_SECRETS = 20;

interface Held {
  readonly token: Secret;
  /** From when on it is renewed in the background, and from when on it is not sent any more; by both clocks. */
  readonly renewFrom: number;
  readonly renewFromWall: number;
  readonly expires: number;
  readonly expiresWall: number;
}

export function oauthTokens(options: OAuthOptions): TokenSource {
  const { grant, clock, emit, onRefreshToken } = options;
  const lifetime = new AbortController();
  let refreshToken = options.refreshToken;
  let held: Held | undefined;
  let renewing: Promise<Secret> | undefined;
  let quietUntil = Number.NEGATIVE_INFINITY;
  let unsaved = false;
  const seen = [refreshToken, ...(options.secrets ?? [])].flatMap((secret) =>
    secret === undefined ? [] : [secret.reveal()],
  );
  const given = seen.length;

  function hold(token: Secret, expiresInSeconds: number | undefined): Held {
    const ms = expiresInSeconds === undefined ? Number.POSITIVE_INFINITY : expiresInSeconds * 1000;
    const early = ms - Math.min(60_000, ms / 10);
    const [now, wall] = [clock.monotonic(), clock.now()];
    return {
      token,
      renewFrom: now + early,
      renewFromWall: wall + early,
      expires: now + ms,
      expiresWall: wall + ms,
    };
  }

  const remember = (secret: Secret) => {
    seen.push(secret.reveal());
    if (seen.length > given + REMEMBERED_SECRETS) seen.splice(given, 1);
  };

  const keepRefreshToken = async (token: Secret) => {
    refreshToken = token;
    remember(token);
    if (onRefreshToken === undefined) {
      unsaved = true;
      return;
    }
    try {
      unsaved = !(await onRefreshToken(token));
    } catch (error) {
      unsaved = true;
      const reason = (error as NodeJS.ErrnoException).code ?? 'error';
      emit({
        type: 'note',
        message: `The service replaced the refresh token, and the new one could not be saved (${reason}).`,
      });
    }
  };

  const renewNow = async () => {
    const request: GrantRequest =
      refreshToken === undefined ? { grant: 'client_credentials' } : { grant: 'refresh_token', refreshToken };
    const granted = await grant(request, lifetime.signal);
    remember(granted.accessToken);
    const { refreshToken: next } = granted;
    if (next !== undefined && next.reveal() !== refreshToken?.reveal()) await keepRefreshToken(next);
    held = hold(granted.accessToken, granted.expiresInSeconds);
    return granted.accessToken;
  };

  const renewal = () => {
    renewing ??= renewNow().finally(() => {
      renewing = undefined;
    });
    return renewing;
  };

  const renewInBackground = () => {
    const now = clock.monotonic();
    if (renewing !== undefined || now < quietUntil) return;
    quietUntil = now + BACKGROUND_PAUSE_MS;
    // Whoever needs the token meets the error when it has expired.
    renewal().catch(() => {});
  };

  return {
    current(signal) {
      if (held === undefined) return untilAborted(renewal(), signal);
      const [now, wall] = [clock.monotonic(), clock.now()];
      if (now >= held.expires || wall >= held.expiresWall) return untilAborted(renewal(), signal);
      if (now >= held.renewFrom || wall >= held.renewFromWall) renewInBackground();
      return held.token;
    },
    async renew(refused, signal) {
      // Someone else's 401 has renewed it already.
      if (held !== undefined && held.token.reveal() !== refused.reveal()) return held.token;
      return untilAborted(renewal(), signal);
    },
    secrets: () => seen,
    get unsavedRefreshToken() {
      return unsaved;
    },
    close: () => lifetime.abort(new Error('the client was closed')),
  };
}

/** Waits for shared work, or until this caller has had enough; the work goes on for the others. Leaves no listener. */
function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  // Work that nobody waits for any more may still fail; that is not an unhandled error.
  work.catch(() => {});
  if (signal.aborted) return Promise.reject(signal.reason);
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    const done = () => signal.removeEventListener('abort', onAbort);
    work.then(
      (value) => {
        done();
        resolve(value);
      },
      (error: unknown) => {
        done();
        reject(error);
      },
    );
  });
}
