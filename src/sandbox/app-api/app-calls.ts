/** The calls of the app API (specification, 4.4; public facts), as the published client makes them: usage events, customer, usage. */
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { invalid, notFound, Refusal, unprocessable } from '../core/refusal.ts';
import { type Request, type Route, route, someText } from '../core/route.ts';
import type { SandboxStore } from '../store/store.ts';
import { features, type SeededCustomer, type SeededMetric } from './catalog.ts';
import {
  type AnsweredCustomer,
  customerAnswer,
  periodStartOf,
  REPORT_PERIODS,
  usageAnswer,
  usageReport,
} from './customer-answer.ts';
import type { UsageEventRow, UsageEventToKeep } from './usage-events.ts';

const LONGEST_NAME = 255;
const MOST_EVENTS_LISTED = 1_000;

const name = z.string().trim().min(1).max(LONGEST_NAME);
/** Programs write ids as numbers too. */
const id = z.union([name, z.number().transform(String)]);
const anyObject = z.record(z.string(), z.unknown());

const usageEvent = z
  .looseObject({
    eventName: name,
    customerId: id.nullish(),
    eventId: id.nullish(),
    timestamp: z
      .union([
        z.number().refine((ms) => Math.abs(ms) <= 8.64e15, 'must be milliseconds since 1970.'),
        z.iso.datetime({
          offset: true,
          error: 'must be milliseconds since 1970, or an ISO-8601 time with its zone.',
        }),
      ])
      .transform((value) => (typeof value === 'number' ? Math.floor(value) : Date.parse(value)))
      .nullish(),
    properties: anyObject.nullish(),
  })
  .meta({ id: 'UsageEvent' });
const severalEvents = z.object({ events: z.array(usageEvent).min(1) });
/** One or several, each judged as what it is: its own complaints, and not those of both. */
const usageEvents = z.unknown().transform((body, context) => {
  const isList = typeof body === 'object' && body !== null && 'events' in body;
  const result = isList ? severalEvents.safeParse(body) : usageEvent.safeParse(body);
  for (const issue of result.error?.issues ?? [])
    context.addIssue({ code: 'custom', path: issue.path, message: issue.message });
  if (!result.success) return z.NEVER;
  return {
    isList,
    events: 'events' in result.data ? (result.data.events as Event[]) : [result.data as Event],
  };
});
type Event = z.output<typeof usageEvent>;

const text = z.string().trim().min(1).nullish();
const identity = z
  .looseObject({
    platform: text,
    platformId: z.union([text, z.number().transform(String)]),
    myshopifyDomain: text,
    name: text,
    email: text,
    rotateApiToken: z.boolean().nullish(),
    features: features.nullish(),
    customFields: anyObject.nullish(),
  })
  .meta({ id: 'Identity' });

