/** All calls of both APIs: as a table, as a router, and by the kinds of their requests. */
import { Hono } from 'hono';
import { appCalls } from '../app-api/app-calls.ts';
import { type AppCredentials, callerOf } from '../app-api/app-credentials.ts';
import { requireScope } from '../auth/credentials.ts';
import { ANNOUNCE_ATTACHMENT } from './attachment-calls.ts';
import { deployed, stated } from './bodies.ts';
import { PEOPLE_CALLS } from './people-calls.ts';
import { notAllowed, Refusal } from './refusal.ts';
import {
  APP_PREFIX,
  CORE_PREFIXES,
  DOWNLOAD_PREFIX,
  type RequestKind,
  TOKEN_PATH,
  UPLOAD_PREFIX,
} from './request-kind.ts';
import { handled, type Route, scopeOf } from './route.ts';
import type { SandboxEnv, Service } from './sandbox-env.ts';
import { threadCalls } from './thread-calls.ts';
import { ticketCalls } from './ticket-calls.ts';

/** `strict` leaves of the Core API's writes those that the specification names, and of their bodies its fields. */
export function routesOf(strict: boolean): readonly Route[] {
  const bodies = strict ? stated : deployed;
  const core = [...ticketCalls(bodies), ...threadCalls(bodies), ...PEOPLE_CALLS, ANNOUNCE_ATTACHMENT];
  return [
    ...core.filter(({ isStated, method }) => !strict || isStated === true || method === 'GET'),
    ...appCalls,
  ];
}

export function apiRouter(
  routes: readonly Route[],
  service: Service,
  credentials: AppCredentials,
): Hono<SandboxEnv> {
  const api = new Hono<SandboxEnv>();
  const paths = Map.groupBy(routes, ({ path }) => path);
  for (const [path, calls] of paths) {
    const allow = calls.map(({ method }) => method);
    const isApp = calls.some(({ app }) => app === true);
    for (const prefix of isApp ? [APP_PREFIX] : CORE_PREFIXES) {
      const place = prefix + path.replaceAll(/\{(\w+)\}/g, ':$1');
      for (const call of calls)
        api.on(call.method, place, (c) => {
          if (isApp) return handled(call, service, c, callerOf(c, service.store, credentials));
          requireScope(service, c, scopeOf(call));
          if (call.method === 'GET' && service.unreadable !== undefined)
            throw unreadable(service.unreadable, allow);
          return handled(call, service, c, undefined);
        });
      api.all(place, (c) => {
        throw notAllowed(c.req.method, allow);
      });
    }
  }
  for (const prefix of CORE_PREFIXES)
    api.all(`${prefix}/*`, (c) => {
      throw new Refusal(404, 'not_found', `The API has no path ${c.req.path.slice(0, 200)}.`);
    });
  return api;
}

/** A service that promises no reads: the answers that clients must get by with. */
function unreadable(status: 403 | 404 | 405, allow: readonly string[]): Refusal {
  if (status === 405)
    return notAllowed(
      'GET',
      allow.filter((method) => method !== 'GET'),
    );
  if (status === 403) return new Refusal(403, 'forbidden', 'Reading is not enabled for this account.');
  return new Refusal(404, 'not_found', 'The Core API has no such path.');
}

/** What a request is about, from its method and path alone. */
export function kindsOf(routes: readonly Route[]): (method: string, path: string) => RequestKind {
  const known = routes.map(({ method, path, kind }) => ({
    method,
    kind,
    pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}/?$`),
  }));
  return (method, path) => {
    const prefix = CORE_PREFIXES.find((each) => path === each || path.startsWith(`${each}/`));
    if (prefix !== undefined) {
      const asked = method === 'HEAD' ? 'GET' : method;
      const below = path.slice(prefix.length);
      return known.find((each) => each.method === asked && each.pattern.test(below))?.kind ?? 'other';
    }
    if (path === TOKEN_PATH) return 'token';
    if (path.startsWith(`${UPLOAD_PREFIX}/`)) return 'upload';
    return path.startsWith(`${DOWNLOAD_PREFIX}/`) ? 'download' : 'page';
  };
}
