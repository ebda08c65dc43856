/**
 * A call of an API as data: its method and path, what it takes and what it answers. From this come the router, the checking of
 * requests, the errors, the kinds that faults are aimed at, and the OpenAPI document.
 */
import type { Context } from 'hono';
import { z } from 'zod';
import type { Scope } from '../auth/credentials.ts';
import type { Traits } from '../faults/faults.ts';
import type { RequestEffect } from '../store/request-log.ts';
import { readJson, valid } from './body.ts';
import { invalid } from './refusal.ts';
import type { RequestKind } from './request-kind.ts';
import type { SandboxEnv, Service } from './sandbox-env.ts';

export interface Request<Query = Record<string, unknown>, Body = unknown> {
  readonly service: Service;
  readonly query: Query;
  readonly body: Body;
  /** What stands in the place of `{name}` in the path. */
  param(name: string): string;
  readonly c: Context<SandboxEnv>;
  /** How the service is, for this request. */
  readonly traits: Traits;
  /** Arrival at the handler, milliseconds since the epoch. */
  readonly now: number;
  /** The app API: whose token it is; undefined for the app itself. */
  readonly customer: string | undefined;
}

type Shape = Record<string, z.ZodType>;

interface RouteOf<Query extends Shape, Body extends z.ZodType> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Below the prefix of its API, as OpenAPI writes it: `/tickets/{ticketId}`. */
  readonly path: string;
  readonly kind: RequestKind;
  readonly summary: string;
  /** Whether the specification names it (section 4): all that `--strict` leaves of the writes. */
  readonly isStated?: boolean;
  /** The app API, called with the key of the app; else the Core API, called with a token. */
  readonly app?: boolean;
  /** What the log says it did; `stored` for a write where not given. */
  readonly effect?: RequestEffect;
  /** Parameters: each once, or a list where its schema is one (repeated, or with commas). Anything else is refused. */
  readonly query?: Query;
  readonly body?: Body;
  /** What the document says of the body, where its checking does not say it. */
  readonly documented?: z.ZodType;
  /** 200 where not given. */
  readonly status?: 200 | 201;
  readonly answer: z.ZodObject;
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

export function scopeOf({ method }: Route): Scope {
  return method === 'GET' ? 'read:tickets' : 'write:tickets';
}

/** Checks a request, lets the route handle it, and answers. Who may call was settled before. */
export async function handled(
  of: Route,
  service: Service,
  c: Context<SandboxEnv>,
  customer: string | undefined,
): Promise<Response> {
  const query = parameters(of.query, c.req.queries());
  const body = of.body === undefined ? undefined : valid(of.body, await readJson(c, service.maxBodyBytes));
  const traits = c.get('traits') ?? new Map();
  const param = (name: string) => c.req.param(name as never) ?? '';
  const answer = await of.handle({
    service,
    query,
    body,
    param,
    c,
    traits,
    now: service.clock.now(),
    customer,
  });
  const effect = of.effect ?? (of.method === 'GET' ? 'read' : 'stored');
  c.set('effect', { effect, ...c.get('effect') });
  return c.json(answer, of.status ?? 200);
}

/** Throws Refusal 400 that names every parameter that is wrong, unknown, or there twice. */
function parameters(
  query: z.ZodObject,
  sent: Readonly<Record<string, readonly string[]>>,
): Record<string, unknown> {
  const read: Record<string, unknown> = {};
  for (const [name, all] of Object.entries(sent)) {
    // An empty parameter stands for none.
    const values = all.filter((value) => value !== '');
    if (values.length === 0 && Object.hasOwn(query.shape, name)) continue;
    if (isList(query.shape[name] as z.ZodType | undefined))
      read[name] = values.flatMap((value) => value.split(',')).filter((value) => value !== '');
    else if (values.length > 1)
      throw invalid('invalid_parameter', [{ path: name, message: 'It is there more than once.' }]);
    else read[name] = values[0] ?? '';
  }
  return valid(query, read, 'invalid_parameter');
}

function isList(schema: z.ZodType | undefined): boolean {
  return schema instanceof z.ZodOptional
    ? isList(schema.unwrap() as z.ZodType)
    : schema instanceof z.ZodArray;
}

/** Parameters that several lists share. */
export const MOST_TAKE = 100;

export function take(byDefault: number): z.ZodType<number> {
  return z.coerce.number().int().min(1).max(MOST_TAKE).default(byDefault);
}

export function anyOf<Value extends z.ZodType>(of: Value) {
  return z.array(of).optional();
}

export const someText = z.string().optional();
