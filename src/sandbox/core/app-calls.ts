/** The calls of the app API (specification, 4.4; public facts): usage events, customer, usage. */
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { z } from 'zod';
import { AppError } from '../../domain/errors.ts';
import { readSmallFile } from '../../domain/files.ts';
import { BOUNDS } from '../../domain/limits.ts';
import type { UsageEvent } from '../store/store.ts';
import { invalid, notFound, unprocessable } from './request.ts';
import { type Route, route, someText } from './router.ts';

export const BILLING_FILE = 'billing.json';

const billing = z.object({ customers: z.array(z.looseObject({ id: z.string().min(1) })) });
export type BillingCustomer = z.output<typeof billing>['customers'][number];

/** Throws AppError `usage`. */
export function readCustomers(path: string): readonly BillingCustomer[] {
  if (!existsSync(path)) return [];
  try {
    return billing.parse(JSON.parse(readSmallFile(path, BOUNDS.billing.most))).customers;
  } catch (error) {
    throw new AppError('usage', `The billing file ${path} cannot be used.`, {
      hint: 'Write one JSON object with a list of customers, each with an id: see docs/billing-data.md.',
      cause: error,
    });
  }
}

const name = z.string().trim().min(1).max(255);
/** Programs write IDs as numbers too. */
const id = z.union([name, z.number().transform(String)]);
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
  eventName: name,
  customerId: id.nullish(),
  eventId: id.nullish(),
  timestamp: timestamp.nullish(),
  properties: z.record(z.string(), z.unknown()).nullish(),
});
const usageEvents = z.object({ events: z.array(usageEvent).min(1) });

const sentEvents = z.unknown().transform((body, context) => {
  const isList = typeof body === 'object' && body !== null && 'events' in body;
  const result = isList ? usageEvents.safeParse(body) : usageEvent.safeParse(body);
  for (const { path, message } of result.error?.issues ?? [])
    context.addIssue({ code: 'custom', path, message });
  if (!result.success) return z.NEVER;
  const events = isList ? (result.data as z.output<typeof usageEvents>).events : [result.data as Event];
  return { isList, events };
});
type Event = z.output<typeof usageEvent>;

export function appCalls(customers: readonly BillingCustomer[]): readonly Route[] {
  return [
    route({
      app: true,
      method: 'POST',
      path: '/usage_events',
      kind: 'usage-events',
      body: sentEvents,
      handle({ service: { store }, body, now }) {
        const events = body.events.map((event, index) =>
          keptEvent(event, body.isList ? `events[${index}].` : '', now),
        );
        store.write(() => {
          for (const event of events) store.usage.add(event);
        });
        return { success: true };
      },
    }),
    route({
      app: true,
      method: 'GET',
      path: '/customer',
      kind: 'billing',
      query: { id: someText },
      handle({ service: { store }, query, now }) {
        if (query.id === undefined)
          throw invalid('validation_failed', [{ path: 'id', message: 'name the customer.' }]);
        const usage = store.usage.metrics(query.id, now);
        const known = customers.find((customer) => customer.id === query.id);
        if (known === undefined && Object.keys(usage).length === 0) throw notFound('customer', query.id);
        const unknown = { id: query.id, name: null, billingStatus: 'none', subscription: null, features: {} };
        return { customer: { ...unknown, ...known, usage } };
      },
    }),
    route({
      app: true,
      method: 'GET',
      path: '/usage',
      kind: 'billing',
      query: { customerId: someText, id: someText },
      handle: ({ service: { store }, query, now }) => ({
        usage: store.usage.metrics(query.customerId ?? query.id, now),
      }),
    }),
  ];
}

/** Throws Refusal 422 without a customer. */
function keptEvent(event: Event, place: string, now: number): UsageEvent {
  const { customerId, eventId, eventName, properties } = event;
  if (customerId === null || customerId === undefined)
    throw unprocessable(`${place}customerId`, 'The event belongs to no customer.');
  return {
    event_id: eventId ?? randomUUID(),
    customer_id: customerId,
    event_name: eventName,
    at_ms: event.timestamp ?? now,
    properties: JSON.stringify(properties ?? {}),
  };
}
