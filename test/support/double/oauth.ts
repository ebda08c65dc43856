/** Access tokens that expire, and an OAuth 2.0 endpoint that gives them for client credentials. */
import { randomBytes } from 'node:crypto';
import type { Context, Hono } from 'hono';
import { bodyOf, type SandboxEnv, type Service } from '../../../src/sandbox/core/request.ts';
import { bearerToken, isSame, tokenRefusal } from '../../../src/sandbox/credentials.ts';

const SCOPES = ['read:tickets', 'write:tickets'] as const;

export interface AuthOptions {
  token?: string;
  scopes?: readonly (typeof SCOPES)[number][];
}

const TOKEN_PATH = '/oauth/token';
const SECONDS = 3600;
const random = () => randomBytes(24).toString('base64url');

export class OAuth {
  readonly client = { id: 'sandbox', secret: random() };
  readonly #scopes: readonly string[];
  /** When each ends, by the clock of the service. */
  readonly #tokens = new Map<string, number>();

  constructor({ scopes = SCOPES }: AuthOptions) {
    this.#scopes = scopes;
  }

  serve(app: Hono<SandboxEnv>, service: Service): void {
    const own = service.authorize;
    service.authorize = (c) => this.#authorize(c, service, own);
    app.post(TOKEN_PATH, async (c) => {
      const sent = new URLSearchParams((await bodyOf(c, 64 * 1024)).toString('utf8'));
      const isClient = sent.get('client_id') === this.client.id;
      if (!isClient || !isSame(this.client.secret, sent.get('client_secret') ?? ''))
        return c.json({ error: 'invalid_client' }, 401);
      const token = random();
      this.expire(token, service.clock.now() + SECONDS * 1000);
      return c.json({ access_token: token, token_type: 'Bearer', expires_in: SECONDS });
    });
  }

  expire(token: string, at: number): void {
    this.#tokens.set(token, at);
  }

  #authorize(c: Context<SandboxEnv>, service: Service, own: Service['authorize']): void {
    const ends = this.#tokens.get(bearerToken(c.req.header('authorization')) ?? '');
    if (ends === undefined) own(c);
    else if (service.clock.now() >= ends) throw tokenExpired();
    const scope = c.req.method === 'GET' ? 'read:tickets' : 'write:tickets';
    if (this.#scopes.includes(scope)) return;
    const code = 'insufficient_scope';
    throw tokenRefusal(403, code, `This call needs the scope ${scope}.`, code);
  }
}

export function tokenExpired() {
  return tokenRefusal(401, 'token_expired', 'token_expired: the access token has expired.', 'invalid_token');
}

export function tokenUrlOf(url: string): string {
  return `${url}${TOKEN_PATH}`;
}
