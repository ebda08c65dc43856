/** The loop that sends usage events: each event ends in exactly one outcome, whatever the target answers. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { UsageOutcome } from '../../../src/billing/usage-checkpoint.ts';
import { sendUsage, type UsageSendOptions, type UsageToSend } from '../../../src/billing/usage-send.ts';
import { AppError } from '../../../src/domain/errors.ts';
import { ApiFailure } from '../../../src/domain/ticket-api.ts';
import { systemClock } from '../../../src/system-clock.ts';
import { createFixedLimiter } from '../../../src/target/pace/concurrency-limit.ts';

const ref = { file: 0, row: 0, line: 1 };
const toSend = (id: string): UsageToSend => ({
  event: { eventId: id, eventName: 'e', customerId: 'c' },
  digest: Buffer.from(id),
  ref,
  outcome: 'pending',
});

async function* inBatches(ids: readonly string[], size: number) {
  for (let at = 0; at < ids.length; at += size) yield ids.slice(at, at + size).map(toSend);
}

interface Target {
  /** Event ids of one request; throws what the client would. */
  answer(ids: readonly string[], signal: AbortSignal): void | Promise<void>;
}

async function send(
  ids: readonly string[],
  target: Target,
  options: {
    size?: number;
    slots?: number;
    soft?: AbortSignal;
    hard?: AbortSignal;
  } & Partial<UsageSendOptions> = {},
) {
  const outcomes = new Map<string, string>();
  const requests: string[][] = [];
  const recorded: UsageOutcome[] = [];
  const never = new AbortController().signal;
  const stopped = await sendUsage(
    inBatches(ids, options.size ?? 4),
    {
      api: {
        sendUsageEvents: async (events, signal) => {
          const sent = events.map(({ eventId }) => eventId);
          requests.push(sent);
          await Promise.resolve();
          await target.answer(sent, signal);
        },
      },
      limiter: createFixedLimiter(options.slots ?? 3),
      clock: systemClock,
      record: (found) => recorded.push(...found),
      settled: (events, outcome) => {
        for (const { event } of events) {
          if (outcomes.has(event.eventId)) throw new Error(`${event.eventId} has two outcomes`);
          outcomes.set(event.eventId, outcome);
        }
      },
    },
    { graceMs: 1_000, ...options },
    { soft: options.soft ?? never, hard: options.hard ?? never },
  );
  expect(recorded.map(({ digest, state }) => [digest.toString(), state])).toEqual([...outcomes]);
  return { stopped, outcomes, requests };
}

const ids = (count: number) => Array.from({ length: count }, (_, index) => `e${index}`);
const refused = () => new ApiFailure('refused', 'none', 'no', { status: 422 });

