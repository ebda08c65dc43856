import { describe, expect, it } from 'vitest';
import {
  decideOrders,
  noEvidence,
  type TimeColumn,
  waiting,
  weigh,
} from '../../src/mapping/time/day-order.ts';
import { layoutFrom, mapExport } from './support/map-export.ts';

const DAY = '14/04/2025';
const MONTH = '04/14/2025';
const EITHER = '03/04/2025';

function column(name: string, ...values: string[]): TimeColumn {
  const evidence = noEvidence();
  for (const value of values) weigh(evidence, value);
  return { name, evidence, dayFirst: undefined };
}

describe('what decides whether the day is first', () => {
  const cases: [title: string, columns: TimeColumn[], orders: (boolean | undefined)[]][] = [
    ['its own values', [column('t: a', EITHER, DAY), column('t: b', MONTH)], [true, false]],
    ['the other columns of the export', [column('t: a', MONTH), column('m: b', EITHER)], [false, false]],
    [
      'the others too for a column that shows no such date yet',
      [column('t: a', DAY), column('t: b')],
      [true, true],
    ],
    [
      'nothing, where nothing is to be decided',
      [column('t: a', DAY), column('m: a', MONTH), column('x: a')],
      [true, false, undefined],
    ],
  ];
  it.each(cases)('%s', (_, columns, orders) => {
    expect(waiting(columns)).toEqual([]);
    decideOrders(columns, undefined);
    expect(columns.map(({ dayFirst }) => dayFirst)).toEqual(orders);
  });

  it('the setting comes before other columns, and after a proof', () => {
    const columns = [column('t: a', DAY), column('t: b', EITHER), column('m: a', MONTH)];
    decideOrders(columns, false);
    expect(columns.map(({ dayFirst }) => dayFirst)).toEqual([true, false, false]);
  });

  it('a column without a proof, where the others disagree, waits for one and is a question', () => {
    const columns = [column('t: a', DAY), column('m: a', MONTH), column('t: b', EITHER)];
    expect(waiting(columns).map(({ name }) => name)).toEqual(['t: b']);
    expect(() => decideOrders(columns, undefined)).toThrow(/"t: b" dates like 03\/04\/2025 can be read/);
  });
});

it('tables that write dates in different ways are read as each of them proves', async () => {
  const layout = layoutFrom(`
name: test
title: Test
tables:
  tickets: { role: root, key: id, recognise: { columns: [id, made] } }
  notes: { role: child, key: ref, recognise: { columns: [ref, text, at] } }
times: { zone: UTC }
ticket: { subject: id, createdAt: made }
messages: [{ from: notes, content: text, occurredAt: at, actorType: { const: system } }]`);
  const { tickets } = await mapExport(
    {
      'tickets.csv': 'id,made\n1,13/04/2025\n',
      'notes.csv': 'ref,text,at\n1,a,03/05/2025\n1,b,03/28/2025\n',
    },
    layout,
  );
  expect(tickets[0]?.ticket['createdAt']).toBe('2025-04-13T00:00:00.000Z');
  expect(tickets[0]?.messages[0]?.value['occurredAt']).toBe('2025-03-05T00:00:00.000Z');
});
