/**
 * The app API's paths (specification, 4.4; public facts), as the published client calls them: usage events, customer, usage.
 * They stand below `/v1`, beside the Core API's second prefix.
 */

import { randomUUID, timingSafeEqual } from 'node:crypto';
import { type Context, Hono } from 'hono';
import { z } from 'zod';
import { madeSecret } from '../auth/credentials.ts';
import { readJson, validBody } from '../core/body.ts';
import { notFound, Refusal, unprocessable } from '../core/refusal.ts';
import type { SandboxEnv, Service } from '../core/sandbox-env.ts';
import type { SandboxStore } from '../store/store.ts';
import type { SeededCustomer } from './catalog.ts';
import {
  type AnsweredCustomer,
  customerAnswer,
  periodStartOf,
  REPORT_PERIODS,
  usageAnswer,
  usageReport,
} from './customer-answer.ts';
import type { UsageEventPlace, UsageEventRow, UsageEventToKeep } from './usage-events.ts';

export const APP_PREFIX = '/v1';
const MOST_EVENTS_LISTED = 1_000;

type AppContext = Context<SandboxEnv>;

export function appApi(service: Service, credentials: AppCredentials): Hono<SandboxEnv> {
  const { store, clock } = service;
  const api = new Hono<SandboxEnv>();
  const route = (
    method: 'GET' | 'POST',
    path: string,
    handle: (c: AppContext, caller: AppCaller) => Response | Promise<Response>,
  ) =>
    api.on(method, path, (c) => {
      const caller = callerOf(c, store, credentials);
      if (method === 'GET') c.set('effect', { effect: 'read' });
      return handle(c, caller);
    });

  route('POST', '/usage_events', async (c, caller) => {
    const body = await readJson(c, service.maxBodyBytes);
    const now = clock.now();
    store.group.write(() => {
      for (const event of usageEventsOf(body, caller, (name) => store.catalog.idOf(name), now))
        store.usage.add(event, now);
    });
    c.set('effect', { effect: 'stored' });
    return c.json({ success: true });
  });

  route('GET', '/usage_events', (c, caller) => {
    const customer = customerAsked(service, c, caller, 'customerId');
    const take = takeOf(c.req.query('take'));
    const filter = {
      customerId: customer,
      eventName: c.req.query('eventName'),
      eventId: c.req.query('eventId'),
    };
    const rows = store.usage.list({ filter, take: take + 1, after: placeOf(c.req.query('cursor')) });
    const page = rows.slice(0, take);
    const last = rows.length > take ? page.at(-1) : undefined;
    return c.json({
      events: page.map(usageEventView),
      hasNextPage: last !== undefined,
      cursor: last && `${last.at_ms}.${last.seq}`,
      total: store.usage.count(filter),
    });
  });

  route('GET', '/usage_events/:metric/report', (c, caller) => {
    const asked = c.req.param('metric') ?? '';
    const customer = customerAsked(service, c, caller, 'customerId');
    const key = asked.replace(/^metric_/, '');
    const declared = store.catalog.metrics().find((metric) => metric.key === key);
    const metric = declared ?? { eventName: key, aggregate: 'count' as const };
    if (declared === undefined && !store.usage.eventNames().includes(key))
      throw notFound('usage metric', asked);
    const period = REPORT_PERIODS.find((word) => word === (c.req.query('period') ?? 'daily'));
    if (period === undefined)
      throw new Refusal(400, 'validation_failed', 'period: daily, weekly or monthly.');
    return c.json({ report: usageReport(store, metric, customer, period, clock.now()) });
  });

  route('GET', '/customer', (c, caller) => {
    const name = caller.kind === 'customer' ? caller.id : c.req.query('id');
    if (name === undefined || name === '')
      throw new Refusal(400, 'validation_failed', 'id: name the customer.');
    return c.json({ customer: existing(service, name) });
  });

  route('GET', '/usage', (c, caller) => {
    const id = customerAsked(service, c, caller, 'customerId') ?? customerAsked(service, c, caller, 'id');
    if (id !== undefined) existing(service, id);
    const periodStart = id === undefined ? undefined : periodStartOf(store.catalog.find(id));
    return c.json({ usage: usageAnswer(store, id, clock.now(), periodStart) });
  });

  route('POST', '/identify', async (c, caller) => {
    if (caller.kind !== 'app')
      throw new Refusal(403, 'forbidden', 'Customers are identified with the key of the app.');
    const body = validBody(identifyBody, await readJson(c, service.maxBodyBytes));
    const customer = store.group.write(() => identifyCustomer(store, body));
    c.set('effect', { effect: 'stored' });
    return c.json({ apiToken: customer.apiToken });
  });

  for (const [path, allow] of [
    ['/usage_events', 'GET, POST'],
    ['/customer', 'GET'],
    ['/usage', 'GET'],
    ['/identify', 'POST'],
  ] as const)
    api.all(path, (c) => {
      throw new Refusal(405, 'method_not_allowed', `${c.req.method} is not allowed here; ${allow} is.`, {
        headers: { allow },
      });
    });
  return api;
}

