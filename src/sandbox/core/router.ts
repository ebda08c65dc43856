import { type Context, Hono } from 'hono';
import { z } from 'zod';
import type { SandboxEnv, Service } from './request.ts';
import * as requests from './request.ts';

export interface Request<Query = Record<string, unknown>, Body = unknown> {
  readonly service: Service;
  readonly query: Query;
  readonly body: Body;
  param(name: string): string;
  readonly c: Context<SandboxEnv>;
  readonly now: number;
}

type Shape = Record<string, z.ZodType>;

interface RouteOf<Query extends Shape, Body extends z.ZodType> {
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly path: string;
  readonly query?: Query;
  readonly body?: Body;
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

async function handled(of: Route, service: Service, c: Context<SandboxEnv>): Promise<Response> {
  const query = requests.valid(of.query, c.req.queries(), 'invalid_parameter');
  const body =
    of.body === undefined
      ? undefined
      : requests.valid(of.body, await requests.readJson(c, service.maxBodyBytes));
  const param = (name: string) => c.req.param(name as never) ?? '';
  const answer = await of.handle({ service, query, body, param, c, now: service.clock.now() });
  return c.json(answer, of.status ?? 200);
}

const sent = z
  .array(z.string())
  .default([])
  .transform((values) => values.filter((value) => value !== ''));

export function one<S extends z.ZodType>(schema: S): z.ZodType<z.output<S>> {
  return sent
    .refine(({ length }) => length < 2, 'Give it once.')
    .transform(([value]): unknown => value)
    .pipe(schema as z.ZodType<z.output<S>>);
}

export const someTexts = sent.transform((values) => {
  const all = values.flatMap((value) => value.split(',')).filter((value) => value !== '');
  return all.length === 0 ? undefined : all;
});

export const MOST_TAKE = 100;

export function take(byDefault: number, most = MOST_TAKE): z.ZodType<number> {
  return one(z.coerce.number().int().min(1).max(most).default(byDefault));
}

export const someText = one(z.string().optional());

export function apiRouter(routes: readonly Route[], service: Service): Hono<SandboxEnv> {
  const api = new Hono<SandboxEnv>();
  for (const prefix of requests.CORE_PREFIXES) {
    for (const [path, calls] of Map.groupBy(routes, (each) => each.path)) {
      const allow = calls.map(({ method }) => method);
      for (const call of calls)
        api.on(call.method, prefix + path, (c) => {
          service.authorize(c);
          return handled(call, service, c);
        });
      api.all(prefix + path, (c) => {
        throw requests.notAllowed(c.req.method, allow);
      });
    }
    api.all(`${prefix}/*`, (c) => {
      throw new requests.Refusal(404, 'not_found', `The API has no path ${c.req.path.slice(0, 200)}.`);
    });
  }
  return api;
}
