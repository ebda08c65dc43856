/** All calls of both APIs. */
import { Hono } from 'hono';
import { type AppCredentials, appCalls, type BillingCustomer, requireApp } from '../app-api/app-calls.ts';
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

/** `strict` keeps only the Core API's writes and fields that the specification names. */
export function routesOf(strict: boolean, customers: readonly BillingCustomer[] = []): readonly Route[] {
  const bodies = strict ? stated : deployed;
  const core = [...ticketCalls(bodies), ...threadCalls(bodies), ...PEOPLE_CALLS, ANNOUNCE_ATTACHMENT];
  return [
    ...core.filter(({ isStated, method }) => !strict || isStated === true || method === 'GET'),
    ...appCalls(customers),
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
      const place = prefix + path;
      for (const call of calls)
        api.on(call.method, place, (c) => {
          if (isApp) requireApp(c, credentials);
          else requireScope(service, c, scopeOf(call));
          return handled(call, service, c);
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

/** The kind of a request, from its method and path. */
export function kindsOf(routes: readonly Route[]): (method: string, path: string) => RequestKind {
  const known = routes.map(({ method, path, kind }) => ({
    method,
    kind,
    pattern: new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}/?$`),
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
