/** From rows to usage events: names, mapping, checks; as the service's ledger has them, and as the summary tells them. */
import { describe, expect, it } from 'vitest';
import { billingDesk as desk } from './seeded-sandbox.ts';

const at = { timestamp: '2026-01-01T10:00:00.000Z' };
const sent = (more: Record<string, unknown> = {}) => ({ eventName: 'e', customerId: 'c', ...at, ...more });

async function events(name: string, content: string, settings = '') {
  const d = await desk();
  d.write('helpdesk-import.yaml', settings);
  const result = await d.send(d.write(name, content), { rejects: d.path('rejects') });
  const listed = await d.sandbox.appCall('GET', '/usage_events');
  return { ...result, events: listed.body.events.toReversed() };
}

describe('the API’s own names need no mapping', () => {
  it.each([
    ['a.csv', 'eventName,customerId,timestamp\ne,c,2026-01-01T10:00:00Z', sent()],
    ['b.csv', 'event_name;customer_id;event_id;timestamp\ne;c;7;1767261600000', sent({ eventId: '7' })],
    [
      'c.csv',
      'eventName,customerId,timestamp,properties.total,properties.note\ne,c,2026-01-01T10:00:00Z,007,',
      sent({ properties: { total: '007' } }),
    ],
    [
      'd.csv',
      'eventName,customerId,timestamp,properties\ne,c,2026-01-01 10:00:00Z,"{""total"":7}"',
      sent({ properties: { total: 7 } }),
    ],
    [
      'e.jsonl',
      '{"eventName":"e","customerId":"c","timestamp":1767261600,"properties":{"a":[1]}}',
      sent({ properties: { a: [1] } }),
    ],
    ['f.json', '[{"eventName":"e","customerId":"c","timestamp":"2026-01-01T11:00:00+01:00"}]', sent()],
    [
      'g.json',
      '{"page":1,"events":[{"eventName":"e","customerId":42,"timestamp":"2026-01-01T10:00:00Z"}]}',
      sent({ customerId: '42' }),
    ],
  ])('%s', async (name, content, expected) => {
    expect((await events(name, content)).events).toMatchObject([expected]);
  });
});

it.each([
  ['no name', ',c,i,2026-01-01T00:00:00Z,', 'missing-field'],
  ['no customer', 'e, ,i,2026-01-01T00:00:00Z,', 'missing-field'],
  ['a long id', `e,c,${'x'.repeat(256)},2026-01-01T00:00:00Z,`, 'too-long'],
  ['no time', 'e,c,i,,', 'missing-time'],
  ['no such day', 'e,c,i,2026-02-30T00:00:00Z,', 'invalid-time'],
  ['no zone', 'e,c,i,2026-01-01T00:00:00,', 'time-without-zone'],
  ['properties that are a list', 'e,c,i,2026-01-01T00:00:00Z,[1]', 'invalid-properties'],
])('an event with %s is rejected with its place', async (_, line, code) => {
  const { summary, events: kept } = await events(
    'a.csv',
    `eventName,customerId,eventId,timestamp,properties\n${line}`,
  );
  expect(kept).toEqual([]);
  expect(summary.problems).toMatchObject([{ severity: 'error', code, line: 2 }]);
});

it('an event of the future is sent with a warning', async () => {
  const { summary } = await events('a.csv', 'eventName,customerId,timestamp\ne,c,2199-01-01T00:00:00Z');
  expect(summary).toMatchObject({ events: { done: 1 }, problems: [{ code: 'time-in-future' }] });
});

it('a mapping says how rows become events, in the language of mappings', async () => {
  const { events: kept, summary } = await events(
    'orders.csv',
    'kind,shop,when,no,amount,test,note,left\norder,c,13.01.2026 11:00,1,12.50,no,x,y\ncall,c,14.01.2026 11:00,2,,no,x,\norder,c,14.01.2026 11:00,3,1,yes,x,\nother,c,14.01.2026 11:00,4,1,no,x,',
    `
source: { timezone: Europe/Berlin }
appApi:
  usageEvents:
    eventName: { column: kind, map: { order: order_created, call: api_call }, unlisted: drop }
    customerId: shop
    timestamp: when
    eventId: { template: "{shop}-{no}" }
    properties: { total: { column: amount, cell: number }, source: { const: import } }
    exclude: [{ when: { column: test, is: "yes" }, reason: a test }]
    ignore: [note]
`,
  );
  expect(kept).toEqual([
    sent({
      eventName: 'order_created',
      timestamp: '2026-01-13T10:00:00.000Z',
      eventId: 'c-1',
      properties: { total: 12.5, source: 'import' },
    }),
    sent({
      eventName: 'api_call',
      timestamp: '2026-01-14T10:00:00.000Z',
      eventId: 'c-2',
      properties: { source: 'import' },
    }),
  ]);
  expect(summary).toMatchObject({
    events: { skipped: 1, rejected: 1 },
    skippedBecause: [{ reason: 'a test', count: 1 }],
  });
  expect(summary.problems.find(({ code }) => code === 'unused-column')).toMatchObject({ field: 'left' });
});

it('of dates that can be read in two ways the command asks which is meant', async () => {
  const mapping = 'appApi: { usageEvents: { timestamp: when } }';
  const content = 'eventName,customerId,when\ne,c,03/04/2026 10:00';
  const open = await events('days.csv', content, mapping);
  expect(open.code).toBe(2);
  expect(open.stderr).toContain('dayFirst');
  const settled = await events('days.csv', content, `source: { dayFirst: true, timezone: UTC }\n${mapping}`);
  expect(settled.events).toMatchObject([{ timestamp: '2026-04-03T10:00:00.000Z' }]);
});

it.each([
  ['{ customer: shop }', 'There is no key "customer" here. Did you mean "customerId"?'],
  ['{ eventName: { colum: kind } }', 'There is no key "colum" here. Did you mean "column"?'],
  [
    '{ properties: { total: { column: amount, cel: number } } }',
    'There is no key "cel" here. Did you mean "cell"?',
  ],
])('a mistake in the mapping is named with its place: %s', async (mapping, message) => {
  const { code, stderr } = await events('a.csv', 'a\nb', `appApi:\n  usageEvents: ${mapping}\n`);
  expect(code).toBe(2);
  expect(stderr.replaceAll(/\s+/g, ' ')).toMatch(/helpdesk-import\.yaml:2:\d+/);
  expect(stderr.replaceAll(/\s+/g, ' ')).toContain(message);
});
