import { describe, expect, it } from 'vitest';
import type { AppError } from '../../src/domain/errors.ts';
import type { RunEvent } from '../../src/domain/ports.ts';
import { ApiFailure } from '../../src/domain/ticket-api.ts';
import { type CreateEnd, CreateGate, type CreateTurn, MOST_UNPROVEN } from '../../src/push/create-gate.ts';
import { createFailure, endOf, endOfRest } from '../../src/push/failure-meaning.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { turn } from './fake-target.ts';

const TEN_MINUTES = 600_000;
const PROBLEM = { code: 'unknown-outcome', message: 'It answered 200 with a page.' } as const;

/** Tickets named 1, 2, … come to the gate; `underWay` are those that it let through, first to last. */
function gateway() {
  const clock = createFakeClock();
  const stop = new AbortController();
  const reported: RunEvent[] = [];
  const gate = new CreateGate({
    clock,
    random: () => 0.5,
    emit: (event) => reported.push(event),
    stop: (reason) => stop.abort(reason),
    giveUpAfterMs: TEN_MINUTES,
  });
  const underWay = new Map<string, CreateTurn>();
  let count = 0;
  const arrive = (id: string) => {
    gate.begin(id, stop.signal).then(
      (at) => underWay.set(id, at),
      () => undefined,
    );
  };
  return {
    gate,
    clock,
    reported,
    underWay,
    get reason() {
      return stop.signal.reason as AppError | undefined;
    },
    come: async (tickets: number) => {
      for (let i = 0; i < tickets; i++) arrive(String(++count));
      await turn();
    },
    again: async (id: string) => {
      arrive(id);
      await turn();
    },
    end: async (id: string, how: CreateEnd) => {
      const at = underWay.get(id);
      if (at === undefined) throw new Error(`${id} is not under way`);
      underWay.delete(id);
      at.end(how, how === 'answered' ? undefined : PROBLEM);
      await turn();
    },
    ids: () => [...underWay.keys()],
  };
}

describe('the first creates', () => {
  it('the first one goes alone, and when the helpdesk has answered it all others go, and later ones do not wait', async () => {
    const { come, end, ids, clock } = gateway();
    await come(4);
    expect(ids()).toEqual(['1']);
    await end('1', 'answered');
    expect(ids()).toEqual(['2', '3', '4']);
    await come(1);
    expect(ids()).toContain('5');
    expect(clock.sleeping()).toBe(0);
  });

  it.each(['unknown', 'nowhere'] as const)(
    'no create that ends well (%s): five, with pauses, and it stops',
    async (how) => {
      const run = gateway();
      await run.come(20);
      for (let n = 1; n <= MOST_UNPROVEN; n++) {
        expect(run.ids()).toEqual([String(n)]);
        expect(run.reason).toBeUndefined();
        await run.end(String(n), how);
        while (run.ids().length === 0 && (await run.clock.advanceToNext()));
      }
      expect(run.clock.slept).toEqual([375, 750, 1500]);
      expect(run.reason).toMatchObject({
        code: 'unreachable',
        exitCode: 6,
        message: `None of the first 5 tickets could be created, so the import stops. Last error: ${PROBLEM.message}`,
      });
      expect(run.ids()).toEqual([]);
      expect(run.clock.sleeping()).toBe(0);
      expect(run.reported.map(({ type }) => type)).toEqual(['waiting', 'waiting', 'waiting']);
    },
  );

  it('five tickets that are all there is end without a stop', async () => {
    const run = gateway();
    await run.come(5);
    for (let n = 1; n <= 5; n++) {
      while (run.ids().length === 0) await run.clock.advanceToNext();
      await run.end(String(n), 'unknown');
    }
    expect(run.reason).toBeUndefined();
    await run.come(1);
    expect(run.reason?.code).toBe('unreachable');
  });

  it('the same ticket again and again is one', async () => {
    const run = gateway();
    for (let n = 1; n <= 9; n++) {
      await run.again('1');
      expect(run.ids()).toEqual(['1']);
      await run.end('1', 'unknown');
    }
    expect(run.reason).toBeUndefined();
    expect(run.reported).toEqual([]);
  });

  it('an end that tells nothing of the helpdesk lets the next one go, alone', async () => {
    const run = gateway();
    await run.come(3);
    await run.end('1', 'neither');
    expect(run.ids()).toEqual(['2']);
    await run.end('2', 'answered');
    expect(run.ids()).toEqual(['3']);
  });

  it('a doubt that turns out well proves the helpdesk', async () => {
    const run = gateway();
    await run.come(4);
    await run.end('1', 'unknown');
    expect(run.ids()).toEqual(['2']);
    run.gate.worked();
    await turn();
    expect(run.ids()).toEqual(['2', '3', '4']);
  });
});

