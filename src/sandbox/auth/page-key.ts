/**
 * The pages need the token in the printed address: other users of the machine reach loopback addresses too, and the pages show
 * customers' messages.
 *
 * The first answer sets a cookie, and browser/keys.js removes the token from the address line. Cookies belong to a name and not to a
 * port, so each sandbox has its own. It holds a digest, and other sites cannot use it (`SameSite=Strict`).
 */
import { hash, timingSafeEqual } from 'node:crypto';
import type { MiddlewareHandler } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';
import type { SandboxEnv } from '../core/sandbox-env.ts';
import { bearerToken } from './credentials.ts';

/** Its name in the printed address. */
export const PAGE_TOKEN = 'token';

/** For the routes of pages: 401 without the token. `port` is known once it listens. */
export function pageKey(token: string, port: () => number): MiddlewareHandler<SandboxEnv> {
  const key = hash('sha256', `pages ${token}`, 'hex');
  return async (c, next) => {
    const name = `sandbox_${port()}`;
    const given = c.req.query(PAGE_TOKEN) ?? bearerToken(c.req.header('authorization'));
    if (given !== undefined && isSame(given, token)) {
      setCookie(c, name, key, { path: '/', httpOnly: true, sameSite: 'Strict' });
      await next();
      return undefined;
    }
    const kept = getCookie(c, name);
    if (kept !== undefined && isSame(kept, key)) {
      await next();
      return undefined;
    }
    return c.text(
      'Open the address that "helpdesk-import sandbox" printed: it carries the token for these pages.',
      401,
      {
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
      },
    );
  };
}

/** Compares digests, so that neither length nor time reveals anything. */
function isSame(given: string, wanted: string): boolean {
  return timingSafeEqual(hash('sha256', given, 'buffer'), hash('sha256', wanted, 'buffer'));
}