export const appCalls: readonly Route[] = [
  route({
    app: true,
    method: 'POST',
    path: '/usage_events',
    kind: 'usage-events',
    summary: 'Send one usage event, or several; an eventId is counted once',
    body: usageEvents,
    documented: z.union([severalEvents, usageEvent]),
    answer: z.object({ success: z.boolean() }),
    handle({ service: { store }, body, customer, now }) {
      store.group.write(() => {
        for (const event of usageEventsOf(body, customer, (called) => store.catalog.idOf(called), now))
          store.usage.add(event, now);
      });
      return { success: true };
    },
  }),
  route({
    app: true,
    method: 'GET',
    path: '/usage_events',
    kind: 'billing',
    summary: 'Usage events, the newest first, in pages',
    query: {
      customerId: someText,
      eventName: someText,
      eventId: someText,
      take: z.coerce.number().int().min(1).max(MOST_EVENTS_LISTED).default(100),
      cursor: z
        .string()
        .regex(/^-?\d{1,16}\.\d{1,15}$/, 'this is not one of ours.')
        .optional(),
    },
    answer: z.object({
      events: z.array(anyObject),
      hasNextPage: z.boolean(),
      cursor: z.string().optional(),
      total: z.int(),
    }),
    handle(request) {
      const { usage } = request.service.store;
      const { take, cursor, eventName, eventId } = request.query;
      const filter = { customerId: customerAsked(request, request.query.customerId), eventName, eventId };
      const [atMs, seq] = (cursor ?? '').split('.').map(Number);
      const after = atMs === undefined || seq === undefined ? undefined : { atMs, seq };
      const rows = usage.list({ filter, take: take + 1, after });
      const last = rows.length > take ? rows[take - 1] : undefined;
      return {
        events: rows.slice(0, take).map(usageEventView),
        hasNextPage: last !== undefined,
        cursor: last && `${last.at_ms}.${last.seq}`,
        total: usage.count(filter),
      };
    },
  }),
  route({
    app: true,
    method: 'GET',
    path: '/usage_events/{metric}/report',
    kind: 'billing',
    summary: 'One metric by days, weeks or months',
    query: { customerId: someText, period: z.enum(REPORT_PERIODS).default('daily') },
    answer: z.object({ report: anyObject }),
    handle(request) {
      const { store } = request.service;
      const asked = request.param('metric');
      const customer = customerAsked(request, request.query.customerId);
      const key = asked.replace(/^metric_/, '');
      const declared = store.catalog.metrics().find((metric) => metric.key === key);
      if (declared === undefined && !store.usage.eventNames().includes(key))
        throw notFound('usage metric', asked);
      const metric: Pick<SeededMetric, 'eventName' | 'aggregate' | 'property'> = declared ?? {
        eventName: key,
        aggregate: 'count',
      };
      return { report: usageReport(store, metric, customer, request.query.period, request.now) };
    },
  }),
  route({
    app: true,
    method: 'GET',
    path: '/customer',
    kind: 'billing',
    summary: 'A customer with its subscription, plan, features and usage',
    query: { id: someText },
    answer: z.object({ customer: anyObject }),
    handle(request) {
      const called = request.customer ?? request.query.id;
      if (called === undefined)
        throw invalid('validation_failed', [{ path: 'id', message: 'name the customer.' }]);
      return { customer: existing(request, called) };
    },
  }),
  route({
    app: true,
    method: 'GET',
    path: '/usage',
    kind: 'billing',
    summary: 'Usage metrics of a customer, or of all',
    query: { customerId: someText, id: someText },
    answer: z.object({ usage: anyObject }),
    handle(request) {
      const { store } = request.service;
      const customer = customerAsked(request, request.query.customerId ?? request.query.id);
      if (customer !== undefined) existing(request, customer);
      const periodStart = customer === undefined ? undefined : periodStartOf(store.catalog.find(customer));
      return { usage: usageAnswer(store, customer, request.now, periodStart) };
    },
  }),
  route({
    app: true,
    method: 'POST',
    path: '/identify',
    kind: 'billing',
    summary: 'Find or create a customer and get its token',
    body: identity,
    answer: z.object({ apiToken: z.string().optional() }),
    handle({ service: { store }, body, customer }) {
      if (customer !== undefined)
        throw new Refusal(403, 'forbidden', 'Customers are identified with the key of the app.');
      return { apiToken: store.group.write(() => identified(store, body)).apiToken };
    },
  }),
];

function existing({ service, now }: Pick<Request, 'service' | 'now'>, called: string): AnsweredCustomer {
  const customer = customerAnswer(service.store, called, now);
  if (customer === undefined) throw notFound('customer', called);
  return customer;
}

/** The customer that a read is about: the caller itself, or the one that the app names; undefined for all. */
function customerAsked(
  { service, customer }: Pick<Request, 'service' | 'customer'>,
  called: string | undefined,
): string | undefined {
  return customer ?? (called === undefined ? undefined : service.store.catalog.idOf(called));
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

/** To be called inside a write. Throws Refusal 400 where nothing says who it is. */
function identified(store: SandboxStore, body: z.output<typeof identity>): SeededCustomer {
  const { platform, platformId, myshopifyDomain, name, email, customFields, rotateApiToken } = body;
  const called = platformId ?? myshopifyDomain;
  if (called === null || called === undefined)
    throw invalid('validation_failed', [
      { path: 'platformId', message: 'this or myshopifyDomain is needed.' },
    ]);
  const known =
    store.catalog.find(called) ?? (myshopifyDomain ? store.catalog.find(myshopifyDomain) : undefined);
  const reported = { platform, platformId, myshopifyDomain, name, email, customFields };
  const customer = {
    ...(known ?? { id: called, billing: 'platform', features: {} }),
    ...Object.fromEntries(
      Object.entries(reported).filter(([, value]) => value !== null && value !== undefined),
    ),
  } as SeededCustomer;
  customer.features = { ...customer.features, ...body.features };
  return store.catalog.withToken(customer, rotateApiToken === true);
}

/**
 * What is to be kept of a body. Throws Refusal 422 without a customer: then nothing of the body is kept.
 * @param customerOf the id of a customer by whatever it is called
 */
function usageEventsOf(
  { isList, events }: z.output<typeof usageEvents>,
  caller: string | undefined,
  customerOf: (called: string) => string,
  now: number,
): UsageEventToKeep[] {
  return events.map((event, index) => {
    const place = isList ? `events[${index}].` : '';
    const named = event.customerId ?? caller;
    if (named === undefined) throw unprocessable(`${place}customerId`, 'The event belongs to no customer.');
    const customerId = customerOf(named);
    if (caller !== undefined && customerId !== caller)
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
