import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { createFixedLimiter } from '../../src/target/slots.ts';

const { signal } = new AbortController();
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('a fixed limiter', () => {
  it('never gives out more slots than it has, first come first served', async () => {
    const limiter = createFixedLimiter(2);
    const got: number[] = [];
    for (let n = 0; n < 5; n++) void limiter.acquire(signal).then(() => got.push(n));
    await settled();
    expect([got, limiter.inFlight, limiter.limit]).toEqual([[0, 1], 2, 2]);
    limiter.release();
    await settled();
    expect(got).toEqual([0, 1, 2]);
    limiter.release();
    limiter.release();
    await settled();
    expect([got, limiter.inFlight]).toEqual([[0, 1, 2, 3, 4], 2]);
  });

  it('gives a free slot at once, but not past those who wait', async () => {
    const limiter = createFixedLimiter(1);
    expect([limiter.tryAcquire(), limiter.tryAcquire(), limiter.inFlight]).toEqual([true, false, 1]);
    let isHeld = false;
    void limiter.acquire(signal).then(() => {
      isHeld = true;
    });
    limiter.release();
    expect(limiter.tryAcquire()).toBe(false);
    await settled();
    expect([isHeld, limiter.inFlight]).toEqual([true, 1]);
  });

  it('whoever gives up holds no slot and leaves no listener', async () => {
    const limiter = createFixedLimiter(1);
    const controller = new AbortController();
    await limiter.acquire(controller.signal);
    const waiting = limiter.acquire(controller.signal);
    controller.abort(new Error('stop'));
    await expect(waiting).rejects.toThrow('stop');
    await expect(limiter.acquire(controller.signal)).rejects.toThrow('stop');
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
    limiter.release();
    expect(limiter.inFlight).toBe(0);
    await limiter.acquire(signal);
    expect(limiter.inFlight).toBe(1);
  });
});
