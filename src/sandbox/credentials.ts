/** Missing ones are made up once and kept with the data. */
import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Context, MiddlewareHandler } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';
import { Refusal, readForm, type SandboxEnv, type Service } from './core/request.ts';
import type { SandboxStore } from './store/store.ts';

const SCOPES = ['read:tickets', 'write:tickets'] as const;
export type Scope = (typeof SCOPES)[number];

export interface OAuthClient {
  id: string;
  secret: string;
  scopes?: readonly Scope[];
}

export interface AuthOptions {
  token?: string;
  scopes?: readonly Scope[];
  clients?: readonly OAuthClient[];
  refreshToken?: string;
  /** Default: 3,600 seconds. */
  accessTokenSeconds?: number;
}

export interface AppCredentials {
  readonly id: string;
  readonly key: string;
}

export interface Credentials {
  readonly app: AppCredentials;
  readonly token: string;
  readonly clients: readonly OAuthClient[];
  readonly refreshToken: string;
  readonly accessTokenSeconds: number;
}

export function establishCredentials({ settings, tokens }: SandboxStore, options: AuthOptions): Credentials {
  const token = options.token ?? settings.getOrMake('token', () => madeSecret('sandbox_token'));
  const clients = options.clients ?? [
    { id: 'sandbox', secret: settings.getOrMake('clientSecret', () => madeSecret('sandbox_secret')) },
  ];
  const refreshToken =
    options.refreshToken ?? settings.getOrMake('refreshToken', () => madeSecret('sandbox_refresh'));
  tokens.keep(token, { kind: 'access', clientId: 'sandbox', scopes: options.scopes ?? SCOPES });
  const [first] = clients;
  if (first !== undefined)
    tokens.keep(refreshToken, { kind: 'refresh', clientId: first.id, scopes: first.scopes ?? SCOPES });
  const key = settings.getOrMake('appKey', () => madeSecret('sandbox_app_key'));
  const { accessTokenSeconds = 3600 } = options;
  return { app: { id: 'sandbox_app', key }, token, clients, refreshToken, accessTokenSeconds };
}

/** Compares digests, so that neither length nor time reveals anything. */
export function isSame(given: string, wanted: string): boolean {
  return timingSafeEqual(hash('sha256', given, 'buffer'), hash('sha256', wanted, 'buffer'));
}

function madeSecret(word: string): string {
  return `${word}_${randomBytes(32).toString('base64url')}`;
}

export function bearerToken(authorization: string | undefined): string | undefined {
  return /^bearer +([\w.~+/=-]+) *$/i.exec(authorization ?? '')?.[1];
}

/** Throws Refusal 401 without a valid token, 403 without this scope. */
export function requireScope(service: Service, c: Context<SandboxEnv>, scope: Scope): void {
  const token = bearerToken(c.req.header('authorization'));
  if (token === undefined)
    throw tokenRefusal(401, 'token_missing', 'Send an access token: "Authorization: Bearer …".', '');
  const row = service.store.tokens.find(token);
  if (row === undefined || row.kind !== 'access')
    throw tokenRefusal(
      401,
      'invalid_token',
      'This access token is not known here.',
      ', error="invalid_token"',
    );
  if (row.expiresMs !== undefined && service.clock.now() >= row.expiresMs) throw tokenExpired();
  if (row.scopes.includes(scope)) return;
  const message = `This call needs the scope ${scope}, which the token does not have.`;
  throw tokenRefusal(403, 'insufficient_scope', message, `, error="insufficient_scope", scope="${scope}"`);
}

export function tokenExpired(): Refusal {
  const message = 'token_expired: the access token has expired.';
  return tokenRefusal(401, 'token_expired', message, ', error="invalid_token", error_description="expired"');
}

function tokenRefusal(status: 401 | 403, code: string, message: string, challenge: string): Refusal {
  return new Refusal(status, code, message, {
    headers: { 'www-authenticate': `Bearer realm="helpdesk"${challenge}` },
  });
}

/** Throws Refusal 401. */
export function requireApp(c: Context<SandboxEnv>, { id, key }: AppCredentials): void {
  if (c.req.header('x-mantle-app-id') === id && isSame(c.req.header('x-mantle-app-api-key') ?? '', key))
    return;
  const message = 'Send the id and the key of the app in X-Mantle-App-Id and X-Mantle-App-Api-Key.';
  throw new Refusal(401, 'unauthorized', message);
}

