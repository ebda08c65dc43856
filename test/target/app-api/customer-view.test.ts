/** Customers, usage and trials on screen, whatever shape the service gives them. */
import { describe, expect, it } from 'vitest';
import { checkUsageTrial, createUsagePicker, type UsagePick } from '../../../src/billing/usage-trial.ts';
import {
  customerLines,
  gateLines,
  usageEventLines,
  usageLines,
} from '../../../src/commands/billing/customer-view.ts';
import { ApiFailure } from '../../../src/domain/ticket-api.ts';
import { createStyle } from '../../../src/present/terminal/style.ts';
import { customerView } from '../../../src/target/app-api/customer.ts';

const style = createStyle({ stream: { columns: 100 }, env: { LANG: 'en_US.UTF-8' } });
const NOW = Date.parse('2026-03-01T12:00:00Z');

describe('a customer', () => {
  it('is shown with what it has; what has no place is named', () => {
    const lines = customerLines(
      customerView(
        {
          id: 'c1',
          name: 'Shop \u001b[31m',
          billingStatus: 'trialing',
          subscription: { plan: { name: 'Pro' }, trialExpiresAt: '2026-03-09' },
          features: [{ id: 'f', name: 'Seats', type: 'limit', value: -1 }],
          usage: [{ id: 'm', name: 'Orders', currentValue: 1234, last7DaysValue: '5' }],
          reviews: [],
        },
        NOW,
      ),
      style,
    );
    expect(lines.join('\n')).toBe(`  customer     Shop �[31m · c1
  status       trialing
  plan         Pro
  trial until  2026-03-09

Features
  feature    kind       value
  Seats (f)  limit  unlimited

Usage
  metric    now  7 d
  Orders  1,234    5

Further fields: reviews (see them with --json).`);
  });

  it('without anything still says its status', () => {
    expect(customerLines(customerView({ id: 'c1' }, NOW), style)).toEqual([
      '  customer  c1',
      '  status    none',
      '  plan      none',
    ]);
  });
});

describe('usage', () => {
  it.each([
    [{ usage: { orders: { name: 'Orders', currentValue: 3 } } }],
    [{ metrics: [{ id: 'orders', name: 'Orders', currentValue: 3 }] }],
    [[{ id: 'orders', name: 'Orders', currentValue: 3 }]],
    [{ orders: { name: 'Orders', currentValue: 3 } }],
  ])('%j is a table', (answer) => {
    expect(usageLines(answer, style)).toEqual(['  metric  now', '  Orders    3']);
  });

  it.each([[{ total: 3 }], ['text'], [null], [[]]])('%j is shown as it is', (answer) => {
    expect(usageLines(answer, style).join('\n')).toBe(JSON.stringify(answer, null, 2));
  });

  it('events with unknown fields are listed', () => {
    expect(
      usageEventLines(
        [{ id: 7, eventName: 'e', customerId: 'c', createdAt: 5, properties: { a: 1 } }],
        style,
      )[1],
    ).toMatch(/5\s+e\s+c\s+7\s+\{"a":1\}/);
  });
});

describe('a gate', () => {
  it('says its answer, and every rule where there are several', () => {
    const rule = { kind: 'status', statuses: ['active'] } as const;
    const one = { rule, allowed: true, reason: 'Yes.' };
    expect(gateLines({ allowed: true, reason: 'Yes.', checks: [one] }, style)).toEqual(['Allowed. Yes.']);
    const checks = [one, { rule, allowed: false, reason: 'No.' }];
    expect(gateLines({ allowed: false, reason: 'No.', checks }, style)).toEqual([
      'Not allowed.',
      '  ✓ Yes.',
      '  ✗ No.',
    ]);
  });
});

describe('a trial', () => {
  const offer = (
    id: string,
    more: { eventName?: string; at?: number; properties?: Record<string, unknown> } = {},
  ) => ({
    event: {
      eventId: id,
      eventName: more.eventName ?? 'e',
      customerId: 'c',
      ...(more.at === undefined ? {} : { timestamp: new Date(more.at).toISOString() }),
      ...(more.properties === undefined ? {} : { properties: more.properties }),
    },
    digest: Buffer.from(id),
    atMs: more.at,
    ref: { file: 0, row: 0, line: 1 },
  });

  it('takes an event of each name, the oldest, the newest and the fullest, and no more than it may', () => {
    const picker = createUsagePicker(6);
    for (let index = 0; index < 100; index++)
      picker.offer(offer(`e${index}`, { at: NOW - Math.abs(index - 40) * 1000 }));
    picker.offer(offer('old', { at: 5 }));
    picker.offer(offer('full', { at: NOW - 5, properties: { a: 1, b: 2 } }));
    picker.offer(offer('other', { eventName: 'other', at: NOW - 5 }));
    const picks = picker.picks();
    expect(picks.map(({ event }) => event.eventId)).toEqual(['e40', 'old', 'full', 'other', 'e0', 'e1']);
    expect(picks.every(({ why }) => why.length > 0)).toBe(true);
  });

  const picks: UsagePick[] = [
    { ...offer('a', { at: NOW }), why: ['x'] },
    { ...offer('b', { at: NOW }), why: ['x'] },
  ];
  const check = (api: Parameters<typeof checkUsageTrial>[2], state: 'done' | 'failed' = 'done') =>
    checkUsageTrial(picks, () => state, api, AbortSignal.timeout(1_000)).then((events) =>
      events.map(({ checks }) => checks.map(({ name, ok }) => `${name} ${ok}`)),
    );
  const readCustomer = () => Promise.resolve({ id: 'c' });

  it('looks for its events where the target lists them, and does without where it does not', async () => {
    const listed = (events: Record<string, unknown>[]) => ({
      readCustomer,
      listUsageEvents: ({ eventId }: { eventId?: string }) =>
        Promise.resolve({ events: events.filter((event) => event['eventId'] === eventId) }),
    });
    const timestamp = new Date(NOW).toISOString();
    expect(
      await check(
        listed([
          { eventId: 'a', eventName: 'e', timestamp: NOW },
          { eventId: 'b', eventName: 'other', timestamp },
        ]),
      ),
    ).toEqual([
      ['sent true', 'found true', 'customer true'],
      ['sent true', 'found false', 'customer true'],
    ]);
    expect(await check(listed([]))).toEqual(Array(2).fill(['sent true', 'found false', 'customer true']));
    const unlisted = {
      readCustomer: () => Promise.resolve(undefined),
      listUsageEvents: () => Promise.reject(new ApiFailure('target-unreadable', 'none', 'no')),
    };
    expect(await check(unlisted)).toEqual(Array(2).fill(['sent true', 'customer false']));
    expect(await check(unlisted, 'failed')).toEqual(Array(2).fill(['sent false']));
  });
});
