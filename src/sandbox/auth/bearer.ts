/** The bearer token of a Core API request, and whether it may do what it asks for (specification, section 5). */
import type { Context } from 'hono';
import { Refusal } from '../core/refusal.ts';
import type { SandboxEnv, Service } from '../core/sandbox-env.ts';
import type { Scope } from './credentials.ts';

export type { Scope } from './credentials.ts';

/** The token that a request carries, undefined where it carries none. */
export function bearerToken(authorization: string | undefined): string | undefined {
  return /^bearer +([\w.~+/=-]+) *$/i.exec(authorization ?? '')?.[1];
}

/** Throws Refusal 401 without a valid token, 403 where the token has not this scope. */
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
    `This call needs the scope ${scope}, which the token has not.`,
    {
      details: { scope },
      headers: {
        'www-authenticate': `Bearer realm="helpdesk", error="insufficient_scope", scope="${scope}"`,
      },
    },
  );
}

/** An expired token's `error` starts with `token_expired` (public facts). */
export function tokenExpired(): Refusal {
  return new Refusal(401, 'token_expired', 'The access token has expired.', {
    headers: {
      'www-authenticate': 'Bearer realm="helpdesk", error="invalid_token", error_description="expired"',
    },
  });
}
