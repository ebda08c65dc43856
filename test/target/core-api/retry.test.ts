import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { AppError } from '../../../src/domain/errors.ts';
import type { RunEvent } from '../../../src/domain/run-events.ts';
import { retrying } from '../../../src/target/core-api/retry.ts';
import type { Answer, ApiRequest, CallKind, Reply } from '../../../src/target/http/exchange.ts';
import { createFakeClock } from '../../support/fake-clock.ts';

const answer = (status: number, headers: Answer['headers'] = {}): Reply => ({
  type: 'answer',
  status,
  headers,
  body: Buffer.from('{"id":"1"}'),
});
const refusal = (status: number): Reply =>
  ({ ...answer(status), body: Buffer.from('{"error":"no"}') }) as Reply;
const broken = (reason: 'cut' | 'timeout' | 'not-written' | 'not-connected'): Reply => ({
  type: 'breakdown',
  reason,
  message: `${reason}!`,
});

function setUp(replies: (Reply | Error)[], attempts = 4) {
  const clock = createFakeClock();
  const events: RunEvent[] = [];
  const sent: { at: number; attempt: number }[] = [];
  const call = retrying(
    async (request: ApiRequest) => {
      sent.push({ at: clock.monotonic(), attempt: request.attempt });
      const reply = replies[Math.min(sent.length, replies.length) - 1] ?? answer(200);
      if (reply instanceof Error) throw reply;
      return reply;
    },
    { clock, random: () => 1, emit: (event) => events.push(event), attempts, giveUpAfterMs: 600_000 },
  );
  const { signal } = new AbortController();
  const ask = (kind: CallKind, own = signal) =>
    call({ kind, method: 'PUT', path: '/x', body: '[]', attempt: 1 }, () => true, own);
  return { clock, events, sent, ask };
}

