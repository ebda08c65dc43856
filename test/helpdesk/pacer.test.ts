import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { AppError } from '../../src/domain/errors.ts';
import type { Rate } from '../../src/domain/limits.ts';
import type { RunEvent } from '../../src/domain/ports.ts';
import { type News, Pacer, type PacerOptions } from '../../src/helpdesk/pacer.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { seeded } from '../support/seeded.ts';

const { signal } = new AbortController();
const GOOD: News = { is: 'good' };
const down = (askedMs = 0): News => ({ is: 'down', cause: 'connection refused', askedMs });

function setUp(options: Partial<PacerOptions> = {}, probed: (nth: number) => News = () => GOOD) {
  const clock = createFakeClock();
  const events: RunEvent[] = [];
  const probes: number[] = [];
  const pacer: Pacer = new Pacer({
    budgets: [],
    clock,
    random: () => 1,
    emit: (event) => events.push(event),
    probe: async () => {
      probes.push(clock.monotonic());
      pacer.came(probed(probes.length));
    },
    giveUpAfterMs: 60_000,
    ...options,
  });
  /** When a request that asks now goes out, or what it is refused with. */
  const sent = (own = signal) =>
    Promise.resolve(pacer.turn(own)).then(
      () => Math.round(clock.monotonic()),
      (error: unknown) => error,
    );
  return { clock, events, probes, pacer, sent };
}

/** Most arrivals in any window of so many milliseconds, both ends included. */
function mostWithin(arrivals: readonly number[], ms: number): number {
  let oldest = 0;
  return arrivals.reduce((most, at, index) => {
    while ((arrivals[oldest] ?? 0) < at - ms) oldest += 1;
    return Math.max(most, index - oldest + 1);
  }, 0);
}

describe('spacing', () => {
  const USUAL = [
    { requests: 1000, seconds: 60 },
    { requests: 5000, seconds: 300 },
  ];
  const BUDGETS: readonly (readonly Rate[])[] = [
    USUAL,
    [{ requests: 250, seconds: 5 }],
    [{ requests: 10, seconds: 1 }],
    [
      { requests: 100, seconds: 60 },
      { requests: 10, seconds: 1 },
    ],
  ];

  it.each(
    BUDGETS.map((budgets) => [budgets.map((b) => `${b.requests}/${b.seconds}`).join(' '), budgets] as const),
  )(
    '%s: at least 99% is used and no window exceeded, however late timers fire and requests arrive',
    async (_, budgets) => {
      const { clock, pacer } = setUp({ budgets });
      const random = seeded(7, budgets.length);
      const shortest = Math.min(...budgets.map(({ seconds }) => seconds)) * 1000;
      const late = Math.min(5, shortest * 0.004);
      const arrivals: number[] = [];
      const until = shortest * 60;
      const worker = async () => {
        for (;;) {
          await pacer.turn(signal);
          if (clock.monotonic() >= until) return;
          arrivals.push(clock.monotonic() + random.between(0, Math.floor(shortest * 0.008)));
          await clock.sleep(late);
        }
      };
      await clock.settle(Promise.all(Array.from({ length: 8 }, worker)));
      arrivals.sort((a, b) => a - b);
      for (const { requests, seconds } of budgets)
        expect(mostWithin(arrivals, seconds * 1000)).toBeLessThanOrEqual(requests);
      const allowed = Math.min(
        ...budgets.map(({ requests, seconds }) => (requests / seconds / 1000) * until),
      );
      expect(arrivals.length / allowed).toBeGreaterThan(0.985);
    },
  );

  it('a process that starts anew waits one spacing, so a restart exceeds no window', async () => {
    const budget = { requests: 10, seconds: 60 };
    const clock = createFakeClock();
    const arrivals: number[] = [];
    for (let process = 0; process < 30; process++) {
      const { pacer } = setUp({ budgets: [budget], clock });
      for (let n = 0; n < 1 + (process % 3); n++) {
        await clock.settle(Promise.resolve(pacer.turn(signal)));
        arrivals.push(clock.monotonic());
      }
    }
    expect(mostWithin(arrivals, 60_000)).toBeLessThanOrEqual(10);
  });

  it('a request that is held up after its turn exceeds no window: those behind it wait', async () => {
    const { clock, pacer } = setUp({ budgets: [{ requests: 250, seconds: 5 }] });
    const departures: number[] = [];
    const worker = async (holdMs: number) => {
      while (clock.monotonic() < 60_000) {
        const turn = await pacer.turn(signal);
        await clock.sleep(holdMs);
        pacer.left(turn);
        departures.push(clock.monotonic());
        await clock.sleep(60);
      }
    };
    await clock.settle(Promise.all([0, 1, 0, 90, 3, 0, 40, 0].map(worker)));
    expect(
      mostWithin(
        departures.sort((a, b) => a - b),
        5_000,
      ),
    ).toBeLessThanOrEqual(250);
  });

  it('first come, first served; a request that gives up leaves no place, no timer and no listener', async () => {
    const { clock, sent } = setUp({ budgets: [{ requests: 60, seconds: 60 }] });
    const controller = new AbortController();
    const [first, gone, last] = [sent(), sent(controller.signal), sent()];
    controller.abort(new Error('enough'));
    expect(await gone).toMatchObject({ message: 'enough' });
    expect(await clock.settle(Promise.all([first, last]))).toEqual([1_009, 2_018]);
    expect([clock.sleeping(), getEventListeners(controller.signal, 'abort').length]).toEqual([0, 0]);
    const alone = new AbortController();
    const only = sent(alone.signal);
    alone.abort(new Error('enough'));
    await only;
    await clock.advance(0);
    expect(clock.sleeping()).toBe(0);
  });

  it.each([0, 1.5, -1, Number.NaN])('a budget of %s requests is refused', (requests) => {
    expect(() => setUp({ budgets: [{ requests, seconds: 60 }] })).toThrow(RangeError);
  });
});

