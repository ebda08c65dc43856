import { describe, expect, it } from 'vitest';
import { completionDistribution, messageDistribution } from '../../../src/view/html/chart-data.ts';

const HOUR = 3_600_000;

describe('distributions', () => {
  it('messages per ticket: each count in its bin, empty bins at the end left out', () => {
    const builder = messageDistribution();
    for (const messages of [0, 1, 1, 5, 6, 10, 11]) builder.add(messages);
    const { bins, total, median } = builder.result();
    expect(bins.map(({ label, count }) => [label, count])).toEqual([
      ['0', 1],
      ['1', 2],
      ['2', 0],
      ['3', 0],
      ['4', 0],
      ['5', 1],
      ['6–10', 2],
      ['11–20', 1],
    ]);
    expect(total).toBe(7);
    expect(median).toBe(5);
  });

  it.each([
    [[2 * HOUR], '1–4 hours'],
    [[59_000], 'under 10 min'],
    [[25 * HOUR], '1–3 days'],
    [[400 * 24 * HOUR], 'over 3 months'],
  ])('a ticket of %j ms is in "%s"', (times, label) => {
    const builder = completionDistribution();
    for (const time of times) builder.add(time);
    expect(builder.result().bins.at(-1)).toMatchObject({ label, count: 1 });
  });

  it('the median of times is near the true one', () => {
    const builder = completionDistribution();
    for (let hours = 1; hours <= 101; hours++) builder.add(hours * HOUR);
    expect((builder.result().median ?? 0) / (51 * HOUR)).toBeCloseTo(1, 1);
  });

  it('what ended before it began is not counted, and nothing has no median', () => {
    const builder = completionDistribution();
    builder.add(-1);
    expect(builder.result()).toEqual({ bins: [], total: 0 });
  });
});
