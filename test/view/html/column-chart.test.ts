import { describe, expect, it } from 'vitest';
import { axisTicks, type ColumnChart, columnChart } from '../../../src/view/html/column-chart.ts';
import { tagsOf, textOf } from './sample-report.ts';

const chart = (parts: Partial<ColumnChart> = {}): ColumnChart => ({
  title: 'Tickets',
  summary: 'Most in May.',
  header: 'Month',
  series: [
    { label: 'open', tone: 'open' },
    { label: 'closed', tone: 'closed' },
  ],
  columns: [
    { label: 'April', tick: 'Apr', values: [1, 100_000] },
    { label: 'May', tick: 'May', values: [0, 0] },
  ],
  ...parts,
});
const boxes = (parts?: Partial<ColumnChart>) =>
  tagsOf(String(columnChart(chart(parts)))).filter(
    ({ name, attributes }) => name === 'rect' && attributes['class']?.startsWith('tone-') === true,
  );

describe('axis', () => {
  it.each([
    [0, [0, 1]],
    [1, [0, 0.25, 0.5, 0.75, 1]],
    [4, [0, 1, 2, 3, 4]],
    [7, [0, 2, 4, 6, 8]],
    [29, [0, 10, 20, 30]],
    [100, [0, 25, 50, 75, 100]],
    [12_430, [0, 5000, 10_000, 15_000]],
    [16.7, [0, 5, 10, 15, 20]],
  ])('up to %j', (most, ticks) => expect(axisTicks(most)).toEqual(ticks));

  it('ends above any number, in three to six steps', () => {
    for (let most = 1; most < 1e9; most = Math.ceil(most * 1.37)) {
      const ticks = axisTicks(most);
      expect(ticks.at(-1)).toBeGreaterThanOrEqual(most);
      expect(ticks.length).toBeLessThanOrEqual(7);
      expect(ticks.length).toBeGreaterThanOrEqual(2);
    }
  });
});

describe('column chart', () => {
  it('what is there is never shown as nothing, and nothing is not shown', () => {
    const drawn = boxes();
    expect(drawn.map(({ attributes }) => attributes['class'])).toEqual(['tone-open', 'tone-closed']);
    expect(Number(drawn[0]?.attributes['height'])).toBeGreaterThanOrEqual(1);
  });

  it('a column is as high as its share of the axis', () => {
    const [box] = boxes({
      series: [{ label: 'all', tone: 'plain' }],
      columns: [{ label: 'x', tick: 'x', values: [75] }],
      height: 100,
    });
    expect(box?.attributes).toMatchObject({ height: '93.75' });
  });

  it('columns stand side by side and end within the picture', () => {
    const columns = Array.from({ length: 48 }, (_, index) => ({
      label: `${index}`,
      tick: `${index}`,
      values: [1],
    }));
    const drawn = boxes({ series: [{ label: 'all', tone: 'plain' }], columns });
    expect(drawn).toHaveLength(48);
    let end = 0;
    for (const { attributes } of drawn) {
      const x = Number.parseFloat(attributes['x'] ?? '');
      expect(x).toBeGreaterThanOrEqual(end);
      end = x + Number.parseFloat(attributes['width'] ?? '');
    }
    expect(end).toBeLessThanOrEqual(100);
  });

  it('all numbers stand in a table too, and the picture has a sentence', () => {
    const text = String(columnChart(chart()));
    expect(textOf(text)).toContain('Month open closed April 1 100,000 May 0 0');
    expect(tagsOf(text)).toContainEqual({
      name: 'div',
      attributes: { class: 'plot', role: 'img', 'aria-label': 'Most in May.' },
    });
  });

  it('at most a dozen labels, and half of them on a phone', () => {
    const columns = Array.from({ length: 48 }, (_, index) => ({
      label: `${index}`,
      tick: `${index}`,
      values: [1],
    }));
    const labels = tagsOf(String(columnChart(chart({ columns }))))
      .map(({ attributes }) => attributes['class'])
      .filter((name) => name?.startsWith('tick') === true);
    expect(labels).toHaveLength(12);
    expect(labels.filter((name) => name === 'tick rare')).toHaveLength(6);
  });
});