describe('a helpdesk that has worked', () => {
  async function proven() {
    const run = gateway();
    await run.come(1);
    await run.end('1', 'answered');
    return run;
  }

  it('and fails for longer is asked by one at a time, until one works', async () => {
    const run = await proven();
    for (let round = 0; round < 2; round++) {
      await run.come(8);
      for (const id of run.ids()) await run.end(id, 'unknown');
    }
    await run.come(8);
    expect(run.ids()).toEqual([]);
    expect(run.reported).toEqual([{ type: 'waiting', reason: 'creates-fail', untilMs: expect.any(Number) }]);
    await run.clock.advanceToNext();
    expect(run.ids()).toHaveLength(1);
    await run.end(run.ids()[0] ?? '', 'answered');
    expect(run.ids()).toHaveLength(7);
    expect(run.clock.sleeping()).toBe(0);
  });

  it('and fails for ten minutes stops the run, with few more in doubt', async () => {
    const run = await proven();
    const begun = run.clock.monotonic();
    for (let burst = 0; burst < 2; burst++) {
      await run.come(200);
      for (const id of run.ids()) await run.end(id, 'unknown');
    }
    await run.come(200);
    let singly = 0;
    while (run.reason === undefined) {
      if (run.ids().length === 0) await run.clock.advanceToNext();
      for (const id of run.ids()) {
        singly++;
        await run.end(id, 'unknown');
      }
    }
    expect(singly).toBeLessThan(40);
    expect(run.reason.message).toBe(
      `No ticket could be created for 10 minutes, so the import stops. Last error: ${PROBLEM.message}`,
    );
    expect(run.clock.monotonic() - begun).toBeGreaterThanOrEqual(TEN_MINUTES);
    expect(run.clock.monotonic() - begun).toBeLessThanOrEqual(TEN_MINUTES + 30_000);
  });

  it('may say 404 of a ticket: that is an answer', async () => {
    const run = await proven();
    for (let n = 0; n < 20; n++) {
      await run.come(1);
      await run.end(run.ids()[0] ?? '', 'nowhere');
    }
    expect(run.reason).toBeUndefined();
    expect(run.reported).toEqual([]);
  });
});

describe('tickets that are created and get no messages', () => {
  async function created(tickets: number) {
    const run = gateway();
    await run.come(tickets);
    for (let n = 1; n <= tickets; n++) await run.end(String(n), 'answered');
    return run;
  }

  it('five of them, if no ticket ever got any, stop the run at the next create', async () => {
    const run = await created(16);
    for (let n = 1; n <= 5; n++) run.gate.restFailed(String(n), 'unknown', PROBLEM);
    expect(run.reason).toBeUndefined();
    await run.come(1);
    expect(run.reason?.message).toBe(
      `None of the first 5 tickets could be completed, so the import stops. Last error: ${PROBLEM.message}`,
    );
    expect(run.ids()).toEqual([]);
  });

  it('two of them: one create at a time, each after a pause, until one is complete', async () => {
    const run = await created(3);
    run.gate.restWorked();
    for (const id of ['1', '2']) run.gate.restFailed(id, 'unknown', PROBLEM);
    await run.come(6);
    for (const id of ['4', '5']) {
      expect(run.ids()).toEqual([]);
      await run.clock.advanceToNext();
      expect(run.ids()).toEqual([id]);
      await run.end(id, 'answered');
    }
    run.gate.restWorked();
    await turn();
    expect(run.ids()).toEqual(['6', '7', '8', '9']);
    expect(run.clock.sleeping()).toBe(0);
    expect(run.reason).toBeUndefined();
  });

  it.each(['neither', 'answered'] as const)('for a reason of their own (%s) are no sign', async (how) => {
    const run = await created(9);
    for (let n = 1; n <= 9; n++) run.gate.restFailed(String(n), how, PROBLEM);
    await run.come(3);
    expect(run.ids()).toHaveLength(3);
  });

  it('404 is a sign only if no ticket was ever complete', async () => {
    const run = await created(9);
    run.gate.restWorked();
    for (let n = 1; n <= 9; n++) run.gate.restFailed(String(n), 'nowhere', PROBLEM);
    await run.come(3);
    expect(run.ids()).toHaveLength(3);
    const other = await created(9);
    for (let n = 1; n <= 9; n++) other.gate.restFailed(String(n), 'nowhere', PROBLEM);
    await other.come(3);
    expect(other.reason?.code).toBe('unreachable');
  });

  it.each<[string, { code: string; status?: number }, CreateEnd]>([
    ['a 500, six times', { code: 'unknown-outcome', status: 500 }, 'unknown'],
    ['404', { code: 'refused', status: 404 }, 'nowhere'],
    ['405', { code: 'refused', status: 405 }, 'nowhere'],
    ['422', { code: 'refused', status: 422 }, 'neither'],
    ['a delta that is held', { code: 'delta-held' }, 'neither'],
  ])('%s', (_, problem, end) => {
    expect(endOfRest({ ...problem, message: 'x' })).toBe(end);
  });
});

describe('waiting creates', () => {
  it('is sent away by a stop, and no timer is left behind', async () => {
    const stop = new AbortController();
    const clock = createFakeClock();
    const gate = new CreateGate({
      clock,
      random: Math.random,
      emit: () => {},
      stop: () => {},
      giveUpAfterMs: TEN_MINUTES,
    });
    await gate.begin('1', stop.signal);
    const waiting = gate.begin('2', stop.signal);
    stop.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    expect(clock.sleeping()).toBe(0);
  });
});

describe('what a failed create shows of the helpdesk', () => {
  it.each<[string, ApiFailure['code'], ApiFailure['effect'], number | undefined, CreateEnd]>([
    ['a 200 that cannot be read', 'unknown-outcome', 'unknown', 200, 'unknown'],
    ['a time-out', 'unknown-outcome', 'unknown', undefined, 'unknown'],
    ['404', 'refused', 'none', 404, 'nowhere'],
    ['405', 'refused', 'none', 405, 'nowhere'],
    ['422', 'refused', 'none', 422, 'answered'],
    ['never written', 'refused', 'none', undefined, 'neither'],
    ['a token refused', 'auth', 'none', 401, 'neither'],
    ['no connection', 'unreachable', 'none', undefined, 'neither'],
  ])('%s', (_, code, effect, status, end) => {
    const failure = new ApiFailure(code, effect, 'x', { status });
    expect(endOf(createFailure(failure, new AbortController().signal))).toBe(end);
  });
});
