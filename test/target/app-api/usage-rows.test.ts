/** From rows to usage events: identity, mapping, checks. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import {
  checkUsageEvent,
  derivedId,
  EventIdentities,
  type EventIdentity,
  type RejectedRows,
  rowText,
  type UsageCheckRules,
} from '../../../src/billing/usage-event.ts';
import { readUsageMapping } from '../../../src/billing/usage-mapping-language.ts';
import { openUsageSource, USAGE_TABLE } from '../../../src/billing/usage-source.ts';
import { rowOf } from '../../../src/mapping/time/observe-times.ts';
import { givenBy, resolveSettings } from '../../../src/settings/resolve-settings.ts';
import { parseSettingsFile } from '../../../src/settings/settings-file.ts';

const folder = await mkdtemp(join(tmpdir(), 'usage-'));
afterAll(() => rm(folder, { recursive: true }));
const ref = { file: 0, row: 0, line: 2 };
const signal = AbortSignal.timeout(30_000);

describe('the id of an event without one', () => {
  const header = ['b', 'a', '_reason'];
  const cells = (...values: string[]) => ({ table: 't', ref, cells: values });

  it('is the same whatever order the columns have, and without the reason of rejects', () => {
    const text = rowText(cells('2', '1', ''), header);
    expect(rowText(cells('1', '2', 'why'), ['a', 'b', '_reason'])).toBe(text);
    expect(rowText(cells('1', '2'), ['a', 'b'])).toBe(text);
    expect(rowText(cells('1', '2', ''), ['a', 'b', 'c'])).toBe(text);
  });

  it.each([
    [
      ['1', '3'],
      ['a', 'b'],
    ],
    [
      ['2', '1'],
      ['a', 'b'],
    ],
    [
      ['1,2', ''],
      ['a', 'b'],
    ],
    [
      ['12', ''],
      ['a', 'b'],
    ],
  ])('tells %j apart', (values, names) => {
    expect(rowText(cells(...values), names)).not.toBe(rowText(cells('1', '2'), ['a', 'b']));
  });

  it('of JSON is the same whatever order the keys have', () => {
    const text = (object: Record<string, unknown>) => rowText({ table: 't', ref, object }, []);
    expect(text({ a: 1, b: { d: [1, { y: 1, x: 2 }], c: null } })).toBe(
      text({ b: { d: [1, { x: 2, y: 1 }] }, a: 1, _reason: 'x' }),
    );
    expect(text({ a: '1' })).not.toBe(text({ a: 1 }));
  });

  it('is another for each of several equal rows, the same in every pass', () => {
    const ids = () => {
      using identities = new EventIdentities();
      return [1, 2, 3].map(() => identities.identify(undefined, () => 'row').eventId);
    };
    expect(new Set(ids()).size).toBe(3);
    expect(ids()).toEqual(ids());
    expect(ids()[0]).toBe(derivedId('row', 0));
  });

  describe('in rejects, where the equals of a row may be gone', () => {
    const [zero, one, two] = (() => {
      using identities = new EventIdentities();
      return [1, 2, 3].map(() => identities.identify(undefined, () => 'row'));
    })() as [EventIdentity, EventIdentity, EventIdentity];
    const among = (identities: readonly EventIdentity[]) => (digest: Buffer) =>
      identities.some((each) => each.digest.equals(digest));
    const noted = (...numbers: number[]) => new Map([[zero.equal!.key, numbers]]);
    const ids = (count: number, rejected: RejectedRows) => {
      using identities = new EventIdentities(rejected);
      return Array.from({ length: count }, () => identities.identify(undefined, () => 'row', true).eventId);
    };

    it.each([
      ['one that an import wrote there is the one that it was', 1, noted(1), [], [], [one]],
      ['of two of which one is done, the other is to be sent', 2, noted(0, 1), [zero], [zero], [one, zero]],
      ['the last of two is itself, whether its equal was done before', 1, noted(0, 1), [zero], [zero], [one]],
      ['one that was sent before a kill is done', 1, noted(1), [zero, one], [zero], [one]],
      ['one that a person made equal to an imported row is the next', 1, new Map(), [zero], [zero], [one]],
      [
        'one that a person corrected and an import of rejects has sent is done',
        1,
        new Map(),
        [zero],
        [],
        [zero],
      ],
      [
        'one that a person made equal to another in the rejects is a third',
        3,
        noted(0, 1),
        [],
        [],
        [zero, one, two],
      ],
    ] as const)('%s', (_, count, numbers, done, others, expected) => {
      expect(ids(count, { numbers, isDone: among(done), isOther: among(others) })).toEqual(
        expected.map(({ eventId }) => eventId),
      );
    });
  });

  it('an own id stands, and is claimed once', () => {
    using identities = new EventIdentities();
    const { eventId, digest } = identities.identify('evt-1', () => 'row');
    expect(eventId).toBe('evt-1');
    expect([identities.claim(digest), identities.claim(digest)]).toEqual([true, false]);
  });
});

const NOW = Date.parse('2026-03-01T12:00:00Z');
const rules: UsageCheckRules = { missingTimestamp: 'reject', now: () => NOW, fileName: () => 'usage.csv' };
const good = {
  eventName: 'e',
  customerId: 'c',
  eventId: 'i',
  timestamp: '2026-01-01T00:00:00Z',
  properties: { a: 1 },
};

describe('checking', () => {
  const check = (values: Record<string, unknown>, more: Partial<UsageCheckRules> = {}) =>
    checkUsageEvent(
      { row: { table: 't', ref, cells: [] }, values: { ...good, ...values }, problems: [] },
      { ...rules, ...more },
    );

  it('lets a good event pass as it is', () => {
    expect(check({})).toEqual({
      payload: {
        eventName: 'e',
        customerId: 'c',
        timestamp: '2026-01-01T00:00:00.000Z',
        properties: { a: 1 },
      },
      eventId: 'i',
      atMs: Date.parse('2026-01-01T00:00:00Z'),
      problems: [],
    });
  });

  it.each<[Record<string, unknown>, string, string]>([
    [{ eventName: undefined }, 'missing-field', 'eventName'],
    [{ eventName: '  ' }, 'missing-field', 'eventName'],
    [{ customerId: '' }, 'missing-field', 'customerId'],
    [{ customerId: { id: 1 } }, 'invalid-type', 'customerId'],
    [{ eventId: 'x'.repeat(256) }, 'too-long', 'eventId'],
    [{ timestamp: undefined }, 'missing-time', 'timestamp'],
    [{ timestamp: 'yesterday' }, 'invalid-time', 'timestamp'],
    [{ timestamp: '2026-02-30T00:00:00Z' }, 'invalid-time', 'timestamp'],
    [{ timestamp: '2026-01-01T00:00:00' }, 'time-without-zone', 'timestamp'],
    [{ timestamp: '2026-01-01' }, 'time-without-zone', 'timestamp'],
    [{ properties: 'text' }, 'invalid-properties', 'properties'],
    [{ properties: [1] }, 'invalid-properties', 'properties'],
  ])('%j is rejected with its place', (values, code, field) => {
    const { payload, problems } = check(values);
    expect(payload).toBeUndefined();
    expect(problems).toMatchObject([{ severity: 'error', code, field, file: 'usage.csv', line: 2 }]);
  });

  it('tells all that is wrong at once', () => {
    expect(check({ eventName: '', customerId: '', timestamp: 'x' }).problems).toHaveLength(3);
  });

  it('numbers are ids too', () => {
    expect(check({ customerId: 42, eventId: 7 })).toMatchObject({
      payload: { customerId: '42' },
      eventId: '7',
    });
  });

  it('an event without a time is sent where that is asked for', () => {
    const { payload, problems } = check({ timestamp: '' }, { missingTimestamp: 'send' });
    expect(payload).toEqual({ eventName: 'e', customerId: 'c', properties: { a: 1 } });
    expect(problems).toEqual([]);
  });

  it('an event of the future is sent with a warning', () => {
    const { payload, problems } = check({ timestamp: '2026-03-01T12:05:01Z' });
    expect(payload).toBeDefined();
    expect(problems).toMatchObject([{ severity: 'warning', code: 'time-in-future' }]);
    expect(check({ timestamp: '2026-03-01T12:05:00Z' }).problems).toEqual([]);
  });
});

/** The events of a file under settings, as they would be sent. */
async function read(name: string, text: string, yaml = '') {
  const path = join(folder, name);
  await writeFile(path, text);
  const file = parseSettingsFile(yaml, 'x.yaml', undefined, (value) => {
    const found = readUsageMapping(value);
    return 'issues' in found ? found.issues : [];
  });
  expect(file.complaints).toEqual([]);
  const env = { HELPDESK_APP_URL: 'https://app.example.com', HELPDESK_APP_ID: 'a', HELPDESK_APP_KEY: 'k' };
  const { settings } = resolveSettings({
    given: givenBy({}),
    env,
    file,
    files: [path],
    needs: ['appApi', 'files'],
  });
  await using source = await openUsageSource(settings, { signal, problem: () => {} });
  const events = [];
  for (const input of source.inputs)
    for await (const records of source.files.files[input.file]?.records(input.selector, signal) ?? [])
      for (const record of records) {
        const row = rowOf(USAGE_TABLE, record);
        if (row === undefined) throw new Error(record.error);
        const mapped = source.mapper.map(row);
        const { payload, eventId, problems } = checkUsageEvent(mapped, rules);
        events.push(
          mapped.excluded ??
            (payload === undefined
              ? problems.map(({ code }) => code)
              : { ...payload, ...(eventId === undefined ? {} : { eventId }) }),
        );
      }
  return { events, unused: source.mapper.unused() };
}

