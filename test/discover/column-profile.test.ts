import { describe, expect, it } from 'vitest';
import { isTimeColumn } from '../../src/discover/column-profile.ts';
import { columnOf } from './support.ts';

describe('the profile of a column', () => {
  it.each([
    ['id', ['1', '2', '3'], 'integer'],
    ['n', ['1', '2.5', '3'], 'number'],
    ['x', ['', '  ', ''], 'empty'],
    ['when', ['2024-01-01', '2024-01-01 10:00'], 'time'],
    ['body', ['hello', '<p>hi</p>', 'ok'], 'text'],
    ['body', ['<p>hi</p>', '<p>ho</p>'], 'html'],
    ['amount', ['12', 'twelve', '9', 'ten'], 'mixed'],
    ['note', ['fine', 'good', '12', 'see https://example.com', 'https://example.com'], 'mixed'],
    ['note', ['fine', 'good', 'well', 'https://example.com'], 'text'],
  ] as const)('%s of %j is %s', (name, values, type) => {
    expect(columnOf(name, values).type).toBe(type);
  });

  it('a few strange values among very many change nothing', () => {
    const values = [...Array.from({ length: 99 }, (_, n) => String(n)), 'unknown'];
    expect(columnOf('id', values).type).toBe('integer');
  });

  it('counts filled rows, different values and examples; texts for nothing are not filled', () => {
    const profile = columnOf('status', ['open', 'closed', 'open', '', 'NULL', null]);
    expect(profile).toMatchObject({
      rows: 6,
      filled: 3,
      distinct: 2,
      distinctExact: true,
      examples: ['open', 'closed'],
    });
    expect(profile.values).toEqual([
      { value: 'open', count: 2 },
      { value: 'closed', count: 1 },
    ]);
    expect(profile.nulls).toEqual([{ value: 'NULL', count: 1 }]);
  });

  it('examples are cut', () => {
    expect(columnOf('body', ['x'.repeat(5000)]).examples[0]).toHaveLength(200);
    expect(columnOf('body', ['x'.repeat(5000)]).longest).toBe(5000);
  });

  it.each([
    [['13/01/2024', '03/04/2024'], 'day-first', 'dd/MM/yyyy'],
    [['01/13/2024', '03/04/2024'], 'month-first', 'MM/dd/yyyy'],
    [['03/04/2024'], 'open', 'dd/MM/yyyy or MM/dd/yyyy'],
    [['13/01/2024', '01/13/2024'], 'contradictory', 'dd/MM/yyyy or MM/dd/yyyy'],
    [['03.04.2024'], undefined, 'dd.MM.yyyy'],
    [['2024-04-03'], undefined, 'yyyy-MM-dd'],
  ] as const)('dates %j are %s', (values, order, pattern) => {
    const profile = columnOf('date', values);
    expect(profile.dayOrder).toBe(order);
    expect(profile.times[0]?.pattern).toBe(pattern);
  });

  it('hours with one and with two digits are one style', () => {
    const profile = columnOf('Created', ['22/Sep/25 9:26 AM', '22/Sep/25 10:09 AM']);
    expect(profile.times).toEqual([
      { pattern: 'd/MMM/yy h:mm a', zoned: false, count: 2, example: '22/Sep/25 9:26 AM' },
    ]);
  });

  it.each([
    ['created_at', ['1714560000', '1714560600'], true],
    ['turns[].ts', [1714560000, 1714560600], true],
    ['order_id', ['1714560000', '1714560600'], false],
    ['created_at', ['1714560000', '12'], false],
  ] as const)('numbers in %s are times: %s %s', (name, values, isTime) => {
    expect(isTimeColumn(columnOf(name, values))).toBe(isTime);
  });
});
