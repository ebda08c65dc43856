import { describe, expect, it } from 'vitest';
import type { MonthRow } from '../../../src/domain/survey.ts';
import { monthChart } from '../../../src/view/html/chart-data.ts';

const month = (name: string, byStatus: Record<string, number>): MonthRow => ({
  month: name,
  count: Object.values(byStatus).reduce((sum, count) => sum + count, 0),
  byStatus,
});

describe('tickets over time', () => {
  it('a month without a ticket is a gap, and every status has its series', () => {
    const chart = monthChart([month('2023-12', { open: 2, closed: 1 }), month('2024-02', { closed: 4 })]);
    expect(chart?.series.map(({ label }) => label)).toEqual(['open', 'closed']);
    expect(chart?.columns).toEqual([
      { label: 'December 2023', tick: 'Dec', below: '2023', values: [2, 1] },
      { label: 'January 2024', tick: 'Jan', below: '2024', values: [0, 0] },
      { label: 'February 2024', tick: 'Feb', values: [0, 4] },
    ]);
    expect(chart?.summary).toBe('7 tickets from December 2023 to February 2024; most in February 2024: 4.');
  });

  it.each([
    ['2020-01', '2023-12', 'month', 48],
    ['2020-01', '2024-01', 'quarter', 17],
    ['2000-01', '2024-12', 'year', 25],
  ])('%s to %s is told by %s', (first, last, step, columns) => {
    const chart = monthChart([month(first, { open: 1 }), month(last, { open: 1 })]);
    expect(chart?.title).toBe(`Tickets created by ${step}`);
    expect(chart?.columns).toHaveLength(columns);
  });

  it('quarters add up their months', () => {
    const chart = monthChart([
      month('2010-01', { open: 1 }),
      month('2010-03', { open: 2 }),
      month('2015-12', { open: 5 }),
    ]);
    expect(chart?.columns[0]).toMatchObject({ label: 'Q1 2010', tick: 'Q1', values: [3] });
    expect(chart?.columns.at(-1)).toMatchObject({ label: 'Q4 2015', values: [5] });
  });

  it('dates from 0001 to 9999 make a chart of bounded size, and what it leaves out is told', () => {
    const rows = Array.from({ length: 9999 }, (_, index) =>
      month(`${String(index + 1).padStart(4, '0')}-06`, { open: 1 }),
    );
    const chart = monthChart(rows);
    expect(chart?.columns).toHaveLength(48);
    expect(chart?.title).toBe('Tickets created by year (without 9,951 older tickets)');
    expect(chart?.columns.at(-1)?.label).toBe('9999');
  });

  it('no ticket, no chart', () => expect(monthChart([])).toBeUndefined());
});