describe('pauses', () => {
  it('a 429 holds everything for exactly as long as it asks; pauses do not add up', async () => {
    const { clock, pacer, sent, events } = setUp();
    pacer.came({ is: 'limited', sentAt: 0, askedMs: 7_000 });
    pacer.came({ is: 'limited', sentAt: 0, askedMs: 3_000 });
    expect(await clock.settle(Promise.all([sent(), sent()]))).toEqual([7_000, 7_000]);
    expect(events.filter(({ type }) => type === 'waiting')).toMatchObject([{ reason: 'retry-after' }]);
  });

  it('pauses without a given length grow to a minute, count refusals that came together once, and start anew', async () => {
    const { clock, pacer, events } = setUp({ giveUpAfterMs: 3_600_000 });
    for (let n = 0; n < 7; n++) {
      pacer.came({ is: 'limited', sentAt: clock.monotonic(), askedMs: n % 2 === 0 ? 0 : 400 });
      pacer.came({ is: 'limited', sentAt: clock.monotonic() - 1, askedMs: 0 });
      await clock.advance(60_001);
    }
    pacer.came(GOOD);
    pacer.came({ is: 'limited', sentAt: clock.monotonic(), askedMs: 0 });
    const pauses = events.flatMap((each) => (each.type === 'rate-limited' ? [each.waitMs] : []));
    expect(pauses.filter((_, index) => index % 2 === 0)).toEqual([
      2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 2_000,
    ]);
  });

  it('gives up after its time if nothing is let through, and for good', async () => {
    const { clock, pacer, sent } = setUp();
    pacer.came({ is: 'limited', sentAt: 0, askedMs: 86_400_000 });
    const error = await clock.settle(sent());
    expect(error).toMatchObject({
      code: 'unreachable',
      message: expect.stringMatching(
        /^The helpdesk has limited the rate for 1 minute\. It asks to wait until 2025-06-03T08:00:00.000Z\.$/,
      ),
    });
    expect(clock.monotonic()).toBe(60_000);
    expect(await sent()).toBe(error);
  });
});