function existing({ store, clock }: Service, name: string): AnsweredCustomer {
  const customer = customerAnswer(store, name, clock.now());
  if (customer === undefined) throw notFound('customer', name);
  return customer;
}

/** The customer that a read is about: the caller itself, or the one that the app names; undefined for all. */
function customerAsked(
  { store }: Service,
  c: AppContext,
  caller: AppCaller,
  parameter: string,
): string | undefined {
  if (caller.kind === 'customer') return caller.id;
  const name = c.req.query(parameter);
  return name === undefined || name === '' ? undefined : store.catalog.idOf(name);
}

function usageEventView(row: UsageEventRow): Record<string, unknown> {
  return {
    eventId: row.event_id,
    eventName: row.event_name,
    customerId: row.customer_id,
    timestamp: new Date(row.at_ms).toISOString(),
    properties: row.properties === null ? {} : (JSON.parse(row.properties) as unknown),
  };
}

function takeOf(text: string | undefined): number {
  return text !== undefined && /^[1-9]\d{0,5}$/.test(text) ? Math.min(Number(text), MOST_EVENTS_LISTED) : 100;
}

function placeOf(cursor: string | undefined): UsageEventPlace | undefined {
  if (cursor === undefined || cursor === '') return undefined;
  const match = /^(-?\d{1,16})\.(\d{1,15})$/.exec(cursor);
  if (match === null) throw new Refusal(400, 'validation_failed', 'cursor: this is none of ours.');
  return { atMs: Number(match[1]), seq: Number(match[2]) };
}

/** Who calls the app API: the app with its id and key, or one customer with a token of its own (public facts). */
export interface AppCredentials {
  readonly id: string;
  readonly key: string;
}

type AppCaller = { readonly kind: 'app' } | { readonly kind: 'customer'; readonly id: string };

/** What is not given is made up once and kept with the data. */
export function establishAppCredentials(
  store: SandboxStore,
  given: { readonly id?: string; readonly key?: string },
): AppCredentials {
  const { settings } = store;
  return {
    id: given.id ?? settings.getOrMake('appId', () => 'sandbox_app'),
    key: given.key ?? settings.getOrMake('appKey', () => madeSecret('sandbox_app_key')),
  };
}

/** Throws Refusal 401. */
function callerOf(c: Context<SandboxEnv>, store: SandboxStore, { id, key }: AppCredentials): AppCaller {
  if (c.req.header('x-mantle-app-id') !== id)
    throw new Refusal(401, 'unauthorized', 'Send the id of the app in X-Mantle-App-Id.');
  const given = c.req.header('x-mantle-app-api-key');
  if (given !== undefined) {
    if (isSame(given, key)) return { kind: 'app' };
    throw new Refusal(401, 'unauthorized', 'This key in X-Mantle-App-Api-Key is not that of the app.');
  }
  const token = c.req.header('x-mantle-customer-api-token');
  const customer = token === undefined ? undefined : store.catalog.customerOf(token);
  if (customer !== undefined) return { kind: 'customer', id: customer };
  throw new Refusal(
    401,
    'unauthorized',
    'Send the key of the app in X-Mantle-App-Api-Key, or the token of a customer in X-Mantle-Customer-Api-Token.',
  );
}

