/** Access tokens with scopes that expire, and an OAuth 2.0 endpoint that gives them. */
import { randomBytes } from 'node:crypto';
import type { Context, Hono } from 'hono';
import { bodyOf, notAllowed, type SandboxEnv, type Service } from '../../../src/sandbox/core/request.ts';
import { bearerToken, isSame, tokenRefusal } from '../../../src/sandbox/credentials.ts';

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

interface KeptToken {
  readonly kind: 'access' | 'refresh';
  readonly clientId: string;
  readonly scopes: readonly string[];
  readonly expiresMs?: number | undefined;
}

const TOKEN_PATH = '/oauth/token';
const random = () => randomBytes(24).toString('base64url');

class TokenFault extends Error {
  readonly status: 400 | 401;

  constructor(code: string, status: 400 | 401 = 400) {
    super(code);
    this.status = status;
  }
}

export class OAuth {
  readonly clients: readonly OAuthClient[];
  readonly refreshToken: string;
  readonly #seconds: number;
  readonly #own: readonly Scope[];
  readonly #tokens = new Map<string, KeptToken>();

  constructor({ clients, refreshToken, scopes = SCOPES, accessTokenSeconds = 3600 }: AuthOptions) {
    this.clients = clients ?? [{ id: 'sandbox', secret: random() }];
    this.refreshToken = refreshToken ?? random();
    this.#seconds = accessTokenSeconds;
    this.#own = scopes;
    const [first] = this.clients;
    if (first !== undefined)
      this.#tokens.set(this.refreshToken, {
        kind: 'refresh',
        clientId: first.id,
        scopes: first.scopes ?? SCOPES,
      });
  }

  serve(app: Hono<SandboxEnv>, service: Service): void {
    const own = service.authorize;
    service.authorize = (c) => this.#authorize(c, service, own);
    app.post(TOKEN_PATH, async (c) => {
      c.header('cache-control', 'no-store');
      try {
        return c.json(this.#granted(service, await form(c)));
      } catch (error) {
        if (!(error instanceof TokenFault)) throw error;
        return c.json({ error: error.message, error_description: 'Refused.' }, error.status);
      }
    });
    app.all(TOKEN_PATH, (c) => {
      throw notAllowed(c.req.method, ['POST']);
    });
  }

  expire(token: string, now: number): void {
    const kept = this.#tokens.get(token);
    if (kept !== undefined) this.#tokens.set(token, { ...kept, expiresMs: now });
  }

  #authorize(c: Context<SandboxEnv>, service: Service, own: Service['authorize']): void {
    const kept = this.#tokens.get(bearerToken(c.req.header('authorization')) ?? '');
    if (kept?.kind !== 'access') own(c);
    else if (kept.expiresMs !== undefined && service.clock.now() >= kept.expiresMs) throw tokenExpired();
    const scopes = kept?.scopes ?? this.#own;
    const scope: Scope = c.req.method === 'GET' ? 'read:tickets' : 'write:tickets';
    if (!scopes.includes(scope))
      throw tokenRefusal(
        403,
        'insufficient_scope',
        `This call needs the scope ${scope}.`,
        'insufficient_scope',
      );
  }

  #granted(service: Service, sent: URLSearchParams) {
    const client = this.clients.find(
      ({ id, secret }) => id === sent.get('client_id') && isSame(secret, sent.get('client_secret') ?? ''),
    );
    if (client === undefined) throw new TokenFault('invalid_client', 401);
    const scopes = this.#scopesOf(client, sent);
    const token = random();
    const expiresMs = service.clock.now() + this.#seconds * 1000;
    this.#tokens.set(token, { kind: 'access', clientId: client.id, scopes, expiresMs });
    return {
      access_token: token,
      token_type: 'Bearer',
      expires_in: this.#seconds,
      scope: scopes.join(' '),
    };
  }

  #scopesOf(client: OAuthClient, sent: URLSearchParams): readonly string[] {
    const grant = sent.get('grant_type');
    const kept = this.#tokens.get(sent.get('refresh_token') ?? '');
    if (grant !== 'client_credentials' && grant !== 'refresh_token')
      throw new TokenFault('unsupported_grant_type');
    if (grant === 'refresh_token' && (kept?.kind !== 'refresh' || kept.clientId !== client.id))
      throw new TokenFault('invalid_grant');
    const most: readonly string[] = (grant === 'refresh_token' ? kept?.scopes : client.scopes) ?? SCOPES;
    const wanted = sent.get('scope')?.split(' ').filter(Boolean) ?? most;
    if (wanted.some((scope) => !most.includes(scope))) throw new TokenFault('invalid_scope');
    return [...new Set(wanted)];
  }
}

export function tokenExpired() {
  return tokenRefusal(401, 'token_expired', 'token_expired: the access token has expired.', 'invalid_token');
}

export function tokenUrlOf(url: string): string {
  return `${url}${TOKEN_PATH}`;
}

async function form(c: Context<SandboxEnv>): Promise<URLSearchParams> {
  const type = c.req.header('content-type') ?? '';
  if (!/^application\/x-www-form-urlencoded\s*(?:;|$)/i.test(type)) throw new TokenFault('invalid_request');
  return new URLSearchParams((await bodyOf(c, 64 * 1024)).toString('utf8'));
}