describe('sending', () => {
  it('finds the events at fault and takes no other along with them, whichever they are', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.boolean(), { maxLength: 40 }),
        fc.integer({ min: 1, max: 12 }),
        fc.integer({ min: 1, max: 5 }),
        async (faults, size, slots) => {
          const all = ids(faults.length);
          const bad = new Set(all.filter((_, index) => faults[index]));
          const { outcomes, stopped } = await send(
            all,
            {
              answer(sent) {
                if (sent.some((id) => bad.has(id))) throw refused();
              },
            },
            { size, slots },
          );
          expect(stopped).toBeUndefined();
          for (const id of all) expect(outcomes.get(id)).toBe(bad.has(id) ? 'failed' : 'done');
        },
      ),
      { numRuns: 60 },
    );
  });

  it('one bad event of a hundred costs few requests', async () => {
    const { requests, outcomes } = await send(
      ids(100),
      {
        answer(sent) {
          if (sent.includes('e37')) throw refused();
        },
      },
      { size: 100 },
    );
    expect(outcomes.get('e37')).toBe('failed');
    expect([...outcomes.values()].filter((outcome) => outcome === 'done')).toHaveLength(99);
    expect(requests.length).toBeLessThan(17);
  });

  it('what has an unknown outcome is in doubt and not halved', async () => {
    const { outcomes, requests } = await send(ids(4), {
      answer() {
        throw new ApiFailure('unknown-outcome', 'unknown', 'silence');
      },
    });
    expect([...outcomes.values()]).toEqual(Array(4).fill('inDoubt'));
    expect(requests).toHaveLength(1);
  });

  it('a service that has not taken one event is sent a few requests and not the whole file', async () => {
    const answer = () => {
      throw new ApiFailure('unknown-outcome', 'unknown', 'It answered 200 with a page.');
    };
    const { stopped, outcomes, requests } = await send(ids(400), { answer }, { size: 4, slots: 1 });
    expect(stopped).toMatchObject({
      code: 'unreachable',
      message: 'No usage event is known to have arrived, so sending stopped. It answered 200 with a page.',
    });
    expect(requests).toHaveLength(5);
    expect([...outcomes.values()]).toEqual(Array(20).fill('inDoubt'));
  });

  it('one that has taken some may fail for longer', async () => {
    let requests = 0;
    const { stopped, outcomes } = await send(
      ids(80),
      {
        answer() {
          requests++;
          if (requests > 1) throw new ApiFailure('unknown-outcome', 'unknown', 'silence');
        },
      },
      { size: 4, slots: 1 },
    );
    expect(stopped).toBeUndefined();
    expect([...outcomes.values()].filter((outcome) => outcome === 'inDoubt')).toHaveLength(76);
  });

  it.each([
    ['auth', 'none', []],
    ['unreachable', 'none', []],
    ['unreachable', 'unknown', ['inDoubt', 'inDoubt']],
  ] as const)(
    '%s (effect %s) stops the run, and leaves the rest as it was',
    async (code, effect, expected) => {
      const { stopped, outcomes, requests } = await send(
        ids(40),
        {
          answer() {
            throw new ApiFailure(code, effect, 'stop');
          },
        },
        { size: 2, slots: 1 },
      );
      expect(stopped).toMatchObject({ code });
      expect([...outcomes.values()]).toEqual(expected);
      expect(requests).toHaveLength(1);
    },
  );

  it('a budget of errors that is spent stops it', async () => {
    const { stopped, outcomes } = await send(
      ids(40),
      {
        answer() {
          throw refused();
        },
      },
      { size: 1, slots: 1, budget: { allowed: 3, already: 1 } },
    );
    expect(stopped).toMatchObject({
      code: 'error-budget',
      message: expect.stringContaining('4 usage events'),
    });
    expect(outcomes.size).toBe(3);
  });

  it('a budget that the rejected events have spent lets nothing out', async () => {
    const { stopped, requests } = await send(ids(3), { answer() {} }, { budget: { allowed: 1, already: 2 } });
    expect(stopped).toMatchObject({ code: 'error-budget' });
    expect(requests).toEqual([]);
  });

  it('a first signal finishes what is in flight and takes nothing new', async () => {
    const soft = new AbortController();
    const { stopped, outcomes, requests } = await send(
      ids(40),
      {
        answer() {
          soft.abort(new AppError('interrupted', 'stop'));
        },
      },
      { size: 2, slots: 1, soft: soft.signal },
    );
    expect(stopped).toMatchObject({ code: 'interrupted' });
    expect(requests).toHaveLength(1);
    expect([...outcomes.values()]).toEqual(['done', 'done']);
  });

  it.each([
    ['unknown', ['inDoubt', 'inDoubt']],
    ['none', []],
  ] as const)(
    'a second signal cuts off what is in flight: with effect %s its events are %j',
    async (effect, expected) => {
      const hard = new AbortController();
      const { stopped, outcomes } = await send(
        ids(4),
        {
          answer: (_, signal) =>
            new Promise((_done, fail) => {
              signal.addEventListener('abort', () => fail(new ApiFailure('cut-off', effect, 'cut')), {
                once: true,
              });
              queueMicrotask(() => hard.abort(new AppError('interrupted', 'over')));
            }),
        },
        { size: 2, slots: 1, hard: hard.signal },
      );
      expect(stopped).toMatchObject({ code: 'interrupted' });
      expect([...outcomes.values()]).toEqual(expected);
    },
  );
});
