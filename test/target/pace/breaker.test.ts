import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { AppError } from '../../../src/domain/errors.ts';
import type { RunEvent } from '../../../src/domain/run-events.ts';
import { createBreaker, type ProbeResult } from '../../../src/target/pace/breaker.ts';
import { createFakeClock } from '../../support/fake-clock.ts';

function setUp(probe: (nth: number, signal: AbortSignal) => Promise<ProbeResult>, giveUpAfterMs = 600_000) {
  const clock = createFakeClock();
  const events: RunEvent[] = [];
  const probes: number[] = [];
  const breaker = createBreaker({
    clock,
    random: () => 1,
    emit: (event) => events.push(event),
    probe: (signal) => {
      probes.push(clock.monotonic());
      return probe(probes.length, signal);
    },
    giveUpAfterMs,
    pauses: { firstMs: 1_000, maxMs: 8_000 },
  });
  const { signal } = new AbortController();
  return { clock, events, probes, breaker, signal };
}

const dead: ProbeResult = { up: false, cause: 'connection refused' };
const alive: ProbeResult = { up: true };

describe('the breaker', () => {
  it('lets everything pass while the target is up', async () => {
    const { breaker, signal, clock } = setUp(async () => dead);
    await breaker.pass(signal);
    expect([breaker.open, clock.slept.length]).toEqual([false, 0]);
  });

  it('while the target is down everybody waits and one probes, with growing pauses, until it answers', async () => {
    const { breaker, signal, clock, probes } = setUp(async (nth) => (nth < 6 ? dead : alive));
    breaker.down('connection refused');
    const order: number[] = [];
    const all = [1, 2, 3].map((n) => breaker.pass(signal).then(() => order.push(n)));
    await clock.settle(Promise.all(all));
    expect(probes).toEqual([1_000, 3_000, 7_000, 15_000, 23_000, 31_000]);
    expect(order).toEqual([1, 2, 3]);
    expect([breaker.open, clock.sleeping()]).toEqual([false, 0]);
    await breaker.pass(signal);
  });

  it('does not probe before the time that the service asks for', async () => {
    const { breaker, signal, clock, probes } = setUp(async (nth) =>
      nth === 1 ? { ...dead, notBeforeMs: 60_000 } : alive,
    );
    breaker.down('it answers with 503', 30_000);
    breaker.down('it answers with 503', 20_000);
    await clock.settle(breaker.pass(signal));
    expect(probes).toEqual([30_000, 90_000]);
  });

  it('a request that was still under way and succeeds opens the way at once', async () => {
    const { breaker, signal, clock, probes } = setUp(async () => dead);
    breaker.down('connection refused');
    const waiting = breaker.pass(signal);
    await clock.advance(500);
    breaker.up();
    await waiting;
    await clock.advance(0);
    expect([probes.length, clock.sleeping()]).toEqual([0, 0]);
  });

  it.each([
    [1_000, '1 second'],
    [3_000, '3 seconds'],
    [59_000, '59 seconds'],
    [59_800, '1 minute'],
    [600_000, '10 minutes'],
  ])('after %i ms it says %s', async (giveUpAfterMs, lasting) => {
    const { breaker, signal, clock } = setUp(async () => dead, giveUpAfterMs);
    breaker.down('connection refused');
    const error = await clock.settle(breaker.pass(signal).catch((e: unknown) => e));
    expect((error as AppError).message).toContain(`could not be reached for ${lasting}:`);
  });

  it('gives up after its time, for those who wait and those who come later', async () => {
    const { breaker, signal, clock } = setUp(async () => dead, 60_000);
    breaker.down('connection refused');
    const waiting = breaker.pass(signal);
    const error = await clock.settle(waiting.catch((e: unknown) => e));
    expect(error).toBeInstanceOf(AppError);
    expect(error).toMatchObject({ code: 'unreachable', exitCode: 6 });
    expect((error as AppError).message).toBe(
      'The target could not be reached for 1 minute: connection refused.',
    );
    expect(clock.monotonic()).toBe(60_000);
    await expect(breaker.pass(signal)).rejects.toBe(error);
    breaker.up();
    await expect(breaker.pass(signal)).rejects.toBe(error);
    expect(clock.sleeping()).toBe(0);
  });

  it('measures its patience anew for each outage', async () => {
    const { breaker, signal, clock } = setUp(async (nth) => (nth % 3 === 0 ? alive : dead), 10_000);
    for (let outage = 0; outage < 4; outage++) {
      breaker.down('connection refused');
      await clock.settle(breaker.pass(signal));
    }
    expect(clock.monotonic()).toBe(4 * 7_000);
  });

  it('nobody waits, nobody probes: no timer and no listener is left', async () => {
    const { breaker, clock, probes } = setUp(async () => dead);
    breaker.down('connection refused');
    const controller = new AbortController();
    const waiting = breaker.pass(controller.signal);
    await clock.advance(100);
    expect(clock.sleeping()).toBe(1);
    controller.abort(new Error('stop'));
    await expect(waiting).rejects.toThrow('stop');
    await clock.advance(600_000);
    expect([probes.length, clock.sleeping(), getEventListeners(controller.signal, 'abort').length]).toEqual([
      0, 0, 0,
    ]);
    await expect(breaker.pass(controller.signal)).rejects.toThrow('stop');
  });

  it('a probe that hangs is ended when its last waiter leaves, and the next waiter gets a new one', async () => {
    const { breaker, signal, clock, probes } = setUp((nth, probeSignal) =>
      nth > 1
        ? Promise.resolve(alive)
        : new Promise((_, reject) => {
            probeSignal.addEventListener('abort', () => reject(probeSignal.reason), { once: true });
          }),
    );
    breaker.down('connection refused');
    const controller = new AbortController();
    const first = breaker.pass(controller.signal);
    await clock.advance(1_000);
    controller.abort();
    const second = breaker.pass(signal);
    await expect(first).rejects.toThrow();
    await clock.settle(second);
    expect(probes).toHaveLength(2);
  });

  it('a probe that throws counts as down', async () => {
    const { breaker, signal, clock, probes } = setUp(async (nth) => {
      if (nth === 1) throw new Error('no token');
      return alive;
    });
    breaker.down('connection refused');
    await clock.settle(breaker.pass(signal));
    expect(probes).toEqual([1_000, 3_000]);
  });

  it('tells once for each pause until when it waits', async () => {
    const { breaker, signal, clock, events } = setUp(async (nth) => (nth < 2 ? dead : alive));
    breaker.down('connection refused');
    await clock.settle(breaker.pass(signal));
    const start = Date.parse('2025-06-02T08:00:00Z');
    const outage = { address: 'the target', cause: 'connection refused' };
    expect(events).toMatchObject([
      { type: 'waiting', reason: 'target-down', untilMs: start + 1_000, outage },
      { type: 'waiting', reason: 'target-down', untilMs: start + 3_000, outage },
    ]);
  });
});
