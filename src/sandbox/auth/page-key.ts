/**
 * Who may look at the pages: whoever has the token that the printed address carries. Other users of the machine reach its
 * loopback addresses too, and what is imported are customers' messages.
 *
 * The address is opened once: the answer sets a cookie for this tab's browser, and browser/keys.js takes the token out of the
 * address line. Cookies belong to a name and not to a port, so each sandbox has one of its own; it holds a digest, and is not sent
 * with requests that other sites make (`SameSite=Strict`).
 */
import { hash, timingSafeEqual } from 'node:crypto';
import type { MiddlewareHandler } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';
import type { SandboxEnv } from '../core/sandbox-env.ts';
import { bearerToken } from './credentials.ts';

/** What the printed address calls it. */
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

/** Of digests, so that neither length nor time tells anything. */
function isSame(given: string, wanted: string): boolean {
  return timingSafeEqual(hash('sha256', given, 'buffer'), hash('sha256', wanted, 'buffer'));
}
