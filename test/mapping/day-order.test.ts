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
  return { name, table: name.split(':')[0] ?? '', evidence, dayFirst: undefined };
}

describe('what decides whether the day is first', () => {
  const cases: [title: string, columns: TimeColumn[], orders: (boolean | undefined)[], warned: string[]][] = [
    ['its own values', [column('t: a', EITHER, DAY), column('t: b', MONTH)], [true, false], []],
    ['another column of its table', [column('t: a', DAY), column('t: b', EITHER)], [true, true], []],
    [
      'all of the export, where it agrees',
      [column('t: a', MONTH), column('m: b', EITHER)],
      [false, false],
      [],
    ],
    [
      'its table before the rest of the export, and says so',
      [column('t: a', DAY), column('t: b', EITHER), column('m: a', MONTH), column('m: b', EITHER)],
      [true, true, false, false],
      ['t: b', 'm: b'],
    ],
    [
      'its table, for a column that shows no such date yet, without a word',
      [column('t: a', DAY), column('t: b'), column('m: a', MONTH)],
      [true, true, false],
      [],
    ],
    [
      'nothing, where nothing is to be decided',
      [column('t: a', DAY), column('m: a', MONTH), column('x: a')],
      [true, false, undefined],
      [],
    ],
  ];
  it.each(cases)('%s', (_, columns, orders, warned) => {
    expect(waiting(columns)).toEqual([]);
    const problems = decideOrders(columns, undefined);
    expect(columns.map(({ dayFirst }) => dayFirst)).toEqual(orders);
    expect(problems.map(({ column: name }) => name)).toEqual(warned);
    for (const problem of problems)
      expect(problem).toMatchObject({ severity: 'warning', code: 'day-order-borrowed' });
  });

  it('names the column that it follows, with its proof, and what to say otherwise', () => {
    const columns = [column('t: made', DAY), column('t: due', EITHER), column('m: at', MONTH)];
    expect(decideOrders(columns, undefined)[0]?.message).toBe(
      'Dates of "t: due" such as 03/04/2025 are ambiguous and are read with the day first, as "t: made" has them (14/04/2025), while other tables of the export have the month first. If that is wrong, say dayFirst: false under source in helpdesk-import.yaml.',
    );
  });

  it('the setting comes before other columns, and after a proof', () => {
    const columns = [column('t: a', DAY), column('t: b', EITHER), column('m: a', MONTH)];
    expect(decideOrders(columns, false)).toEqual([]);
    expect(columns.map(({ dayFirst }) => dayFirst)).toEqual([true, false, false]);
  });

  it('a table without a proof, where the others disagree, waits for one and is a question', () => {
    const columns = [column('t: a', DAY), column('m: a', MONTH), column('x: a', EITHER)];
    expect(waiting(columns).map(({ name }) => name)).toEqual(['x: a']);
    expect(() => decideOrders(columns, undefined)).toThrow(/"x: a" dates like 03\/04\/2025 can be read/);
  });
});

describe('an export whose tables write dates in different ways', () => {
  const layout = layoutFrom(`
name: test
title: Test
tables:
  tickets: { role: root, key: id, recognise: { columns: [id, made, due] } }
  notes: { role: child, key: ref, recognise: { columns: [ref, text, at, seen] } }
times: { zone: UTC }
ticket: { subject: id, createdAt: made, closedAt: due }
messages: [{ from: notes, content: text, occurredAt: [seen, at], actorType: { const: system } }]`);

  it('reads each as its own table proves, and says which columns follow another one', async () => {
    const { tickets, mapper } = await mapExport(
      {
        'tickets.csv': 'id,made,due\n1,13/04/2025,05/06/2025\n',
        'notes.csv': 'ref,text,at,seen\n1,first,03/05/2025,\n1,last,,03/28/2025\n',
      },
      layout,
    );
    expect(tickets[0]?.ticket).toMatchObject({
      createdAt: '2025-04-13T00:00:00.000Z',
      closedAt: '2025-06-05T00:00:00.000Z',
    });
    expect(tickets[0]?.messages[0]?.value['occurredAt']).toBe('2025-03-05T00:00:00.000Z');
    expect(mapper.problems().map(({ code, column: name }) => [code, name])).toEqual([
      ['day-order-borrowed', 'tickets: due'],
    ]);
  });
});