const sent = (more: Record<string, unknown> = {}) => ({
  eventName: 'e',
  customerId: 'c',
  timestamp: '2026-01-01T10:00:00.000Z',
  ...more,
});

describe('the API’s own names need no mapping', () => {
  it.each([
    ['a.csv', 'eventName,customerId,timestamp\ne,c,2026-01-01T10:00:00Z\n', sent()],
    ['b.csv', 'event_name;customer_id;event_id;timestamp\ne;c;7;1767261600000\n', sent({ eventId: '7' })],
    [
      'c.csv',
      'eventName,customerId,timestamp,properties.total,properties.note\ne,c,2026-01-01T10:00:00Z,007,\n',
      sent({ properties: { total: '007' } }),
    ],
    [
      'd.csv',
      'eventName,customerId,timestamp,properties\ne,c,2026-01-01 10:00:00Z,"{""total"":7}"\n',
      sent({ properties: { total: 7 } }),
    ],
    [
      'e.jsonl',
      '{"eventName":"e","customerId":"c","timestamp":1767261600,"properties":{"a":[1]}}\n',
      sent({ properties: { a: [1] } }),
    ],
    ['f.json', '[{"eventName":"e","customerId":"c","timestamp":"2026-01-01T11:00:00+01:00"}]', sent()],
    [
      'g.json',
      '{"page":1,"events":[{"eventName":"e","customerId":"c","timestamp":"2026-01-01T10:00:00Z"}]}',
      sent(),
    ],
  ])('%s', async (name, text, expected) => {
    expect((await read(name, text)).events).toEqual([expected]);
  });

  it('a column that an event has no field for is told', async () => {
    const { unused } = await read(
      'h.csv',
      'eventName,customerId,timestamp,plan\ne,c,2026-01-01T10:00:00Z,pro\n',
    );
    expect(unused).toMatchObject([
      { code: 'unknown-field', column: 'plan', message: expect.stringContaining('properties.plan') },
    ]);
  });

  it('a file without the columns stops at once, with those that it has', async () => {
    await expect(read('i.csv', 'name,shop,when\ne,c,2026-01-01\n')).rejects.toMatchObject({
      code: 'configuration',
      hint: expect.stringContaining('name, shop, when'),
    });
  });
});

