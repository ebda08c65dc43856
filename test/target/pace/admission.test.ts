import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import type { RunEvent } from '../../../src/domain/run-events.ts';
import { type AdmissionOptions, createAdmission } from '../../../src/target/pace/admission.ts';
import { createFakeClock } from '../../support/fake-clock.ts';

function setUp(options: Partial<AdmissionOptions> = {}) {
  const clock = createFakeClock();
  const events: RunEvent[] = [];
  const noted = new Map<number, number>();
  const admission = createAdmission({
    budgets: [{ requests: 10, seconds: 1 }],
    clock,
    emit: (event) => events.push(event),
    onSend: (second, requests) => noted.set(second, (noted.get(second) ?? 0) + requests),
    window: { marginMs: () => 0 },
    ...options,
  });
  const { signal } = new AbortController();
  const sent: { name: number; at: number }[] = [];
  const send = (name: number, own = signal) =>
    admission.admit(own).then(() => sent.push({ name, at: clock.monotonic() }));
  return { clock, events, noted, admission, signal, sent, send };
}

describe('admission', () => {
  it('lets requests go in the order in which they came, spaced by the budget', async () => {
    const { clock, sent, send, admission } = setUp();
    const all = Array.from({ length: 5 }, (_, name) => send(name));
    await clock.advance(1_000);
    await Promise.all(all);
    expect(sent).toEqual([0, 1, 2, 3, 4].map((name) => ({ name, at: name * 100 })));
    expect([admission.admitted, admission.waiting, clock.sleeping()]).toEqual([5, 0, 0]);
  });

  it('a pause holds everybody, new ones too, and the longest of several counts', async () => {
    const { clock, sent, send, admission, events } = setUp();
    await send(0);
    const waiting = send(1);
    admission.hold(5_000);
    admission.hold(2_000);
    await clock.advance(4_000);
    const late = send(2);
    await clock.advance(999);
    expect(sent).toHaveLength(1);
    await clock.advance(200);
    await Promise.all([waiting, late]);
    // Not together at its end: the spacing goes on, caught up by the slack of 20 ms.
    expect(sent.slice(1)).toEqual([
      { name: 1, at: 5_000 },
      { name: 2, at: 5_080 },
    ]);
    expect(events.some((event) => event.type === 'waiting' && event.reason === 'retry-after')).toBe(true);
  });

  it('a request that went out late counts from then on: the target sees no more in a window either', async () => {
    const { clock, sent, send, admission } = setUp({ budgets: [{ requests: 1, seconds: 10 }] });
    await send(0);
    await clock.advance(4_000);
    // It had to wait for a connection.
    admission.wentOut(0);
    const next = send(1);
    await clock.advance(9_999);
    expect(sent).toHaveLength(1);
    await clock.advance(1);
    await next;
    expect(sent[1]).toEqual({ name: 1, at: 14_000 });
  });

  it('whoever gives up steps out without being counted, and the others move up', async () => {
    const { clock, sent, send, admission } = setUp();
    const controller = new AbortController();
    await send(0);
    const gone = send(1, controller.signal);
    const stays = send(2);
    controller.abort(new Error('enough'));
    await expect(gone).rejects.toThrow('enough');
    await clock.advance(100);
    await stays;
    expect(sent).toEqual([
      { name: 0, at: 0 },
      { name: 2, at: 100 },
    ]);
    expect(admission.admitted).toBe(2);
    await expect(admission.admit(controller.signal)).rejects.toThrow('enough');
  });

  it('is told without waiting whether one may go, which it counts only then', async () => {
    const { clock, admission, sent, send } = setUp();
    expect([admission.tryAdmit(), admission.tryAdmit(), admission.admitted]).toEqual([true, false, 1]);
    const waiting = send(1);
    await clock.advance(100);
    await waiting;
    expect(sent).toEqual([{ name: 1, at: 100 }]);
    expect(admission.admitted).toBe(2);
  });

  it('nobody goes past those who wait, even when the gate has just opened', async () => {
    const { clock, sent, send } = setUp();
    await send(0);
    const waiting = send(1);
    // The time of the next request comes, but its sleeper has not been woken yet.
    const monotonic = clock.monotonic();
    clock.monotonic = () => monotonic + 100;
    const late = send(2);
    clock.monotonic = () => monotonic;
    await clock.advance(0);
    expect(sent).toHaveLength(1);
    clock.monotonic = () => monotonic + 100;
    await clock.advance(100);
    await waiting;
    expect(sent.map(({ name }) => name)).toEqual([0, 1]);
    clock.monotonic = () => monotonic + 200;
    await clock.advance(100);
    await late;
    expect(sent.map(({ name }) => name)).toEqual([0, 1, 2]);
  });

  it('leaves no timer when nobody waits any more, and no listener', async () => {
    const { clock, send } = setUp();
    const controller = new AbortController();
    await send(0, controller.signal);
    const gone = [send(1, controller.signal), send(2, controller.signal)];
    controller.abort();
    await Promise.allSettled(gone);
    await clock.advance(0);
    expect(clock.sleeping()).toBe(0);
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
  });

  it('serves who comes in the very turn in which the line emptied', async () => {
    const { clock, send, sent } = setUp();
    const controller = new AbortController();
    await send(0);
    const gone = send(1, controller.signal);
    controller.abort();
    const next = send(2);
    await Promise.allSettled([gone]);
    await clock.settle(next);
    expect(sent.at(-1)).toEqual({ name: 2, at: 100 });
  });

  it('tells the ledger each request with its second of the wall clock, and counts what a former process told', async () => {
    const { clock, send, noted } = setUp();
    const all = Array.from({ length: 15 }, (_, name) => send(name));
    await clock.settle(Promise.all(all));
    const second = Math.floor(Date.parse('2025-06-02T08:00:00Z') / 1000);
    expect([...noted]).toEqual([
      [second, 10],
      [second + 1, 5],
    ]);

    const again = setUp({ recent: [{ second: second - 1, requests: 10 }] });
    await again.clock.settle(again.send(0));
    expect(again.sent).toEqual([{ name: 0, at: 1_000 }]);
  });

  it('a jump of the wall clock neither opens nor closes the gate', async () => {
    const { clock, send, sent } = setUp();
    await send(0);
    clock.jump(3_600_000);
    const forth = send(1);
    await clock.advance(100);
    clock.jump(-7_200_000);
    const back = send(2);
    await clock.advance(100);
    await Promise.all([forth, back]);
    expect(sent.map(({ at }) => at)).toEqual([0, 100, 200]);
  });

  it('keeps silent about the ordinary spacing and tells of long waits', async () => {
    const { clock, send, events } = setUp({ budgets: [{ requests: 2, seconds: 60 }] });
    const all = [send(0), send(1)];
    await clock.settle(Promise.all(all));
    expect(events).toEqual([
      { type: 'waiting', reason: 'rate-budget', untilMs: Date.parse('2025-06-02T08:00:30Z') },
    ]);
    const quick = setUp();
    await quick.clock.settle(Promise.all([quick.send(0), quick.send(1)]));
    expect(quick.events).toEqual([]);
  });

  it('slows down where the service says so, and is back at its own pace afterwards', async () => {
    const { clock, send, sent, admission } = setUp();
    await send(0);
    admission.learn({ 'x-ratelimit-limit': '50', 'x-ratelimit-remaining': '2', 'x-ratelimit-reset': '2' });
    const all = [1, 2, 3, 4].map((name) => send(name));
    await clock.settle(Promise.all(all));
    expect(sent.map(({ at }) => at).slice(0, 3)).toEqual([0, 1_000, 2_000]);
    expect(sent[4]!.at - sent[3]!.at).toBeLessThanOrEqual(100);
  });

  it('never goes faster than the settings, whatever the service grants', async () => {
    const { clock, send, sent, admission } = setUp();
    await send(0);
    admission.learn({ 'ratelimit-policy': '"x";q=100000;w=1', ratelimit: '"x";r=100000;t=1' });
    await clock.settle(Promise.all([1, 2, 3].map((name) => send(name))));
    expect(sent.map(({ at }) => at)).toEqual([0, 100, 200, 300]);
  });

  it('a day at full budget: 99 % of it used, never above it, nothing left behind', async () => {
    const { clock, send, sent } = setUp({ budgets: [{ requests: 5, seconds: 60 }] });
    const day = 86_400_000;
    const perDay = (day / 60_000) * 5;
    let name = 0;
    const worker = async () => {
      while (clock.monotonic() < day) await send(name++);
    };
    await clock.settle(Promise.all([worker(), worker(), worker()]));
    const inDay = sent.filter(({ at }) => at < day).length;
    expect(inDay / perDay).toBeGreaterThan(0.99);
    for (let i = 5; i < sent.length; i++)
      expect(sent[i]!.at - sent[i - 5]!.at).toBeGreaterThanOrEqual(60_000);
    expect(clock.sleeping()).toBe(0);
  });
});
