/** From what the user gave (contract, "Environment") to a source of tokens. */
import type { Clock, Random } from '../../domain/clock.ts';
import { AppError } from '../../domain/errors.ts';
import { BOUNDS } from '../../domain/limits.ts';
import type { Emit } from '../../domain/run-events.ts';
import type { Credentials, OAuthCredentials, Secret } from '../../domain/secret.ts';
import { parseBaseUrl } from '../http/dispatcher.ts';
import type { Environment } from '../http/proxy.ts';
import { readSecretFile } from '../http/secrets.ts';
import { createTransport } from '../http/transport.ts';
import { GIVE_UP_AFTER_MS } from '../pace/backoff.ts';
import { oauthTokens } from './oauth.ts';
import { tokenEndpoint } from './token-endpoint.ts';
import { fixedToken, type TokenSource, tokenFromFile } from './tokens.ts';

export type ApiCredentials =
  | Exclude<Credentials, OAuthCredentials>
  | (Omit<OAuthCredentials, 'refreshTokenFile'> & {
      /** Keeps a replaced refresh token for the next connection; resolves with whether also for the next process. */
      readonly onRefreshToken?: ((token: Secret) => Promise<boolean>) | undefined;
    });

export interface CredentialOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly emit: Emit;
  readonly timeoutMs: number;
  readonly giveUpAfterMs?: number | undefined;
  readonly env?: Environment | undefined;
  readonly userAgent?: string | undefined;
}

/** Throws AppError `configuration` for what can be seen to be wrong without a request. */
export function createTokens(credentials: ApiCredentials, options: CredentialOptions): TokenSource {
  if (credentials.kind === 'token') return fixedToken(credentials.token);
  if (credentials.kind === 'token-file') {
    const { path } = credentials;
    return tokenFromFile(() => readSecretFile(path));
  }
  const { tokenUrl, clientSecret } = credentials;
  const url = parseBaseUrl(tokenUrl, 'token URL');
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
  const tokens = oauthTokens({
    ...options,
    ...credentials,
    grant: tokenEndpoint({
      ...options,
      ...credentials,
      exchange: transport.exchange,
      path: new URL(tokenUrl.trim()).pathname,
      giveUpAfterMs: options.giveUpAfterMs ?? GIVE_UP_AFTER_MS,
    }),
    secrets: clientSecret === undefined ? [] : [clientSecret],
  });
  return {
    current: tokens.current,
    renew: tokens.renew,
    secrets: tokens.secrets,
    get unsavedRefreshToken() {
      return tokens.unsavedRefreshToken;
    },
    close: () => {
      tokens.close();
      void transport.close();
    },
  };
}
