import { describe, expect, it } from 'vitest';
import { layoutFrom, mapExport } from './support/map-export.ts';

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

  it('a proof far behind the sample is found', async () => {
    const rows = `${'03/04/2025 '.repeat(400)}03/28/2025`;
    expect((await created(rows))[0]).toBe('2025-03-04');
  });

  it('is a question if nothing proves it, wherever the first such date is', async () => {
    await expect(created(`${'2025-04-03T00:00:00Z '.repeat(400)}03/04/2025`)).rejects.toMatchObject({
      code: 'configuration',
    });
  });
});
