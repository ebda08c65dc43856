/** Calls of both APIs as data, and the router that checks a request, lets its call handle it, and answers. */
import { type Context, Hono, type MiddlewareHandler } from 'hono';
import { z } from 'zod';
import { type AppCredentials, requireApp, requireScope } from '../auth/credentials.ts';
import type { RequestEffect } from '../store/request-log.ts';
import { readJson, valid } from './body.ts';
import {
  APP_PREFIX,
  CORE_PREFIXES,
  invalid,
  notAllowed,
  Refusal,
  type RequestKind,
  type SandboxEnv,
  type Service,
} from './request.ts';

export interface Request<Query = Record<string, unknown>, Body = unknown> {
  readonly service: Service;
  readonly query: Query;
  readonly body: Body;
  /** The part of the path at `:name`. */
  param(name: string): string;
  readonly c: Context<SandboxEnv>;
  /** Arrival, milliseconds since the epoch. */
  readonly now: number;
}

type Shape = Record<string, z.ZodType>;

interface RouteOf<Query extends Shape, Body extends z.ZodType> {
  readonly method: 'GET' | 'POST' | 'PUT';
  /** Below the prefix of its API: `/tickets/:ticketId`. */
  readonly path: string;
  readonly kind: RequestKind;
  /** Named by the specification (section 4); a strict service has no other writes. */
  readonly isStated?: boolean;
  /** The app API, with the app's key; otherwise the Core API, with a token. */
  readonly app?: boolean;
  /** Its effect in the log; default for a write: `stored`. */
  readonly effect?: RequestEffect;
  /** Parameters: each once, or a list if its schema is one (repeated, or with commas). Others are refused. */
  readonly query?: Query;
  readonly body?: Body;
  /** Default: 200. */
  readonly status?: 200 | 201;
  readonly handle: (
    request: Request<{ [K in keyof Query]: z.output<Query[K]> }, z.output<Body>>,
  ) => object | Promise<object>;
}

export interface Route extends Omit<RouteOf<Shape, z.ZodType>, 'query'> {
  readonly query: z.ZodObject;
}

export function route<Query extends Shape, Body extends z.ZodType>(of: RouteOf<Query, Body>): Route {
  return { ...of, query: z.strictObject(of.query ?? {}) } as unknown as Route;
}

/** Checks a request, lets the route handle it, and answers. The caller is authorized. */
async function handled(of: Route, service: Service, c: Context<SandboxEnv>): Promise<Response> {
  const query = parameters(of.query, c.req.queries());
  const body = of.body === undefined ? undefined : valid(of.body, await readJson(c, service.maxBodyBytes));
  const param = (name: string) => c.req.param(name as never) ?? '';
  const answer = await of.handle({ service, query, body, param, c, now: service.clock.now() });
  const effect = of.effect ?? (of.method === 'GET' ? 'read' : 'stored');
  c.set('effect', { effect, ...c.get('effect') });
  return c.json(answer, of.status ?? 200);
}

/** Throws Refusal 400 that names every wrong, unknown or repeated parameter. */
function parameters(
  query: z.ZodObject,
  sent: Readonly<Record<string, readonly string[]>>,
): Record<string, unknown> {
  const read: Record<string, unknown> = {};
  for (const [name, all] of Object.entries(sent)) {
    const values = all.filter((value) => value !== '');
    if (values.length === 0 && Object.hasOwn(query.shape, name)) continue;
    if (isList(query.shape[name] as z.ZodType | undefined))
      read[name] = values.flatMap((value) => value.split(',')).filter((value) => value !== '');
    else if (values.length > 1)
      throw invalid('invalid_parameter', [{ path: name, message: 'Give it once.' }]);
    else read[name] = values[0] ?? '';
  }
  return valid(query, read, 'invalid_parameter');
}

function isList(schema: z.ZodType | undefined): boolean {
  return schema instanceof z.ZodOptional
    ? isList(schema.unwrap() as z.ZodType)
    : schema instanceof z.ZodArray;
}

export const MOST_TAKE = 100;

export function take(byDefault: number): z.ZodType<number> {
  return z.coerce.number().int().min(1).max(MOST_TAKE).default(byDefault);
}

export const someTexts = z.array(z.string()).optional();

/** `recorded`: the middleware for requests of a kind. */
export function apiRouter(
  routes: readonly Route[],
  service: Service,
  app: AppCredentials,
  recorded: (kind: RequestKind) => MiddlewareHandler<SandboxEnv>,
): Hono<SandboxEnv> {
  const api = new Hono<SandboxEnv>();
  for (const [path, calls] of Map.groupBy(routes, (each) => each.path)) {
    const allow = calls.map(({ method }) => method);
    for (const prefix of calls.some((call) => call.app === true) ? [APP_PREFIX] : CORE_PREFIXES) {
      for (const call of calls)
        api.on(call.method, prefix + path, recorded(call.kind), (c) => {
          if (call.app === true) requireApp(c, app);
          else requireScope(service, c, call.method === 'GET' ? 'read:tickets' : 'write:tickets');
          return handled(call, service, c);
        });
      api.all(prefix + path, recorded('other'), (c) => {
        throw notAllowed(c.req.method, allow);
      });
    }
  }
  for (const prefix of CORE_PREFIXES)
    api.all(`${prefix}/*`, recorded('other'), (c) => {
      throw new Refusal(404, 'not_found', `The API has no path ${c.req.path.slice(0, 200)}.`);
    });
  return api;
}
