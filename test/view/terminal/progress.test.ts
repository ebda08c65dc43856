import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RunEvent } from '../../../src/domain/ports.ts';
import { textWidth } from '../../../src/domain/printable.ts';
import {
  advance,
  INITIAL_STATE,
  type ProgressState,
  progressLine,
  shareOf,
  timeLeft,
} from '../../../src/view/terminal/progress.ts';
import { testStyle } from './sink.ts';

const BUDGETS = [
  { requests: 1000, seconds: 60 },
  { requests: 5000, seconds: 300 },
];
const at = (ms: number, wall = ms) => ({ at: ms, wall });
const request: RunEvent = {
  type: 'request',
  method: 'POST',
  path: '/tickets',
  status: 201,
  milliseconds: 9,
  attempt: 1,
};
const ticket = (outcome: 'done' | 'failed' = 'done'): RunEvent => ({
  type: 'ticket',
  externalId: 'x',
  outcome,
});
const start = (tickets: number, requests: number, alreadyDone = 0): RunEvent => ({
  type: 'start-import',
  tickets,
  alreadyDone,
  requests,
});

/** `tickets` a second with `perTicket` requests each, for `seconds`. */
function run(state: ProgressState, seconds: number, tickets: number, perTicket: number): ProgressState {
  let now = state;
  for (let ms = 100; ms <= seconds * 1000; ms += 100) {
    for (let n = 0; n < (tickets / 10) * perTicket; n++) now = advance(now, request, at(ms));
    for (let n = 0; n < tickets / 10; n++) now = advance(now, ticket(), at(ms));
  }
  return now;
}

describe('the time left', () => {
  it('includes the rate budget, from the first moment', () => {
    const state = advance(INITIAL_STATE, start(10_000, 30_000), at(0));
    expect(timeLeft(state, BUDGETS, at(0))).toBe(1_800_000);
  });

  it('is not fooled by a fast start: the budget bounds it', () => {
    const state = run(advance(INITIAL_STATE, start(10_000, 30_000), at(0)), 5, 100, 3);
    // 9,500 tickets at 100/s would be 95 s; 28,500 requests at 1,000 a minute are 1,710 s.
    expect(timeLeft(state, BUDGETS, at(5000))).toBe(1_710_000);
  });

  it('is that of the measured speed if the helpdesk is slower than the budget', () => {
    const state = run(advance(INITIAL_STATE, start(10_000, 10_000), at(0)), 20, 10, 1);
    expect(timeLeft(state, BUDGETS, at(20_000))).toBeCloseTo(980_000, -4);
  });

  it('is at least the wait that is in force', () => {
    let state = advance(INITIAL_STATE, start(10, 10), at(0));
    state = advance(state, { type: 'waiting', reason: 'retry-after', untilMs: 90_000 }, at(0));
    expect(timeLeft(state, [], at(0))).toBe(90_000);
    expect(timeLeft(state, BUDGETS, at(30_000))).toBe(60_000);
  });

  it('is unknown without a budget until a speed is measured, and nothing at the end', () => {
    const begun = advance(INITIAL_STATE, start(2, 2), at(0));
    expect(timeLeft(begun, [], at(1000))).toBeUndefined();
    const ended = [ticket(), ticket()].reduce((state, event) => advance(state, event, at(2000)), begun);
    expect(timeLeft(ended, [], at(2000))).toBe(0);
  });
});

