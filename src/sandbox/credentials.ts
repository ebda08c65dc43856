/** The sandbox's token: made up once and kept with the data. */
import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Context, MiddlewareHandler } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';
import { Refusal, type SandboxEnv } from './core/request.ts';

export function madeSecret(word: string): string {
  return `${word}_${randomBytes(32).toString('base64url')}`;
}

/** Compares digests, so that neither length nor time reveals anything. */
export function isSame(given: string, wanted: string): boolean {
  return timingSafeEqual(hash('sha256', given, 'buffer'), hash('sha256', wanted, 'buffer'));
}

export function bearerToken(authorization: string | undefined): string | undefined {
  return /^bearer +([\w.~+/=-]+) *$/i.exec(authorization ?? '')?.[1];
}

/** Throws Refusal 401. */
export function requireToken(c: Context<SandboxEnv>, wanted: string): void {
  const given = bearerToken(c.req.header('authorization'));
  if (given === undefined)
    throw tokenRefusal(401, 'token_missing', 'Send an access token: "Authorization: Bearer …".');
  if (!isSame(given, wanted))
    throw tokenRefusal(401, 'invalid_token', 'This access token is not known here.', 'invalid_token');
}

export function tokenRefusal(status: 401 | 403, code: string, message: string, error?: string): Refusal {
  const challenge = error === undefined ? '' : `, error="${error}"`;
  return new Refusal(status, code, message, {
    headers: { 'www-authenticate': `Bearer realm="helpdesk"${challenge}` },
  });
}

export const PAGE_TOKEN = 'token';

/**
 * 401 without the token of the printed address, as other users of the machine reach loopback addresses too. The first answer
 * sets a cookie, and leads to the address without the token. Cookies belong to a name and not to a port, so
 * each sandbox has its own: a digest that other sites cannot use (`SameSite=Strict`).
 */
export function pageKey(token: string, port: () => number): MiddlewareHandler<SandboxEnv> {
  const key = hash('sha256', `pages ${token}`, 'hex');
  return async (c, next) => {
    const name = `sandbox_${port()}`;
    const given = c.req.query(PAGE_TOKEN) ?? bearerToken(c.req.header('authorization'));
    const hasToken = given !== undefined && isSame(given, token);
    if (hasToken) {
      setCookie(c, name, key, { path: '/', httpOnly: true, sameSite: 'Strict' });
      // The token leaves the address line.
      if (c.req.query(PAGE_TOKEN) !== undefined) return c.redirect(c.req.path);
    }
    if (hasToken || isSame(getCookie(c, name) ?? '', key)) {
      await next();
      return undefined;
    }
    const message = 'Open the address that the sandbox printed: it carries the token for these pages.';
    return c.text(message, 401, { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' });
  };
}
