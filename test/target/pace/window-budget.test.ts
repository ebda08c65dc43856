import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Rate } from '../../../src/domain/limits.ts';
import { defaultMarginMs, WindowBudget } from '../../../src/target/pace/window-budget.ts';

/** Brute force: the most sends in any closed window of this length. */
function busiest(times: readonly number[], lengthMs: number): number {
  let most = 0;
  for (const begin of times)
    most = Math.max(most, times.filter((t) => t >= begin && t <= begin + lengthMs).length);
  return most;
}

/** Sends as soon as allowed, arriving at the gate at the given times; a send may be late by `late`. */
function sendAll(budget: WindowBudget, arrivals: readonly number[], late: readonly number[] = []): number[] {
  let now = 0;
  return arrivals.map((arrival, index) => {
    now = Math.max(now, arrival);
    now = budget.admitAt(now) + (late[index] ?? 0);
    budget.take(now);
    return now;
  });
}

const budgets = fc.array(
  fc.record({ requests: fc.integer({ min: 1, max: 12 }), seconds: fc.integer({ min: 1, max: 20 }) }),
  { minLength: 1, maxLength: 3 },
);
const gaps = fc.array(fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 30_000 })), {
  minLength: 1,
  maxLength: 60,
});

function arrivalsOf(steps: readonly number[]): number[] {
  let at = 0;
  return steps.map((step) => {
    at += step;
    return at;
  });
}

