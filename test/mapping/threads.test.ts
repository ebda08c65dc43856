import { describe, expect, it } from 'vitest';
import { layoutFrom, mapExport, payloads } from './support/map-export.ts';

const HEAD = `
name: test
title: Test
tables:
  tickets: { role: root, key: id, recognise: { file: 't*' } }
  rows: { role: child, key: ticket, recognise: { file: 'r*' } }
times: { zone: UTC }
ticket: { subject: subject }
`;
it('problems and explanations of messages carry the index that the message has in the end', async () => {
  const { tickets, mapper, source } = await mapExport(
    { 't.csv': 'id,description\n1,d\n', 'r.csv': 'ticket,text,kind\n1,a,x\n1,,\n1,b,nope\n' },
    layoutFrom(`${HEAD}messages:
  - { public: true, content: description, use: unless-repeated }
  - { public: true, from: rows, content: text, contentType: { column: kind, map: { x: text } } }`),
  );
  expect(tickets[0]?.messages.map(({ value }) => value['content'])).toEqual(['d', 'a', 'b']);
  expect(tickets[0]?.problems.map(({ field, line, file }) => ({ field, line, file }))).toEqual([
    { field: 'messages[2].contentType', line: 4, file: 'r.csv' },
  ]);
  expect(mapper.explain(source[0]!).map(({ field, value }) => [field, value])).toEqual([
    ['messages[0].content', 'd'],
    ['messages[1].content', 'a'],
    ['messages[1].contentType', 'text'],
    ['messages[2].content', 'b'],
  ]);
});

describe('events from a history', () => {
  const RULE =
    'occurredAt: at, newValue: { status: { column: value, map: { new: open, open: open, hold: pending, done: closed } } }';
  /** `day status` a row; what the events say. */
  const history = async (rows: string, rule: string) => {
    const lines = rows.split(', ').map((row) => {
      const [day, value] = row.split(' ');
      return `1,${value},2025-01-0${day} 00:00:00\n`;
    });
    const texts = { 't.csv': 'id\n1\n', 'r.csv': `ticket,value,at\n${lines.join('')}` };
    const { tickets } = await mapExport(texts, layoutFrom(`${HEAD}events: [{ from: rows, ${rule} }]`));
    const events = (tickets[0]?.events ?? []).map(({ value, ref }) => {
      const [from, to] = [value['oldValue'], value['newValue']] as { status: string }[];
      return `${ref.line}: ${from?.status} → ${to?.status}`;
    });
    return { events, problems: payloads(tickets[0]!).problems };
  };

  it.each([
    [
      'have the status before, oldest first; the creation and rows that change nothing are no events',
      '4 done, 1 new, 2 open, 3 hold',
      `history: true, ${RULE}`,
      ['5: open → pending', '2: pending → closed'],
    ],
    [
      'begin with the first status of the layout',
      '4 done',
      `history: true, initial: { const: open }, ${RULE}`,
      ['2: open → closed'],
    ],
    [
      'pass over a status that the map drops',
      '1 new, 2 odd, 4 done',
      `history: true, ${RULE.replace('} } }', '}, unlisted: drop } }')}`,
      ['4: open → closed'],
    ],
    [
      'that the export has twice count once; those without an id all count',
      '4 done, 4 done, 5 open, 5 open',
      `once: { column: value, map: { done: 7 }, unlisted: drop }, ${RULE}`,
      ['2: undefined → closed', '4: undefined → open', '5: undefined → open'],
    ],
  ])('%s', async (_, rows, rule, expected) => {
    expect((await history(rows, rule)).events).toEqual(expected);
  });

  it('reject the ticket, once, for a status that is not in the value map', async () => {
    const { events, problems } = await history('1 new, 3 hold, 5 lost', `history: true, ${RULE}`);
    const message = expect.stringContaining('"lost"');
    expect(problems).toEqual([
      { code: 'unmapped-value', field: 'events[2].newValue.status', line: 4, message },
    ]);
    expect(events).toHaveLength(1);
  });
});

describe('day and month', () => {
  const layout = layoutFrom(
    `${HEAD.replace('ticket: { subject: subject }', 'ticket: { createdAt: a, closedAt: b }')}messages: [{ each: log, content: t, occurredAt: at, public: true }]`,
  );
  /** Times of creation and of closing, a ticket a line; what the times of creation become. */
  const created = async (rows: string, dayFirst?: boolean) => {
    const lines = rows.split(' ').map((row, at) => `${at},${row.includes(',') ? row : `${row},`}\n`);
    const { tickets } = await mapExport({ 't.csv': `id,a,b\n${lines.join('')}` }, layout, { dayFirst });
    return tickets.map(({ ticket }) => String(ticket['createdAt']).replace('T00:00:00.000Z', ''));
  };

  it.each<[string, string, boolean | undefined, string[]]>([
    [
      'one value decides for its column: the day',
      '03/04/2025 13/04/2025',
      undefined,
      ['2025-04-03', '2025-04-13'],
    ],
    [
      'one value decides for its column: the month',
      '03/04/2025 03/14/2025',
      undefined,
      ['2025-03-04', '2025-03-14'],
    ],
    [
      'a proof in another column of the export decides too',
      '03/04/2025,14/04/2025',
      undefined,
      ['2025-04-03'],
    ],
    ['the setting decides what nothing proves', '03/04/2025', false, ['2025-03-04']],
    ['and what contradicts itself', '13/04/2025 04/13/2025', false, ['13/04/2025', '2025-04-13']],
    ['proof comes before the setting', '03/04/2025 13/04/2025', false, ['2025-04-03', '2025-04-13']],
  ])('%s', async (_, rows, dayFirst, expected) => {
    expect(await created(rows, dayFirst)).toEqual(expected);
  });

  it('a proof far behind the sample is found', async () => {
    const rows = `${'03/04/2025 '.repeat(400)}03/28/2025`;
    expect((await created(rows))[0]).toBe('2025-03-04');
  });

  it('is a question if nothing proves it, wherever the first such date is', async () => {
    await expect(created(`${'2025-04-03T00:00:00Z '.repeat(400)}03/04/2025`)).rejects.toMatchObject({
      code: 'configuration',
    });
    await expect(created('03/04/2025')).rejects.toMatchObject({
      code: 'configuration',
      message:
        'In the column "tickets: a" dates like 03/04/2025 can be read with the day or with the month first.',
      hint: expect.stringContaining('dayFirst: true'),
    });
  });

  it('is a question if a column contradicts itself, and inside lists too', async () => {
    await expect(created('13/04/2025 04/13/2025')).rejects.toMatchObject({ code: 'configuration' });
    const texts = { 't.json': JSON.stringify([{ id: 1, log: [{ t: 'x', at: '03/04/2025' }] }]) };
    await expect(mapExport(texts, layout)).rejects.toMatchObject({ code: 'configuration' });
  });
});
