/** The body of `POST /usage_events`: one event, or several as `{events}` (public facts). */
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { unprocessable } from '../core/refusal.ts';
import { validBody } from '../core/valid-body.ts';
import type { AppCaller } from './app-auth.ts';
import type { UsageEventToKeep } from './usage-events.ts';

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
export function usageEventsOf(
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