describe('an outage', () => {
  it('while the helpdesk is down only probes go out, with growing pauses; the first sign of life lets all go, first come first', async () => {
    const { clock, pacer, sent, probes, events } = setUp({}, (nth) => (nth < 4 ? down() : GOOD));
    pacer.came(down());
    const order: string[] = [];
    const all = ['a', 'b', 'c'].map((name) => sent().then(() => order.push(name)));
    await clock.settle(Promise.all(all));
    expect([probes, order]).toEqual([
      [500, 1_500, 3_500, 7_500],
      ['a', 'b', 'c'],
    ]);
    expect(events.filter(({ type }) => type === 'waiting')[0]).toMatchObject({
      reason: 'target-down',
      outage: { address: 'the helpdesk', cause: 'connection refused', givesUpMs: 60_000 },
    });
    expect(clock.sleeping()).toBe(0);
  });

  it('a request that was under way and is answered ends it, without a probe', async () => {
    const { clock, pacer, sent, probes } = setUp();
    pacer.came(down(30_000));
    const waiting = sent();
    await clock.advance(10);
    pacer.came(GOOD);
    expect([await waiting, probes]).toEqual([10, []]);
  });

  it.each<[string, News]>([
    ['500', { is: 'answering', cause: 'status 500' }],
    ['429', { is: 'limited', sentAt: 0, askedMs: 1_000 }],
  ])('a helpdesk that answers with %s is there', async (_, news) => {
    const { clock, pacer, sent, probes } = setUp();
    pacer.came(down(30_000));
    pacer.came(news);
    expect(await clock.settle(sent())).toBeLessThanOrEqual(1_000);
    expect(probes).toEqual([]);
  });

  it('gives up after its time, for all who wait and all who come later', async () => {
    const { clock, pacer, sent } = setUp({}, () => down());
    pacer.came(down());
    const [one, two] = await clock.settle(Promise.all([sent(), sent()]));
    expect(one).toMatchObject({
      code: 'unreachable',
      message: 'The helpdesk could not be reached for 1 minute: connection refused.',
    });
    expect([two, await sent(), pacer.gaveUp]).toEqual([one, one, one]);
    expect(clock.monotonic()).toBe(60_000);
  });
});

describe('the clock that ends all waiting', () => {
  const BAD: News = { is: 'answering', cause: 'status 500' };
  const limited = (askedMs: number): News => ({ is: 'limited', sentAt: 0, askedMs });
  type Step = readonly [atSecond: number, News];
  const bad = (...seconds: number[]): Step[] => seconds.map((second) => [second, BAD]);
  it.each<[what: string, steps: readonly Step[], givesUp: boolean]>([
    ['bad answers for its time', bad(0, 30, 60), true],
    ['a good answer in between', [[0, BAD], [30, GOOD], ...bad(60, 80)], false],
    [
      'an idle time before a bad answer',
      [
        [0, GOOD],
        [600, BAD],
      ],
      false,
    ],
    [
      'an idle time after a pause',
      [
        [0, limited(5_000)],
        [600, BAD],
      ],
      false,
    ],
    ['an idle time, and then bad answers for its time', bad(0, 600, 630, 661), true],
    [
      'pauses for its time, each of which ends',
      [0, 25, 50].map((at) => [at, limited(20_000)] as const),
      true,
    ],
  ])('%s', async (_, steps, givesUp) => {
    const { clock, pacer, sent } = setUp();
    for (const [second, news] of steps) {
      await clock.advance(second * 1_000 - clock.monotonic());
      await clock.settle(sent());
      pacer.came(news);
    }
    const last = sent();
    expect((await clock.settle(last)) instanceof AppError).toBe(givesUp);
  });
});

describe('which requests are stopped', () => {
  it.each<[string, News]>([
    ['a helpdesk that is down', down()],
    ['a pause', { is: 'limited', sentAt: 0, askedMs: 30_000 }],
  ])('does not wait for %s, neither before nor after', async (_, news) => {
    const stop = new AbortController();
    const { clock, pacer, sent } = setUp({ stopping: stop.signal });
    pacer.came(news);
    const waiting = sent();
    await clock.advance(10);
    const reason = new AppError('interrupted', 'Stopped.');
    stop.abort(reason);
    expect([await waiting, await sent(), clock.monotonic()]).toEqual([reason, reason, 10]);
  });

  it('still waits for its turn in the line', async () => {
    const stop = new AbortController();
    const { clock, sent } = setUp({ stopping: stop.signal, budgets: [{ requests: 120, seconds: 60 }] });
    stop.abort();
    expect(await clock.settle(sent())).toBeLessThan(510);
  });
});
