/**
 * "Sent" is a fact of the wire: a ticket is in doubt only where bytes of its create went out and no refusal came back. Shown by
 * a failure at each thing that carrying a ticket waits for.
 */
import { expect, it } from 'vitest';
import { AppError } from '../../src/domain/errors.ts';
import type { Ledger } from '../../src/domain/ledger.ts';
import { ApiFailure, type OnWire, type TicketApi } from '../../src/domain/ticket-api.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { TICKET_WRITES } from './crash.ts';
import { expectEachOnce } from './exactly-once.ts';
import { FakeTarget } from './fake-target.ts';
import { importOnce, SAMPLE, scratchCheckpoint } from './import-run.ts';

const failure = () => new AppError('configuration', 'The file with the token cannot be read.');

/** A callback need not wait, as the ledger has the fact. */
function rejected(): Promise<never> {
  const promise = Promise.reject(failure());
  promise.catch(() => undefined);
  return promise;
}

/** Whose call fails, and when: before anything of it happens, or after its effect, without an answer. */
type At = 'before' | 'after';

interface Point {
  readonly name: string;
  readonly about: string;
}

/** The n-th call that is waited for fails. A ledger has no half-way: what it cannot record, it refuses from then on. */
function failing(ledger: Ledger, api: TicketApi, failAt: number, at: At) {
  let calls = 0;
  let failed: Point | undefined;
  let isBroken = false;
  const wrap = <T extends object>(inner: T, isLedger: boolean): T =>
    new Proxy(inner, {
      get: (target, name) => {
        const method: unknown = Reflect.get(target, name, target);
        if (typeof method !== 'function') return method;
        return (...args: unknown[]) => {
          if (isLedger && !WRITES.has(String(name))) return method.apply(target, args);
          if (isLedger && isBroken) return rejected();
          calls += 1;
          if (calls !== failAt) return method.apply(target, args);
          failed = { name: String(name), about: JSON.stringify(args[0]) };
          isBroken = isLedger;
          const wire = name === 'createTicket' ? (args[2] as OnWire) : undefined;
          if (isLedger || at === 'before') {
            if (wire !== undefined) wire.mayHaveArrived = false;
            return rejected();
          }
          return (method.apply(target, args) as Promise<unknown>).then(() => {
            throw failure();
          });
        };
      },
    });
  return { ledger: wrap(ledger, true), api: wrap(api, false), failed: () => failed };
}

const WRITES: ReadonlySet<string> = new Set(TICKET_WRITES);

/** A run with a failure at the n-th call, then one without; `undefined` when there is no n-th call. */
async function failedOnce(failAt: number, at: At, concurrency: number): Promise<string | undefined> {
  const api = new FakeTarget();
  const { ledger } = scratchCheckpoint();
  const faulty = failing(ledger, api, failAt, at);
  const clock = createFakeClock();
  const options = { concurrency };
  const first = await importOnce({ tickets: SAMPLE, ...faulty, clock, options }).then(
    ({ result }) => result,
    (error: unknown) => {
      expect(error).toBeInstanceOf(AppError);
      return undefined;
    },
  );
  const point = faulty.failed();
  if (point === undefined) return undefined;
  await api.quiet();
  const what = `${at} ${point.name} ${point.about}`;
  const isLedgerBroken = WRITES.has(point.name);
  for (const { id } of SAMPLE) {
    const { state, ticketId } = ledger.get(id) ?? {};
    const isDoubt = state === 'creating' || state === 'inDoubt';
    const isThere = (api.created()[`Subject of ${id}`] ?? 0) > 0;
    // Every ticket that may be there is known, or in doubt.
    if (isThere && ticketId === undefined) expect(isDoubt, `${id} ${what}`).toBe(true);
    // No other ticket is, unless the ledger itself failed.
    if (isDoubt && !isLedgerBroken) expect(isThere, `${id} ${what}`).toBe(true);
  }
  if (first !== undefined && !isLedgerBroken)
    expect(first.tickets.inDoubt, what).toBe([...ledger.inStates(['creating', 'inDoubt'])].length);
  if (isLedgerBroken) return point.name;
  const later = createFakeClock(clock.now() + 60_000);
  await importOnce({ tickets: SAMPLE, api, ledger, clock: later, options });
  expectEachOnce(api, SAMPLE, ledger);
  return point.name;
}

it.each([
  { at: 'before', concurrency: 1 },
  { at: 'before', concurrency: 3 },
  { at: 'after', concurrency: 1 },
  { at: 'after', concurrency: 3 },
] as const)(
  'a failure at anything that is waited for leaves a doubt only of what went out: %j',
  async ({ at, concurrency }) => {
    const names = new Set<string>();
    for (let failAt = 1; ; failAt += 1) {
      const name = await failedOnce(failAt, at, concurrency);
      if (name === undefined) break;
      names.add(name);
    }
    for (const name of ['put', 'createTicket', 'replaceMessages', 'replaceEvents'])
      expect(names).toContain(name);
  },
);

it('a refused token leaves no doubt of any ticket in flight, even if no other token can be had', async () => {
  const api = new FakeTarget();
  const { ledger } = scratchCheckpoint();
  let creates = 0;
  const refusing = new Proxy<TicketApi>(api, {
    get: (target, name) => {
      if (name !== 'createTicket') return Reflect.get(target, name, target).bind(target) as unknown;
      return async (ticket: never, signal: AbortSignal, wire: OnWire) => {
        creates += 1;
        if (creates === 1) return target.createTicket(ticket, signal, wire);
        wire.mayHaveArrived = true;
        await new Promise((resolve) => setImmediate(resolve));
        wire.mayHaveArrived = false;
        if (creates % 2 === 0) throw failure();
        throw new ApiFailure('auth', 'none', 'The helpdesk refuses the token (401).', { status: 401 });
      };
    },
  });
  const { result } = await importOnce({
    tickets: SAMPLE,
    api: refusing,
    ledger,
    options: { concurrency: 4 },
  });
  expect(result.stoppedBy?.code).toMatch(/configuration|auth/);
  expect(result.tickets).toMatchObject({ inDoubt: 0 });
  expect(ledger.counts()).toMatchObject({ creating: 0, inDoubt: 0 });
});
