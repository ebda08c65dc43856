import { describe, expect, it } from 'vitest';
import { AppError } from '../../src/domain/errors.ts';
import { FakeTarget, failing, refused, turn, unauthorized, unreachable } from './fake-target.ts';
import { driven, importOnce, planned, SAMPLE, scratchCheckpoint, startPlan } from './import-run.ts';

describe('one ticket that goes wrong', () => {
  it('never stops the others; refused ones are tried again by the next run', async () => {
    const api = new FakeTarget(failing('create', 'before', refused(), (about) => about === 'Subject of b'));
    const { result, events, ledger } = await importOnce({ tickets: SAMPLE, api });
    expect(result.tickets).toEqual({ done: 3, failed: 1, inDoubt: 0, pending: 0 });
    expect(result.stoppedBy).toBeUndefined();
    expect(ledger.get('b')).toMatchObject({ state: 'refused', problem: { code: 'refused', status: 422 } });
    expect(events).toContainEqual({
      type: 'ticket',
      externalId: 'b',
      outcome: 'failed',
      problem: { code: 'refused', status: 422, message: 'The helpdesk refused the ticket (422).' },
    });
    api.options = {};
    const again = await importOnce({ tickets: SAMPLE, api, ledger });
    expect(again.result.tickets.done).toBe(1);
    expect(Object.values(api.created())).toEqual([1, 1, 1, 1]);
  });

  it.each(['messages', 'events'] as const)(
    'refused %s keep the ticket id, and the next run sends only those',
    async (step) => {
      const api = new FakeTarget(failing(step, 'before', refused()));
      const { ledger } = scratchCheckpoint();
      const tickets = SAMPLE.slice(0, 1);
      const { result } = await importOnce({ tickets, api, ledger });
      expect(result.tickets).toMatchObject({ failed: 1, done: 0 });
      expect(ledger.get('a')).toMatchObject({ state: 'incomplete', ticketId: 'T1' });
      api.options = {};
      api.calls.length = 0;
      await importOnce({ tickets, api, ledger });
      expect(api.calls.map(({ call }) => call)).toEqual(
        step === 'messages' ? ['thread', 'history', 'messages', 'events'] : ['history', 'events'],
      );
      expect(ledger.get('a')?.state).toBe('done');
    },
  );
});

describe('what concerns every ticket stops the run', () => {
  const many = Array.from({ length: 40 }, (_, i) => ({
    id: `t${i}`,
    email: `p${i}@example.com`,
    messages: ['agent'],
  }));

  it.each([
    ['auth', unauthorized, 5],
    ['unreachable', unreachable, 6],
  ] as const)(
    '%s: exit %#, nothing new is sent, and what was not created is pending',
    async (code, error, exitCode) => {
      const api = new FakeTarget(failing('create', 'before', error(), (_, n) => n > 12));
      const { result, ledger } = await importOnce({ tickets: many, api });
      expect(result.stoppedBy).toMatchObject({ code, exitCode });
      expect(result.tickets.done + result.tickets.pending).toBe(40);
      expect(result.tickets.failed + result.tickets.inDoubt).toBe(0);
      expect(api.calls.length).toBeLessThan(25);
      expect(ledger.counts().creating).toBe(0);
      api.options = {};
      await importOnce({ tickets: many, api, ledger });
      expect(Object.values(api.created())).toEqual(Array(40).fill(1));
    },
  );

  it('an AppError of the call stops it too, and the ticket was not sent', async () => {
    const gaveUp = new AppError('unreachable', 'The helpdesk could not be reached for 10 minutes.');
    const api = new FakeTarget(failing('create', 'before', gaveUp));
    const { result, ledger } = await importOnce({ tickets: many.slice(0, 3), api });
    expect(result.stoppedBy).toBe(gaveUp);
    expect(result.tickets.pending).toBe(3);
    expect(ledger.counts()).toMatchObject({ creating: 0, inDoubt: 0 });
  });

  it.each([
    // The first one alone, four, and the four that were in flight when the fourth failure was on disk.
    [2, 4, 9],
    [6, 0, 0],
  ])('of five allowed errors %i were made before: %i to %i creates fail', async (already, least, most) => {
    const api = new FakeTarget(failing('create', 'before', refused()));
    const { result } = await importOnce({
      tickets: many,
      api,
      options: { maxErrors: { allowed: 5, already } },
    });
    expect(result.stoppedBy).toMatchObject({ code: 'error-budget', exitCode: 6 });
    expect(result.tickets.failed).toBeGreaterThanOrEqual(least);
    expect(result.tickets.failed).toBeLessThanOrEqual(most);
  });

  it('a failing plan stops it, and requests in flight finish', async () => {
    const api = new FakeTarget();
    const { ledger } = scratchCheckpoint();
    const broken = new AppError('source', 'The file ended in the middle.');
    async function* work() {
      yield planned({ id: 'a' }, 0, { do: 'create' });
      yield planned({ id: 'b' }, 1, { do: 'create' });
      await turn();
      throw broken;
    }
    const { run, clock } = startPlan(work(), { api, ledger });
    const result = await driven(clock, run);
    expect(result.stoppedBy).toBe(broken);
    expect(result.tickets).toMatchObject({ done: 1, pending: 1 });
  });

  it('a defect is thrown after everything in flight has ended', async () => {
    const defect = new TypeError('undefined is not a function');
    const api = new FakeTarget(failing('create', 'after', defect, (about) => about === 'Subject of t3'));
    const { ledger } = scratchCheckpoint();
    await expect(importOnce({ tickets: many, api, ledger })).rejects.toBe(defect);
    expect(ledger.get('t3')?.state).toBe('inDoubt');
    expect(ledger.counts().creating).toBe(0);
    expect(ledger.counts().done).toBeGreaterThanOrEqual(3);
  });
});
