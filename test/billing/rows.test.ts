/** From rows to usage events: names and checks; as the service's ledger has them, and as the summary tells them. */
import { describe, expect, it } from 'vitest';
import { billingDesk as desk } from './seeded-sandbox.ts';

const at = { timestamp: '2026-01-01T10:00:00.000Z' };
const sent = (more: Record<string, unknown> = {}) => ({ eventName: 'e', customerId: 'c', ...at, ...more });

async function events(name: string, content: string, settings = '') {
  const d = await desk();
  d.write('helpdesk-import.yaml', settings);
  const result = await d.send(d.write(name, content), { rejects: d.path('rejects') });
  return { ...result, events: d.events() };
}

describe('a row becomes an event by the API’s own names', () => {
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
    [
      'f.csv',
      'eventName,customerId,timestamp\ne,c,13.01.2026 11:00',
      sent({ timestamp: '2026-01-13T10:00:00.000Z' }),
      'source: { timezone: Europe/Berlin }',
    ],
    [
      'g.csv',
      'eventName,customerId,timestamp\ne,c,03/04/2026 10:00',
      sent({ timestamp: '2026-04-03T10:00:00.000Z' }),
      'source: { dayFirst: true, timezone: UTC }',
    ],
  ])('%s', async (name, content, expected, settings = '') => {
    expect((await events(name, content, settings)).events).toMatchObject([expected]);
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

it('a column that no event has is named, and not sent', async () => {
  const content = 'eventName,customerId,timestamp,colour,left\ne,c,2026-01-01T10:00:00Z,red,';
  const { summary, events: kept } = await events('a.csv', content);
  expect(kept).toMatchObject([sent()]);
  expect(summary.problems.map(({ code, field }) => [code, field])).toEqual([['unused-column', 'colour']]);
});

it('a JSON document is refused with how to make lines of it', async () => {
  const { code, stderr } = await events('a.json', '[{"eventName":"e"}]');
  expect(code).toBe(2);
  expect(stderr.replaceAll(/\s+/g, ' ')).toContain(
    'a.json is one JSON document: usage events are CSV or JSONL.',
  );
});