describe('sending again', () => {
  it.each([
    ['cut', broken('cut')],
    ['timeout', broken('timeout')],
    ['500', answer(500)],
    ['502', answer(502)],
    ['503 without Retry-After', answer(503)],
    ['503 with Retry-After', answer(503, { 'retry-after': '1' })],
    ['408', answer(408)],
    ['409', answer(409)],
    ['425', answer(425)],
    ['499', answer(499)],
    ['403 with a page', answer(403)],
    ['201 with half a body', { ...answer(201), cut: 'the connection broke' } as Reply],
  ])(
    'a create of unknown outcome (%s) is never sent again, nor are events that would be appended',
    async (_name, reply) => {
      for (const kind of ['create', 'append'] as const) {
        const { sent, ask } = setUp([reply]);
        expect(await ask(kind)).toMatchObject({ effect: 'unknown', attempts: 1 });
        expect(sent).toHaveLength(1);
      }
    },
  );

  it.each([
    ['no connection', broken('not-connected')],
    ['not fully written', broken('not-written')],
    ['429', answer(429)],
  ])('a create is sent again after %s, which proves that nothing happened', async (_name, reply) => {
    const { sent, ask, clock } = setUp([reply, reply, answer(201)]);
    expect(await clock.settle(ask('create'))).toMatchObject({
      responseKind: 'success',
      effect: 'done',
      attempts: 3,
    });
    expect(sent.map(({ attempt }) => attempt)).toEqual([1, 2, 3]);
  });

  it('a PUT and a read are sent again after an unknown outcome, with growing pauses', async () => {
    for (const kind of ['put', 'read'] as const) {
      const { sent, ask, clock, events } = setUp([
        broken('timeout'),
        answer(500),
        broken('cut'),
        answer(200),
      ]);
      expect(await clock.settle(ask(kind))).toMatchObject({
        responseKind: 'success',
        effect: 'done',
        attempts: 4,
      });
      expect(sent.map(({ at }) => at)).toEqual([0, 500, 1_500, 3_500]);
      expect(events).toEqual([
        { type: 'retry', reason: 'timeout!', waitMs: 500, attempt: 1 },
        { type: 'retry', reason: 'status 500', waitMs: 1_000, attempt: 2 },
        { type: 'retry', reason: 'cut!', waitMs: 2_000, attempt: 3 },
      ]);
    }
  });

  it('gives up after the attempts that it has', async () => {
    const { sent, ask, clock } = setUp([answer(500)]);
    expect(await clock.settle(ask('put'))).toMatchObject({
      responseKind: 'server-error',
      effect: 'unknown',
      attempts: 4,
    });
    expect(sent).toHaveLength(4);
  });

  it('waits at least as long as the service asks, and as long as it takes after a 429 or without a connection', async () => {
    const asked = setUp([answer(503, { 'retry-after': '120' }), answer(200)]);
    await asked.clock.settle(asked.ask('put'));
    expect(asked.sent.map(({ at }) => at)).toEqual([0, 120_000]);

    const many = [
      ...Array<Reply>(50).fill(answer(429)),
      ...Array<Reply>(50).fill(broken('not-connected')),
      answer(201),
    ];
    const patient = setUp(many);
    expect(await patient.clock.settle(patient.ask('create'))).toMatchObject({
      responseKind: 'success',
      attempts: 101,
    });
  });

  it('one unknown attempt leaves the call unknown, whatever a later one proves about itself', async () => {
    const { ask, clock } = setUp([broken('timeout'), refusal(422)]);
    expect(await clock.settle(ask('put'))).toMatchObject({ responseKind: 'refused', effect: 'unknown' });
    const clean = setUp([broken('not-written'), refusal(422)]);
    expect(await clean.clock.settle(clean.ask('put'))).toMatchObject({
      responseKind: 'refused',
      effect: 'none',
    });
  });

  it.each([400, 401, 403, 404, 422, 301])('%i is final', async (status) => {
    const { sent, ask } = setUp([refusal(status)]);
    await ask('put');
    expect(sent).toHaveLength(1);
  });

  it('aborted while it waits: the reason when nothing can have happened, cut off when something may have', async () => {
    const harmless = setUp([broken('not-written')]);
    const first = new AbortController();
    const waiting = harmless.ask('create', first.signal);
    await harmless.clock.advance(10);
    first.abort(new Error('stop'));
    await expect(waiting).rejects.toThrow('stop');

    const doubtful = setUp([answer(500)]);
    const second = new AbortController();
    const pending = doubtful.ask('put', second.signal);
    await doubtful.clock.advance(10);
    second.abort(new Error('stop'));
    await expect(pending).rejects.toMatchObject({ name: 'ApiFailure', code: 'cut-off', effect: 'unknown' });
    expect([harmless.clock.sleeping(), doubtful.clock.sleeping()]).toEqual([0, 0]);
    expect(getEventListeners(second.signal, 'abort')).toHaveLength(0);
  });

  it('a breaker that gives up comes out as unreachable, with the effect of what went before', async () => {
    const gaveUp = new AppError(
      'unreachable',
      'The target could not be reached for 10 minutes: connection refused.',
    );
    const { ask } = setUp([gaveUp]);
    await expect(ask('create')).rejects.toMatchObject({
      name: 'ApiFailure',
      code: 'unreachable',
      effect: 'none',
      message: gaveUp.message,
      cause: gaveUp,
    });
    const after = setUp([answer(500), gaveUp]);
    await expect(after.clock.settle(after.ask('put'))).rejects.toMatchObject({
      code: 'unreachable',
      effect: 'unknown',
    });
  });

  it('a defect passes through as it is', async () => {
    const defect = new TypeError('x is not a function');
    await expect(setUp([defect]).ask('create')).rejects.toBe(defect);
  });

  it('after giveUpAfter without an answer that can be used the target is unreachable, whatever kept it', async () => {
    const { ask, clock } = setUp([broken('timeout')], 1_000_000);
    const ended = await clock.settle(ask('read').catch((error: unknown) => error));
    expect(ended).toMatchObject({ code: 'unreachable', effect: 'none' });
    expect(clock.monotonic()).toBeGreaterThanOrEqual(600_000);
    expect(clock.monotonic()).toBeLessThan(640_000);
  });

  it.each(['put', 'append'] as const)(
    '%s: a write that is never answered is that too, whatever is read and created meanwhile',
    async (write) => {
      const { signal } = new AbortController();
      const clock = createFakeClock();
      const call = retrying(
        async ({ kind }: ApiRequest) => (kind === write ? broken('timeout') : answer(200)),
        { clock, random: () => 1, emit: () => undefined, attempts: 6, giveUpAfterMs: 600_000 },
      );
      const ask = (kind: CallKind) =>
        call({ kind, method: 'PUT', path: '/x', body: '[]', attempt: 1 }, () => true, signal);
      const codes: unknown[] = [];
      while (codes.at(-1) !== 'unreachable' && codes.length < 1_000) {
        await clock.settle(ask('read'));
        await clock.settle(ask('create'));
        await clock.advance(30_000);
        codes.push(
          await clock.settle(
            ask(write).then(
              ({ effect }) => effect,
              ({ code }) => code,
            ),
          ),
        );
      }
      expect(new Set(codes)).toEqual(new Set(['unknown', 'unreachable']));
      expect(clock.monotonic()).toBeLessThan(750_000);
    },
  );

  it('any answer begins that time anew', async () => {
    const outage = Array.from({ length: 20 }, () => broken('timeout'));
    const { ask, clock } = setUp([...outage, answer(409), ...outage, answer(200)], 1_000_000);
    expect(await clock.settle(ask('put'))).toMatchObject({ responseKind: 'success' });
    expect(clock.monotonic()).toBeGreaterThan(600_000);
  });
});
