/** From what the user gave (contract, "Environment") to a source of tokens. */
import type { Clock, Random } from '../../domain/clock.ts';
import { AppError } from '../../domain/errors.ts';
import type { Emit } from '../../domain/run-events.ts';
import type { Secret } from '../../domain/secret.ts';
import { type Environment, parseBaseUrl } from '../http/dispatcher.ts';
import { readSecretFile } from '../http/secrets.ts';
import { createTransport } from '../http/transport.ts';
import { GIVE_UP_AFTER_MS } from '../pace/breaker.ts';
import { oauthTokens } from './oauth.ts';
import { tokenEndpoint } from './token-endpoint.ts';
import { fixedToken, type TokenSource, tokenFromFile } from './tokens.ts';

export type Credentials =
  | { readonly kind: 'token'; readonly token: Secret }
  | { readonly kind: 'token-file'; readonly path: string }
  | {
      readonly kind: 'oauth';
      readonly tokenUrl: string;
      readonly clientId: string;
      readonly clientSecret?: Secret | undefined;
      /** With one: the grant `refresh_token`; without: `client_credentials`. */
      readonly refreshToken?: Secret | undefined;
      readonly accessToken?: Secret | undefined;
      readonly scope?: string | undefined;
      /** Keeps a replaced refresh token durably; without it the new one is only in memory. */
      readonly onRefreshToken?: ((token: Secret) => Promise<void>) | undefined;
    };

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
export function createTokens(credentials: Credentials, options: CredentialOptions): TokenSource {
  if (credentials.kind === 'token') return fixedToken(credentials.token);
  if (credentials.kind === 'token-file') {
    const { path } = credentials;
    return tokenFromFile(() => readSecretFile(path));
  }
  const { tokenUrl, clientId, clientSecret, refreshToken, accessToken, scope, onRefreshToken } = credentials;
  const { clock, random, emit } = options;
  const url = parseBaseUrl(tokenUrl, 'token URL');
  if (url.warning !== undefined)
    throw new AppError('configuration', `The token URL ${url.href} is not encrypted.`, {
      hint: 'Use https: the client secret and the tokens go over this connection.',
    });
  const transport = createTransport({
    origin: url.origin,
    timeoutMs: options.timeoutMs,
    connections: 1,
    maxAnswerBytes: 1024 * 1024,
    clock,
    env: options.env,
    userAgent: options.userAgent,
  });
  const tokens = oauthTokens({
    grant: tokenEndpoint({
      exchange: transport.exchange,
      path: new URL(tokenUrl.trim()).pathname,
      clientId,
      clientSecret,
      scope,
      clock,
      random,
      emit,
      giveUpAfterMs: options.giveUpAfterMs ?? GIVE_UP_AFTER_MS,
    }),
    refreshToken,
    accessToken,
    onRefreshToken,
    secrets: clientSecret === undefined ? [] : [clientSecret],
    clock,
    emit,
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
