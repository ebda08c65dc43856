import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { Slots } from '../../src/helpdesk/pacer.ts';

const { signal } = new AbortController();
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('slots', () => {
  it('never gives out more slots than it has, first come first served', async () => {
    const slots = new Slots(2);
    const got: number[] = [];
    for (let n = 0; n < 5; n++) void slots.acquire(signal).then(() => got.push(n));
    await settled();
    expect(got).toEqual([0, 1]);
    slots.release();
    await settled();
    expect(got).toEqual([0, 1, 2]);
    slots.release();
    slots.release();
    await settled();
    expect(got).toEqual([0, 1, 2, 3, 4]);
  });

  it('gives a free slot at once, but not past those who wait', async () => {
    const slots = new Slots(1);
    expect([slots.tryAcquire(), slots.tryAcquire()]).toEqual([true, false]);
    let isHeld = false;
    void slots.acquire(signal).then(() => {
      isHeld = true;
    });
    slots.release();
    expect(slots.tryAcquire()).toBe(false);
    await settled();
    expect(isHeld).toBe(true);
  });

  it('a waiter that gives up holds no slot and leaves no listener', async () => {
    const slots = new Slots(1);
    const controller = new AbortController();
    await slots.acquire(controller.signal);
    const waiting = slots.acquire(controller.signal);
    controller.abort(new Error('stop'));
    await expect(waiting).rejects.toThrow('stop');
    await expect(slots.acquire(controller.signal)).rejects.toThrow('stop');
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
    slots.release();
    expect([slots.tryAcquire(), slots.tryAcquire()]).toEqual([true, false]);
  });
});