export const PAGE_TOKEN = 'token';

/**
 * 401 without the token of the printed address, as other users of the machine reach loopback addresses too. The first answer
 * sets a cookie, and browser/keys.js removes the token from the address line. Cookies belong to a name and not to a port, so
 * each sandbox has its own: a digest that other sites cannot use (`SameSite=Strict`).
 */
export function pageKey(token: string, port: () => number): MiddlewareHandler<SandboxEnv> {
  const key = hash('sha256', `pages ${token}`, 'hex');
  return async (c, next) => {
    const name = `sandbox_${port()}`;
    const given = c.req.query(PAGE_TOKEN) ?? bearerToken(c.req.header('authorization'));
    const hasToken = given !== undefined && isSame(given, token);
    if (hasToken) setCookie(c, name, key, { path: '/', httpOnly: true, sameSite: 'Strict' });
    if (hasToken || isSame(getCookie(c, name) ?? '', key)) {
      await next();
      return undefined;
    }
    const message =
      'Open the address that "helpdesk-import sandbox" printed: it carries the token for these pages.';
    return c.text(message, 401, { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' });
  };
}

class TokenRefusal extends Error {
  readonly code: string;
  readonly status: 400 | 401;

  constructor(code: string, message: string, status: 400 | 401 = 400) {
    super(message);
    this.code = code;
    this.status = status;
  }
}

export async function tokenEndpoint(
  service: Service,
  credentials: Credentials,
  c: Context<SandboxEnv>,
): Promise<Response> {
  c.header('cache-control', 'no-store');
  try {
    const answer = granted(service, credentials, await tokenForm(c));
    c.set('effect', { effect: 'stored' });
    return c.json(answer);
  } catch (error) {
    if (!(error instanceof TokenRefusal)) throw error;
    return c.json({ error: error.code, error_description: error.message }, error.status);
  }
}

async function tokenForm(c: Context<SandboxEnv>): Promise<URLSearchParams> {
  const type = c.req.header('content-type') ?? '';
  if (!/^application\/x-www-form-urlencoded\s*(?:;|$)/i.test(type))
    throw new TokenRefusal('invalid_request', 'The body must be application/x-www-form-urlencoded.');
  return readForm(c);
}

function granted(service: Service, { clients, accessTokenSeconds }: Credentials, form: URLSearchParams) {
  const client = clients.find(
    ({ id, secret }) => id === form.get('client_id') && isSame(secret, form.get('client_secret') ?? ''),
  );
  if (client === undefined)
    throw new TokenRefusal('invalid_client', 'The client or its secret is wrong.', 401);
  const scopes = scopesOf(service, client, form);
  const token = madeSecret('sandbox_access');
  const expiresMs = service.clock.now() + accessTokenSeconds * 1000;
  service.store.tokens.keep(token, { kind: 'access', clientId: client.id, scopes, expiresMs });
  return {
    access_token: token,
    token_type: 'Bearer',
    expires_in: accessTokenSeconds,
    scope: scopes.join(' '),
  };
}

function scopesOf(
  { store }: Service,
  client: Credentials['clients'][number],
  form: URLSearchParams,
): readonly string[] {
  const grant = form.get('grant_type');
  if (grant === 'client_credentials') return wantedScopes(form, client.scopes ?? SCOPES);
  if (grant !== 'refresh_token')
    throw new TokenRefusal('unsupported_grant_type', 'Only client_credentials and refresh_token are served.');
  const row = store.tokens.find(form.get('refresh_token') ?? '');
  if (row?.kind !== 'refresh' || row.clientId !== client.id)
    throw new TokenRefusal('invalid_grant', 'The refresh token is not valid.');
  return wantedScopes(form, row.scopes);
}

function wantedScopes(form: URLSearchParams, most: readonly string[]): readonly string[] {
  const wanted = form.get('scope')?.split(' ').filter(Boolean) ?? most;
  const beyond = wanted.find((scope) => !most.includes(scope));
  if (beyond !== undefined)
    throw new TokenRefusal('invalid_scope', `The scope ${beyond.slice(0, 100)} cannot be given.`);
  return [...new Set(wanted)];
}
