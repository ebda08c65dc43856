import { describe, expect, it } from 'vitest';
import { createRunTimeline, timelineOfChanges } from '../../../src/view/html/run-timeline.ts';
import { createFakeClock } from '../../support/fake-clock.ts';

const request = { type: 'request', method: 'POST', path: '/tickets', milliseconds: 100, attempt: 1 } as const;
const sum = (list: readonly number[]) => list.reduce((total, count) => total + count, 0);

describe('timeline of a run', () => {
  it('counts requests, refusals by the rate limit and tickets where they fall', async () => {
    const clock = createFakeClock();
    const timeline = createRunTimeline(clock);
    timeline.emit({ type: 'start-import', tickets: 2, alreadyDone: 0, requests: 6 });
    await clock.advance(1500);
    timeline.emit({ ...request, status: 429 });
    timeline.emit({ ...request, status: 201, attempt: 2 });
    timeline.emit({ type: 'ticket', externalId: '1', outcome: 'done' });
    timeline.emit({ type: 'ticket', externalId: '2', outcome: 'failed' });
    timeline.emit({ type: 'ticket', externalId: '3', outcome: 'pending' });
    const result = timeline.result();
    expect(result?.stepMs).toBe(1000);
    expect(result?.steps).toEqual([
      { requests: 0, rateLimited: 0, done: 0, notDone: 0 },
      { requests: 2, rateLimited: 1, done: 1, notDone: 1 },
    ]);
    expect(result?.latency?.median).toBeGreaterThan(94);
    expect(result?.latency?.median).toBeLessThan(106);
  });

  it('a day of requests stays within sixty steps, and none is lost', async () => {
    const clock = createFakeClock();
    const timeline = createRunTimeline(clock);
    for (let minute = 0; minute < 24 * 60; minute++) {
      await clock.advance(60_000);
      timeline.emit({ ...request, status: 200 });
    }
    const steps = timeline.result()?.steps ?? [];
    expect(steps.length).toBeLessThanOrEqual(60);
    expect(steps.length).toBeGreaterThan(30);
    expect(sum(steps.map(({ requests }) => requests))).toBe(24 * 60);
  });

  it('a run that sent nothing has none', () => {
    const timeline = createRunTimeline(createFakeClock());
    timeline.emit({ type: 'start-import', tickets: 0, alreadyDone: 9, requests: 0 });
    expect(timeline.result()).toBeUndefined();
  });
});

describe('timeline of a checkpoint', () => {
  it('days between two runs are left out, and told', () => {
    const day = 86_400;
    const result = timelineOfChanges([
      { second: 1000, tickets: 5 },
      { second: 1001, tickets: 5 },
      { second: 1000 + day, tickets: 7 },
    ]);
    expect(result?.steps.map(({ done }) => done)).toEqual([5, 5, 7]);
    expect(result?.pausedMs).toBe((day - 2) * 1000);
    expect(result?.hasRequests).toBe(false);
  });

  it('waits within a run stay', () => {
    const result = timelineOfChanges([
      { second: 0, tickets: 1 },
      { second: 40, tickets: 1 },
    ]);
    expect(result).toMatchObject({ pausedMs: 0 });
    expect(result?.steps).toHaveLength(41);
  });

  it('an empty checkpoint has none', () => expect(timelineOfChanges([])).toBeUndefined());
});
