import { describe, expect, it } from 'vitest';
import { responseKindOf } from '../../../src/target/core-api/classify.ts';
import { createGuard, probeWith } from '../../../src/target/core-api/paced-exchange.ts';
import type { ApiRequest, Reply } from '../../../src/target/http/exchange.ts';
import { createFakeClock } from '../../support/fake-clock.ts';

const request: ApiRequest = { kind: 'create', method: 'POST', path: '/tickets', body: '{}', attempt: 1 };
const { signal } = new AbortController();
const answer = (status: number, headers = {}): Reply => ({
  type: 'answer',
  status,
  headers,
  body: Buffer.alloc(0),
});
const broken = (reason: 'not-connected' | 'timeout' | 'cut', code?: string): Reply => ({
  type: 'breakdown',
  reason,
  message: 'connection refused',
  ...(code === undefined ? {} : { code }),
});

function setUp(isOpen = false) {
  const reported: unknown[][] = [];
  const breaker = {
    pass: async () => {
      reported.push(['pass']);
    },
    down: (cause: string, ms?: number) => reported.push(['down', cause, ms]),
    up: () => reported.push(['up']),
    open: isOpen,
  };
  const guard = createGuard(breaker, createFakeClock());
  return { reported, guard, came: (reply: Reply) => guard.came(reply, responseKindOf(reply, 'create')) };
}

describe('the guard', () => {
  it.each<[string, Reply, unknown[][]]>([
    ['no connection is down', broken('not-connected', 'ECONNREFUSED'), [['down', 'connection refused', 0]]],
    ['503 is down', answer(503), [['down', 'it answers with 503', 0]]],
    [
      '503 with a pause is down for at least that long',
      answer(503, { 'retry-after': '9' }),
      [['down', 'it answers with 503', 9_000]],
    ],
    ['a success is up', answer(200), [['up']]],
    ['a refusal is up', answer(422), [['up']]],
    ['another 5xx is up', answer(500), [['up']]],
    ['a time-out says nothing', broken('timeout'), []],
    ['a broken connection says nothing', broken('cut'), []],
  ])('%s', (_name, reply, expected) => {
    const { reported, came } = setUp();
    expect(came(reply)).toBe(reply);
    expect(reported).toEqual(expected);
  });

  it('waits for the breaker while the target is down, and for nothing while it is not', async () => {
    const down = setUp(true);
    await down.guard.pass(signal);
    expect(down.reported).toEqual([['pass']]);
    const up = setUp(false);
    expect(up.guard.pass(signal)).toBeUndefined();
    expect(up.reported).toEqual([]);
  });

  it('a host name that was never found is hopeless; one that was found before is only down', () => {
    const lost = broken('not-connected', 'ENOTFOUND');
    const never = setUp();
    expect(never.came(lost)).toMatchObject({ reason: 'hopeless' });
    expect(never.reported).toEqual([]);
    const once = setUp();
    once.came(answer(422));
    expect(once.came(lost)).toBe(lost);
    expect(once.reported.at(-1)).toEqual(['down', 'connection refused', 0]);
  });

  it.each<[string, Reply, object]>([
    ['whatever answers is up', answer(404), { up: true }],
    ['even with a refused token', answer(401), { up: true }],
    [
      '503 is down',
      answer(503, { 'retry-after': '9' }),
      { up: false, cause: 'it answers with 503', notBeforeMs: 9_000 },
    ],
    [
      'no connection is down',
      broken('not-connected'),
      { up: false, cause: 'connection refused', notBeforeMs: 0 },
    ],
    ['no answer is down', broken('timeout'), { up: false, cause: 'connection refused', notBeforeMs: 0 }],
  ])('for a probe %s', async (_name, reply, expected) => {
    expect(await probeWith(async () => reply, request, createFakeClock())(signal)).toEqual(expected);
  });
});