describe('a mapping', () => {
  const yaml = `
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
`;
  it('says how rows become events, in the language of mappings', async () => {
    const { events, unused } = await read(
      'orders.csv',
      'kind,shop,when,no,amount,test,note,left\norder,c,13.01.2026 11:00,1,12.50,no,x,y\ncall,c,14.01.2026 11:00,2,,no,x,\norder,c,14.01.2026 11:00,3,1,yes,x,\nother,c,14.01.2026 11:00,4,1,no,x,\n',
      yaml,
    );
    expect(events).toEqual([
      {
        eventName: 'order_created',
        customerId: 'c',
        timestamp: '2026-01-13T10:00:00.000Z',
        eventId: 'c-1',
        properties: { total: 12.5, source: 'import' },
      },
      {
        eventName: 'api_call',
        customerId: 'c',
        timestamp: '2026-01-14T10:00:00.000Z',
        eventId: 'c-2',
        properties: { source: 'import' },
      },
      'a test',
      ['missing-field'],
    ]);
    expect(unused).toMatchObject([{ code: 'unused-column', column: 'left' }]);
  });

  it('of dates that can be read in two ways asks which is meant', async () => {
    const mapping = 'appApi: { usageEvents: { timestamp: when } }';
    const text = 'eventName,customerId,when\ne,c,03/04/2026 10:00\n';
    await expect(read('days.csv', text, mapping)).rejects.toMatchObject({
      code: 'configuration',
      hint: expect.stringContaining('dayFirst'),
    });
    const { events } = await read('days.csv', text, `source: { dayFirst: true, timezone: UTC }\n${mapping}`);
    expect(events).toMatchObject([{ timestamp: '2026-04-03T10:00:00.000Z' }]);
  });

  it.each([
    ['{ customer: shop }', 'There is no key "customer" here. Did you mean "customerId"?'],
    ['{ eventName: { colum: kind } }', 'There is no key "colum" here. Did you mean "column"?'],
    [
      '{ properties: { total: { column: amount, cel: number } } }',
      'There is no key "cel" here. Did you mean "cell"?',
    ],
  ])('with a mistake is told with its place: %s', (text, message) => {
    const file = parseSettingsFile(`appApi:\n  usageEvents: ${text}\n`, 'x.yaml', undefined, (value) => {
      const found = readUsageMapping(value);
      return 'issues' in found ? found.issues : [];
    });
    expect(file.complaints).toMatchObject([
      { place: expect.stringMatching(/^x\.yaml:2:/), message: expect.stringContaining(message) },
    ]);
  });
});
