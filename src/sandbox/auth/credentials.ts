/**
 * Credentials of the sandbox: a bearer token, OAuth clients, a refresh token. Those not given are made up once and kept with the data.
 */
import { randomBytes } from 'node:crypto';
import type { Context } from 'hono';
import type { Clock } from '../../domain/clock.ts';
import { Refusal } from '../core/refusal.ts';
import type { SandboxEnv, Service } from '../core/sandbox-env.ts';
import type { SandboxStore } from '../store/store.ts';

export const SCOPES = ['read:tickets', 'write:tickets'] as const;
export type Scope = (typeof SCOPES)[number];

export interface OAuthClient {
  id: string;
  secret: string;
  /** Its scopes; default: both. */
  scopes?: readonly Scope[];
}

export interface AuthOptions {
  /** The bearer token that never expires; default: made up. */
  token?: string;
  /** The scopes of that token; default: both. */
  scopes?: readonly Scope[];
  /** OAuth clients; default: one called `sandbox` with a made-up secret. */
  clients?: readonly OAuthClient[];
  /** The first client's refresh token; default: made up. */
  refreshToken?: string;
  /** Life of an access token; default: 3,600 seconds. */
  accessTokenSeconds?: number;
}

export interface Credentials {
  readonly token: string;
  readonly clients: readonly OAuthClient[];
  readonly refreshToken: string;
  readonly accessTokenSeconds: number;
}

/** Settles the credentials and makes their tokens valid. */
export function establishCredentials(store: SandboxStore, options: AuthOptions, clock: Clock): Credentials {
  const { settings, tokens } = store;
  const token = options.token ?? settings.getOrMake('token', () => madeSecret('sandbox_token'));
  const clients = options.clients ?? [
    { id: 'sandbox', secret: settings.getOrMake('clientSecret', () => madeSecret('sandbox_secret')) },
  ];
  const refreshToken =
    options.refreshToken ?? settings.getOrMake('refreshToken', () => madeSecret('sandbox_refresh'));
  tokens.sweep(clock.now() - FORGET_AFTER_MS);
  tokens.keep(token, { kind: 'access', clientId: 'sandbox', scopes: options.scopes ?? SCOPES });
  const [first] = clients;
  if (first !== undefined)
    tokens.keep(refreshToken, { kind: 'refresh', clientId: first.id, scopes: first.scopes ?? SCOPES });
  return {
    token,
    clients,
    refreshToken,
    accessTokenSeconds: options.accessTokenSeconds ?? 3600,
  };
}

/** A token is remembered as expired for a day. */
const FORGET_AFTER_MS = 24 * 3_600_000;

/** 256 random bits after a word that names the kind. */
export function madeSecret(word: string): string {
  return `${word}_${randomBytes(32).toString('base64url')}`;
}

// The bearer token of a Core API request, and its scopes (specification, section 5).

/** The token of a request, if any. */
export function bearerToken(authorization: string | undefined): string | undefined {
  return /^bearer +([\w.~+/=-]+) *$/i.exec(authorization ?? '')?.[1];
}

/** Throws Refusal 401 without a valid token, 403 without this scope. */
export function requireScope(service: Service, c: Context<SandboxEnv>, scope: Scope): void {
  const token = bearerToken(c.req.header('authorization'));
  if (token === undefined) {
    throw new Refusal(401, 'token_missing', 'Send an access token: "Authorization: Bearer …".', {
      headers: { 'www-authenticate': 'Bearer realm="helpdesk"' },
    });
  }
  const row = service.store.tokens.find(token);
  if (row === undefined || row.kind !== 'access') {
    throw new Refusal(401, 'invalid_token', 'This access token is not known here.', {
      headers: { 'www-authenticate': 'Bearer realm="helpdesk", error="invalid_token"' },
    });
  }
  if (row.expiresMs !== undefined && service.clock.now() >= row.expiresMs) throw tokenExpired();
  if (row.scopes.includes(scope)) return;
  throw new Refusal(
    403,
    'insufficient_scope',
    `This call needs the scope ${scope}, which the token does not have.`,
    {
      headers: {
        'www-authenticate': `Bearer realm="helpdesk", error="insufficient_scope", scope="${scope}"`,
      },
    },
  );
}

/** An expired token's `error` starts with `token_expired` (public facts). */
export function tokenExpired(): Refusal {
  return new Refusal(401, 'token_expired', 'token_expired: the access token has expired.', {
    headers: {
      'www-authenticate': 'Bearer realm="helpdesk", error="invalid_token", error_description="expired"',
    },
  });
}