describe('the rate budget', () => {
  it('never sends more than n in any window, however requests come and however late they go out', () => {
    fc.assert(
      fc.property(
        budgets,
        gaps,
        fc.array(fc.integer({ min: 0, max: 3_000 }), { maxLength: 60 }),
        (all, steps, late) => {
          const times = sendAll(new WindowBudget(all), arrivalsOf(steps), late);
          for (const { requests, seconds } of all) {
            const stretched = seconds * 1000 + defaultMarginMs({ requests, seconds }) - 0.001;
            expect(busiest(times, stretched)).toBeLessThanOrEqual(requests);
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  it('never lets more than n arrive in any window while delays differ by no more than the margin', () => {
    fc.assert(
      fc.property(
        budgets,
        gaps,
        fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 60 }),
        (all, steps, delays) => {
          const margin = Math.min(...all.map(defaultMarginMs)) * 0.999;
          const sent = sendAll(new WindowBudget(all), arrivalsOf(steps));
          const arrived = sent.map((time, index) => time + 40 + margin * (delays[index] ?? 0));
          for (const { requests, seconds } of all)
            expect(busiest(arrived, seconds * 1000)).toBeLessThanOrEqual(requests);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('admits at the earliest time that windows and spacing allow: a moment earlier would break one of them', () => {
    fc.assert(
      fc.property(budgets, gaps, (all, steps) => {
        const budget = new WindowBudget(all, { slackMs: 100_000_000 });
        const times: number[] = [];
        for (const arrival of arrivalsOf(steps)) {
          const now = Math.max(arrival, times.at(-1) ?? 0);
          const at = budget.admitAt(now);
          const spaced = (times[0] ?? 0) + times.length * budget.spacingMs;
          const windows = all.map(({ requests, seconds }) => {
            const earlier = times[times.length - requests];
            return earlier === undefined
              ? now
              : earlier + seconds * 1000 + defaultMarginMs({ requests, seconds });
          });
          // With unlimited slack a place in the spacing is kept for ever, so only these bound the time from below.
          expect(at).toBeCloseTo(Math.max(now, ...windows, times.length === 0 ? now : spaced), 3);
          budget.take(at);
          times.push(at);
        }
      }),
      { numRuns: 200 },
    );
  });

  it('sends at once what comes first, and then evenly', () => {
    const times = sendAll(new WindowBudget([{ requests: 10, seconds: 1 }]), Array(21).fill(500));
    expect(times[0]).toBe(500);
    const spaces = times.slice(1).map((time, index) => time - (times[index] ?? 0));
    expect(Math.min(...spaces)).toBeGreaterThan(100);
    expect(Math.max(...spaces)).toBeLessThan(102);
  });

  it('after a pause catches up by the slack and no more', () => {
    const budget = new WindowBudget([{ requests: 1000, seconds: 60 }], { slackMs: 500 });
    sendAll(budget, [0]);
    const burst = sendAll(budget, Array(30).fill(60_000)).filter((time) => time === 60_000);
    expect(burst.length).toBe(9); // 500 ms of 60.48 ms each, and the one that is due
  });

  const hour = 3_600_000;
  it.each<{ name: string; all: Rate[]; best: number }>([
    {
      name: '1000/60 and 5000/300',
      all: [
        { requests: 1000, seconds: 60 },
        { requests: 5000, seconds: 300 },
      ],
      best: 60_000,
    },
    { name: '250/5', all: [{ requests: 250, seconds: 5 }], best: 180_000 },
    { name: '10/1', all: [{ requests: 10, seconds: 1 }], best: 36_000 },
    { name: '3/60', all: [{ requests: 3, seconds: 60 }], best: 180 },
  ])('uses 99 % of $name over an hour, although every timer is late by a millisecond', ({ all, best }) => {
    const budget = new WindowBudget(all);
    let now = 0;
    let sent = 0;
    for (; now < hour; sent++) {
      const at = budget.admitAt(now);
      now = at > now ? at + 1 : at;
      budget.take(now);
    }
    expect(sent / best).toBeGreaterThanOrEqual(0.99);
    expect(sent / best).toBeLessThanOrEqual(1);
  });

  it('counts what an earlier process sent, as late as it can have been', () => {
    const wall = Date.UTC(2025, 0, 1, 12, 0, 30, 400);
    const second = Math.floor(wall / 1000);
    const budget = new WindowBudget([{ requests: 10, seconds: 60 }], { marginMs: () => 1 });
    budget.restore(
      [
        { second: second - 50, requests: 4 },
        { second: second - 10, requests: 6 },
        { second: second - 500, requests: 99 },
      ],
      { wall, monotonic: 1_000_000 },
    );
    // The four of fifty seconds ago count until the end of their second is more than a minute old.
    expect(budget.admitAt(1_000_000)).toBeCloseTo(1_000_000 + 60_001 - 49_400, 5);
  });

  it('takes seconds that lie in the future, after the wall clock was set back, as just sent', () => {
    const budget = new WindowBudget([{ requests: 2, seconds: 10 }], { marginMs: () => 1 });
    budget.restore([{ second: 10_000, requests: 2 }], { wall: 5_000_000, monotonic: 70 });
    expect(budget.admitAt(70)).toBe(70 + 10_001);
  });

  it('counts requests that a killed process sent after its last record', () => {
    const budget = new WindowBudget([{ requests: 5, seconds: 10 }], { marginMs: () => 1 });
    budget.restore([{ second: 100, requests: 3 }], { wall: 102_000, monotonic: 0 }, 2);
    expect(budget.admitAt(0)).toBe(9_001);
  });

  it('a restart in the middle keeps every window', () => {
    fc.assert(
      fc.property(budgets, gaps, gaps, fc.integer({ min: 0, max: 30_000 }), (all, before, after, down) => {
        const wallStart = 1_700_000_000_123;
        const first = sendAll(new WindowBudget(all), arrivalsOf(before));
        const recorded = new Map<number, number>();
        for (const time of first) {
          const second = Math.floor((wallStart + time) / 1000);
          recorded.set(second, (recorded.get(second) ?? 0) + 1);
        }
        const restart = (first.at(-1) ?? 0) + down;
        const again = new WindowBudget(all);
        // The monotonic clock of another process begins anywhere.
        again.restore(
          [...recorded].map(([second, requests]) => ({ second, requests })),
          {
            wall: wallStart + restart,
            monotonic: 0,
          },
        );
        const second = sendAll(again, arrivalsOf(after)).map((time) => time + restart);
        for (const { requests, seconds } of all)
          expect(busiest([...first, ...second], seconds * 1000)).toBeLessThanOrEqual(requests);
      }),
      { numRuns: 300 },
    );
  });

  it('counts a request that was held up behind the gate when it really went out, and those taken meanwhile with it', () => {
    const budget = new WindowBudget([{ requests: 4, seconds: 10 }], { marginMs: () => 1, slackMs: 100_000 });
    for (const at of [0, 2_500, 5_000, 7_500]) budget.take(at);
    budget.wentOutLate(2_500, 6_000);
    const next = [];
    for (let n = 0; n < 4; n++) {
      next.push(budget.admitAt(7_500));
      budget.take(next[n] ?? 0);
    }
    expect(next).toEqual([10_001, 16_001, 16_001, 17_501.75]);
  });

  it('holds every window for what really went out, however long requests are held up behind the gate', () => {
    const late = fc.array(fc.integer({ min: 0, max: 5_000 }), { minLength: 60, maxLength: 60 });
    fc.assert(
      fc.property(budgets, gaps, late, (all, steps, delays) => {
        const budget = new WindowBudget(all);
        let free = 0;
        const out: number[] = [];
        // One sender: the next request passes the gate when the one before has gone out.
        arrivalsOf(steps).forEach((arrival, index) => {
          const taken = budget.admitAt(Math.max(arrival, free));
          budget.take(taken);
          free = taken + (delays[index] ?? 0);
          budget.wentOutLate(taken, free);
          out.push(free);
        });
        for (const { requests, seconds } of all)
          expect(busiest(out, seconds * 1000)).toBeLessThanOrEqual(requests);
      }),
      { numRuns: 200 },
    );
  });

  it('without budgets everything goes at once', () => {
    const budget = new WindowBudget([]);
    expect(sendAll(budget, [5, 5, 5])).toEqual([5, 5, 5]);
  });

  it.each([
    [0, 60],
    [1.5, 60],
    [10, 0],
    [10, Number.NaN],
    [10, Number.POSITIVE_INFINITY],
  ])('refuses %s/%s', (requests, seconds) => {
    expect(() => new WindowBudget([{ requests, seconds }])).toThrow(RangeError);
  });
});
