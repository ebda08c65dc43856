import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SlidingWindows } from '../../src/sandbox/faults/sliding-window.ts';
import { look, running } from './running-sandbox.ts';

describe('rate limits', () => {
  it('never let more than n requests into any window, and let in whatever fits', () => {
    const limits = [
      { requests: 3, seconds: 1 },
      { requests: 5, seconds: 4 },
    ];
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 900 }), { maxLength: 80 }), (gaps) => {
        const windows = new SlidingWindows(limits);
        const admitted: number[] = [];
        let now = 0;
        for (const gap of gaps) {
          now += gap;
          // The same question, asked the long way.
          const fits = limits.every(
            ({ requests, seconds }) => admitted.filter((at) => at > now - seconds * 1000).length < requests,
          );
          const wait = windows.admit(now);
          expect(wait === 0).toBe(fits);
          if (wait === 0) admitted.push(now);
        }
      }),
    );
  });

  it('say how long to wait, to the millisecond', () => {
    const windows = new SlidingWindows([{ requests: 2, seconds: 10 }]);
    expect([windows.admit(0), windows.admit(1000), windows.admit(1500)]).toEqual([0, 0, 8500]);
    expect(windows.admit(9999)).toBe(1);
    expect(windows.admit(10_000)).toBe(0);
    expect(windows.admit(10_001)).toBe(999);
  });

  it('answer 429 with a Retry-After that is never too short, over several windows at once', async () => {
    const sandbox = await running({
      rateLimits: [
        { requests: 2, seconds: 1 },
        { requests: 3, seconds: 60 },
      ],
    });
    const ask = () => sandbox.call('POST', '/tickets', { subject: 'a' });
    expect([(await ask()).status, (await ask()).status]).toEqual([201, 201]);
    sandbox.clock.advance(100);
    const refused = await ask();
    expect([refused.status, refused.headers.get('retry-after'), refused.body.code]).toEqual([
      429,
      '1',
      'rate_limited',
    ]);
    sandbox.clock.advance(1000);
    expect((await ask()).status).toBe(201);
    sandbox.clock.advance(2000);
    const again = await ask();
    expect([again.status, again.headers.get('retry-after')]).toEqual([429, '57']);
    sandbox.clock.advance(57_000);
    expect((await ask()).status).toBe(201);
    expect(sandbox.store.list.count({})).toBe(4);
    expect(sandbox.store.log.requests({ fault: 'rate-limit' })).toHaveLength(2);
  });

  it('count reads and refused tokens, and neither token requests nor pages', async () => {
    const sandbox = await running({ rateLimits: [{ requests: 2, seconds: 60 }] });
    for (let i = 0; i < 5; i++) {
      await look(sandbox.url);
      await fetch(sandbox.oauth.tokenUrl, { method: 'POST' });
    }
    expect((await sandbox.call('GET', '/tickets')).status).toBe(200);
    expect((await sandbox.call('GET', '/tickets', undefined, { authorization: 'Bearer no' })).status).toBe(
      401,
    );
    expect((await sandbox.call('GET', '/tickets')).status).toBe(429);
  });
});
