/** Usage events and customers for tests in a browser. */

import { join } from 'node:path';
import { readBillingSeed } from '../../src/sandbox/app-api/catalog.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { START } from '../sandbox/manual-clock.ts';
import { fixtures } from './cli.ts';

/** What is sold to whom: `billing` of a sandbox. */
export const BILLING = readBillingSeed(join(fixtures, 'usage-events/billing.json'));

export interface SentEvent {
  readonly eventId: string;
  readonly eventName: string;
  readonly customerId: string;
  readonly timestamp: string;
  readonly properties?: Readonly<Record<string, unknown>>;
}

const NAMES = ['order_created', 'api_call', 'report_viewed'] as const;

/** Newest first, one every 90 minutes; two pages and a bit of them. The first one is as awkward as an event may be. */
export const EVENTS: readonly SentEvent[] = Array.from({ length: 230 }, (_, n): SentEvent => {
  const eventName = NAMES[n % 3] ?? 'order_created';
  const event = {
    eventId: `evt-${String(n).padStart(4, '0')}`,
    eventName,
    customerId: n % 5 === 4 ? 'cus_9 <i>' : `cus_${1 + (n % 4)}`,
    timestamp: new Date(START - n * 90 * 60_000).toISOString(),
  };
  if (n === 0)
    return {
      ...event,
      properties: {
        note: 'a "quoted", cut\nline, 絵文字 🎉',
        total: 49.9,
        list: [1, { a: 'b' }],
        none: null,
        more: '<b>',
      },
    };
  return eventName === 'report_viewed' ? event : { ...event, properties: { total: n, currency: 'EUR' } };
});

/** Sends them as an app would. */
export async function sendUsage(
  { url, app }: Pick<Sandbox, 'url' | 'app'>,
  events: readonly SentEvent[] = EVENTS,
): Promise<void> {
  const response = await fetch(`${url}/v1/usage_events`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-mantle-app-id': app.id,
      'x-mantle-app-api-key': app.key,
    },
    body: JSON.stringify({ events }),
  });
  if (!response.ok) throw new Error(`not kept: ${response.status} ${await response.text()}`);
}