function isSame(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** `POST /identify`: what the published client calls first. The customer is found or made, and gets a token of its own. */
const text = z.string().trim().min(1).nullish();

const identifyBody = z.looseObject({
  platform: text,
  platformId: z.union([text, z.number().transform(String)]),
  myshopifyDomain: text,
  name: text,
  email: text,
  rotateApiToken: z.boolean().nullish(),
});

/** To be called inside a write. Throws Refusal 400 where nothing says who it is. */
function identifyCustomer(
  store: SandboxStore,
  { platformId, myshopifyDomain, name, rotateApiToken }: z.output<typeof identifyBody>,
): SeededCustomer {
  const id = platformId ?? myshopifyDomain;
  if (id === null || id === undefined)
    throw new Refusal(400, 'validation_failed', 'platformId or myshopifyDomain: one of them is needed.');
  const known = store.catalog.find(id) ?? (myshopifyDomain ? store.catalog.find(myshopifyDomain) : undefined);
  const customer: SeededCustomer = {
    ...(known ?? { id, billing: 'platform', features: {} }),
    ...(name ? { name } : {}),
    ...(myshopifyDomain ? { myshopifyDomain } : {}),
  };
  return store.catalog.withToken(customer, rotateApiToken === true);
}

/** The body of `POST /usage_events`: one event, or several as `{events}` (public facts). */
const LONGEST_NAME = 255;

/** Programs write ids as numbers too. */
const id = z.union([z.string().trim().min(1).max(LONGEST_NAME), z.number().transform(String)]);

const timestamp = z
  .union([
    z.number().refine((ms) => Math.abs(ms) <= 8.64e15, 'must be milliseconds since 1970.'),
    z.iso.datetime({
      offset: true,
      error: 'must be milliseconds since 1970, or an ISO-8601 time with its zone.',
    }),
  ])
  .transform((value) => (typeof value === 'number' ? Math.floor(value) : Date.parse(value)));

const usageEvent = z.looseObject({
  eventName: z.string().trim().min(1).max(LONGEST_NAME),
  customerId: id.nullish(),
  eventId: id.nullish(),
  timestamp: timestamp.nullish(),
  properties: z.record(z.string(), z.unknown()).nullish(),
});

const several = z.object({ events: z.array(usageEvent).min(1) });

/**
 * What is to be kept of a body. Throws Refusal 400 that names every field that is wrong, and 422 without a customer: then
 * nothing of the body is kept.
 * @param customerOf the id of a customer by whatever it is called
 */
function usageEventsOf(
  body: unknown,
  caller: AppCaller,
  customerOf: (name: string) => string,
  now: number,
): UsageEventToKeep[] {
  const isList = typeof body === 'object' && body !== null && 'events' in body;
  const events = isList ? validBody(several, body).events : [validBody(usageEvent, body)];
  return events.map((event, index) => {
    const place = isList ? `events[${index}].` : '';
    const named = event.customerId ?? (caller.kind === 'customer' ? caller.id : undefined);
    if (named === undefined) throw unprocessable(`${place}customerId`, 'The event belongs to no customer.');
    const customerId = customerOf(named);
    if (caller.kind === 'customer' && customerId !== caller.id)
      throw unprocessable(`${place}customerId`, 'The token is that of another customer.');
    return {
      eventId: event.eventId ?? randomUUID(),
      customerId,
      eventName: event.eventName,
      atMs: event.timestamp ?? now,
      properties: event.properties ?? undefined,
    };
  });
}
