/** The app API (specification, 4.4; public facts): usage events, customer, usage. Its tables are beside those of the sandbox. */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Context, Hono } from 'hono';
import { z } from 'zod';
import {
  invalid,
  notAllowed,
  notFound,
  Refusal,
  readJson,
  type SandboxEnv,
  type Service,
  unprocessable,
  valid,
} from '../../../src/sandbox/core/request.ts';
import { isSame } from '../../../src/sandbox/credentials.ts';

const billing = z.object({ customers: z.array(z.looseObject({ id: z.string().min(1) })) });
export type BillingCustomer = z.output<typeof billing>['customers'][number];

export function readCustomers(path: string): readonly BillingCustomer[] {
  return billing.parse(JSON.parse(readFileSync(path, 'utf8'))).customers;
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

export interface AppKeys {
  readonly id: string;
  readonly key: string;
}

export function serveApp(
  app: Hono<SandboxEnv>,
  service: Service,
  { id, key }: AppKeys,
  customers: readonly BillingCustomer[],
): void {
  const usage = new Usage(service);
  const allowed = (c: Context<SandboxEnv>) => {
    const isKey = isSame(c.req.header('x-mantle-app-api-key') ?? '', key);
    if (c.req.header('x-mantle-app-id') !== id || !isKey)
      throw new Refusal(401, 'unauthorized', 'Send the id and the key of the app.');
  };
  const calls = {
    'POST /v1/usage_events': async (c: Context<SandboxEnv>) => {
      const body = valid(sentEvents, await readJson(c, service.maxBodyBytes));
      usage.add(
        body.events.map((event, index) =>
          keptEvent(event, body.isList ? `events[${index}].` : '', service.clock.now()),
        ),
      );
      return { success: true };
    },
    'GET /v1/customer': (c: Context<SandboxEnv>) => {
      const asked = c.req.query('id');
      if (asked === undefined)
        throw invalid('validation_failed', [{ path: 'id', message: 'name the customer.' }]);
      const metrics = usage.metrics(asked);
      const known = customers.find((customer) => customer.id === asked);
      if (known === undefined && Object.keys(metrics).length === 0) throw notFound('customer', asked);
      const unknown = { id: asked, name: null, billingStatus: 'none', subscription: null, features: {} };
      return { customer: { ...unknown, ...known, usage: metrics } };
    },
    'GET /v1/usage': (c: Context<SandboxEnv>) => ({
      usage: usage.metrics(c.req.query('customerId') ?? c.req.query('id')),
    }),
  };
  for (const [call, answer] of Object.entries(calls)) {
    const [method = '', path = ''] = call.split(' ');
    app.on(method, path, async (c) => {
      allowed(c);
      return c.json(await answer(c));
    });
    app.all(path, (c) => {
      throw notAllowed(c.req.method, [method]);
    });
  }
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

interface UsageEvent {
  readonly event_id: string;
  readonly customer_id: string;
  readonly event_name: string;
  readonly at_ms: number;
  readonly properties: string;
}

const TABLE = `CREATE TABLE IF NOT EXISTS usage_events (seq INTEGER PRIMARY KEY AUTOINCREMENT,
  event_id TEXT NOT NULL UNIQUE, customer_id TEXT NOT NULL, event_name TEXT NOT NULL, at_ms INTEGER NOT NULL,
  properties TEXT NOT NULL)`;

class Usage {
  readonly #service: Service;

  constructor(service: Service) {
    this.#service = service;
    service.store.database.exec(TABLE);
  }

  /** The first event with an ID is kept. */
  add(events: readonly UsageEvent[]): void {
    const { store } = this.#service;
    store.write(() => {
      for (const event of events) store.sql.insert('usage_events', event, 'OR IGNORE');
    });
  }

  /** Of all time; future events do not count. */
  metrics(customerId: string | undefined): Record<string, Record<string, unknown>> {
    const rows = this.#service.store.sql.all<{ eventName: string }>(
      `SELECT event_name AS eventName, count(*) AS currentValue, count(*) AS allTimeValue FROM usage_events
       WHERE (@id IS NULL OR customer_id = @id) AND at_ms <= @now GROUP BY 1 ORDER BY 1`,
      { id: customerId ?? null, now: this.#service.clock.now() },
    );
    return Object.fromEntries(
      rows.map((row) => [row.eventName, { id: `metric_${row.eventName}`, name: row.eventName, ...row }]),
    );
  }
}