describe('the line', () => {
  const busy = () => {
    let state = run(advance(INITIAL_STATE, start(10_000, 30_000, 1200), at(0)), 60, 10, 3);
    for (let n = 0; n < 9; n++) state = advance(state, ticket('failed'), at(60_000));
    return advance(state, { type: 'waiting', reason: 'retry-after', untilMs: 98_000 }, at(60_000));
  };

  it.each([
    [40, '⠋ Importing  16%  1,809 of 11,200 tick…'],
    [60, '⠋ Importing  ━━──────────────  16%  1,809 of 11,200 tickets'],
    [80, '⠋ Importing  16%  1,809 of 11,200 tickets · waits 38 s, as the server asks'],
    [
      120,
      '⠋ Importing  ━──────────  16%  1,809 of 11,200 tickets · waits 38 s, as the server asks · 28 min left · 9 failed · 10/s',
    ],
  ])('at %i columns says what matters most', (width, line) => {
    expect(progressLine(busy(), BUDGETS, at(60_000), testStyle(width))).toBe(line);
  });

  it('while reading: bytes, tickets and problems', () => {
    let state = advance(
      INITIAL_STATE,
      { type: 'read', bytes: 450e6, totalBytes: 1e9, records: 120_000 },
      at(0),
    );
    state = advance(state, { type: 'checked', tickets: 30_000, problems: 3 }, at(0));
    expect(progressLine(state, [], at(0), testStyle(100))).toBe(
      '⠋ Reading  ━━━━━━━━━━━━━─────────────────  45% of 1.0 GB · 30,000 tickets · 3 problems',
    );
  });

  it('a ticket that the run did not reach is not counted as settled', () => {
    const begun = advance(INITIAL_STATE, start(4, 4), at(0));
    const stopped = advance(begun, { type: 'ticket', externalId: 'x', outcome: 'pending' }, at(1));
    expect(progressLine(stopped, [], at(1), testStyle(100))).toContain('0 of 4 tickets');
  });

  it('moves every second although nothing happens', () => {
    const lines = [0, 1000, 2000, 3000].map((ms) => progressLine(INITIAL_STATE, [], at(ms), testStyle(80)));
    expect(new Set(lines).size).toBe(4);
  });

  it.each([
    [
      { type: 'waiting', reason: 'target-down', untilMs: 12_000 } as const,
      'the helpdesk is down, tries again in 12 s',
    ],
    [{ type: 'waiting', reason: 'target-down', untilMs: 100 } as const, 'the helpdesk is down, tries again'],
    [
      { type: 'waiting', reason: 'creates-fail', untilMs: 12_000 } as const,
      'creates fail, tries again in 12 s',
    ],
    [{ type: 'waiting', reason: 'rate-budget', untilMs: 0 } as const, 'waits for the rate limit'],
    [{ type: 'waiting', reason: 'rate-budget', untilMs: 42_000 } as const, 'waits 42 s for the rate limit'],
  ])('%j reads %s', (event, words) => {
    const state = advance(advance(INITIAL_STATE, start(10, 10), at(0)), event, at(0));
    expect(progressLine(state, [], at(0), testStyle(100))).toContain(words);
    expect(progressLine(state, [], at(60_000), testStyle(100))).not.toContain(words);
  });

  it('an answer ends "target is down", but not what the helpdesk asked for', () => {
    const begun = advance(INITIAL_STATE, start(10, 10), at(0));
    const line = (reason: 'target-down' | 'retry-after', event: RunEvent) =>
      progressLine(
        advance(advance(begun, { type: 'waiting', reason, untilMs: 9000 }, at(0)), event, at(1)),
        [],
        at(1),
        testStyle(100),
      );
    expect(line('target-down', request)).not.toContain('down');
    const { status: _, ...unanswered } = request;
    expect(line('target-down', unanswered as RunEvent)).toContain('down');
    expect(line('retry-after', request)).toContain('as the server asks');
  });
});

it('whatever happens, the bar never passes 100%, never claims 100% early, and fits the terminal', () => {
  const anyEvent: fc.Arbitrary<RunEvent> = fc.oneof(
    fc
      .record({ tickets: fc.nat(50), done: fc.nat(20), requests: fc.nat(100) })
      .map((n) => start(n.tickets, n.requests, n.done)),
    fc.constantFrom<RunEvent>(request, ticket(), ticket('failed'), {
      type: 'retry',
      reason: 'x',
      waitMs: 1,
      attempt: 1,
    }),
    fc
      .record({ bytes: fc.nat(100), totalBytes: fc.nat(100), records: fc.nat(9) })
      .map((n) => ({ type: 'read' as const, ...n })),
    fc.nat(1e6).map((untilMs) => ({ type: 'waiting' as const, reason: 'rate-budget' as const, untilMs })),
    fc.constantFrom<RunEvent>({ type: 'stage', stage: 'importing' }, { type: 'stage', stage: 'writing' }),
  );
  fc.assert(
    fc.property(
      fc.array(fc.tuple(anyEvent, fc.nat(5000)), { maxLength: 80 }),
      fc.integer({ min: 40, max: 160 }),
      (events, width) => {
        let state = INITIAL_STATE;
        let ms = 0;
        for (const [event, pause] of events) {
          ms += pause;
          state = advance(state, event, at(ms));
          const share = shareOf(state) ?? 0;
          expect(share).toBeGreaterThanOrEqual(0);
          expect(share).toBeLessThanOrEqual(1);
          const line = progressLine(state, BUDGETS, at(ms), testStyle(width));
          expect(textWidth(line)).toBeLessThan(width);
          expect(line).not.toMatch(/NaN|Infinity|undefined/);
          const begun = state.import;
          if (begun !== undefined && state.settled < begun.tickets + begun.alreadyDone)
            expect(line).not.toContain('100%');
          expect(timeLeft(state, BUDGETS, at(ms)) ?? 0).toBeGreaterThanOrEqual(0);
        }
      },
    ),
    { numRuns: 100 },
  );
});
