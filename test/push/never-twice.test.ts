import { describe, expect, it } from 'vitest';
import { AppError } from '../../src/domain/errors.ts';
import type { Ledger } from '../../src/domain/ledger.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { mortal } from './crash.ts';
import { expectEachOnce, retryHeld } from './exactly-once.ts';
import { FakeTarget, type Fault, unknownOutcome } from './fake-target.ts';
import { diskNow, driven, importOnce, scratchCheckpoint, start, type TestTicket } from './import-run.ts';

const TICKETS: TestTicket[] = [
  { id: 'a', email: 'mia@example.com', messages: ['mia@example.com', 'agent', 'tom@example.com'], events: 2 },
  { id: 'b', email: 'tom@example.com', messages: ['agent'] },
  { id: 'c', events: 1 },
  { id: 'd', email: 'mia@example.com' },
];
/** At most once; an unfinished ticket is held in doubt. */
function expectNoneTwice(api: FakeTarget, tickets: readonly TestTicket[], ledger: Ledger): number {
  let held = 0;
  for (const { id } of tickets) {
    const { state, problem } = ledger.get(id) ?? {};
    // A history that may be there already, in a helpdesk that cannot be read, is not sent again.
    const isHistoryHeld = state === 'incomplete' && problem?.code === 'history-held';
    if (!isHistoryHeld) expect(['done', 'inDoubt'], `${id} is ${state}`).toContain(state);
    if (state === 'inDoubt') held += 1;
    else expect(api.created()[`Subject of ${id}`]).toBe(1);
    expect(api.created()[`Subject of ${id}`] ?? 0).toBeLessThanOrEqual(1);
  }
  return held;
}

describe('a process that is killed at any ledger write or request', () => {
  const variants = [
    { readable: true, concurrency: 1, fault: undefined },
    { readable: true, concurrency: 3, fault: undefined },
    // Answers that are there in the same turn: nothing may rely on the write being faster than the request.
    { readable: true, concurrency: 3, fault: undefined, turns: 0 },
    { readable: false, concurrency: 3, fault: undefined },
    // Also while a create of unknown outcome is being settled.
    { readable: true, concurrency: 3, fault: 'before' as const },
    { readable: true, concurrency: 3, fault: 'after' as const },
  ];
  it.each(variants)(
    'leaves what the next one makes whole: %j',
    async ({ readable, concurrency, fault, turns }) => {
      const names = new Set<string>();
      let heldAtWorst = 0;
      for (let dieAt = 1; ; dieAt += 1) {
        let creates = 0;
        const api = new FakeTarget({
          readable,
          latency: () => turns ?? 1,
          fault: (call): Fault | undefined => {
            if (call !== 'create') return undefined;
            creates += 1;
            return fault !== undefined && creates === 2 ? { at: fault, error: unknownOutcome() } : undefined;
          },
        });
        const { ledger, path } = scratchCheckpoint();
        let left = '';
        const process = mortal(ledger, api, dieAt, () => {
          left = diskNow(path);
        });
        const options = { concurrency };
        const { run, clock } = start({ tickets: TICKETS, api: process.api, ledger: process.ledger, options });
        const end = await driven(clock, Promise.race([process.death, run.then(() => 'lived')]));
        if (end === 'lived') break;
        names.add(end);
        await api.quiet();
        const next = scratchCheckpoint(left);
        const later = createFakeClock(clock.now());
        const { result } = await importOnce({
          tickets: TICKETS,
          api,
          ledger: next.ledger,
          clock: later,
          options,
        });
        expect(result.stoppedBy, `died ${end}`).toBeUndefined();
        if (readable) {
          if (await retryHeld(api, next.ledger))
            await importOnce({ tickets: TICKETS, api, ledger: next.ledger, clock: later, options });
          expectEachOnce(api, TICKETS, next.ledger);
        } else heldAtWorst = Math.max(heldAtWorst, expectNoneTwice(api, TICKETS, next.ledger));
        await next.ledger.close();
        await ledger.close();
      }
      expect(heldAtWorst).toBeLessThanOrEqual(concurrency);
      expect(names).toContain('after createTicket');
      expect(names).toContain('before put created');
      if (fault !== undefined) expect(names).toContain('before put inDoubt');
    },
  );
});

describe('a ledger that cannot write', () => {
  it('at any write: exit 6, nothing is sent that was not recorded first, and the next run makes it whole', async () => {
    let writes = 0;
    for (let failAt = 1; failAt < 100; failAt += 1) {
      const api = new FakeTarget();
      const { ledger, path } = scratchCheckpoint();
      const full = new AppError('disk-write', 'The disk is full.');
      writes = 0;
      let isFull = false;
      const failing = Object.create(ledger) as Ledger;
      for (const name of ['put'] as const) {
        const write = (ledger[name] as (...args: never[]) => Promise<void>).bind(ledger);
        Object.defineProperty(failing, name, {
          value: (...args: never[]) => {
            writes += 1;
            isFull ||= writes >= failAt;
            if (!isFull) return write(...args);
            const failure = Promise.reject(full);
            failure.catch(() => undefined);
            return failure;
          },
        });
      }
      for (const name of ['get', 'flush', 'inStates', 'ownerOf'] as const)
        Object.defineProperty(failing, name, { value: (ledger[name] as () => unknown).bind(ledger) });
      const { result, events } = await importOnce({ tickets: TICKETS, api, ledger: failing });
      if (!isFull) break;
      expect(result.stoppedBy).toBe(full);
      const recorded = [...ledger.inStates(['creating', 'created', 'done'])].length;
      expect(api.tickets.size).toBeLessThanOrEqual(recorded);
      for (const { id } of ledger.inStates(['creating']) as Iterable<{ id?: string }>)
        expect(id).toBeUndefined();
      const notes = events.filter(({ type }) => type === 'note');
      expect(notes.length).toBe([...ledger.inStates(['creating'])].length);
      const next = scratchCheckpoint(diskNow(path));
      const clock = createFakeClock('2025-06-03');
      await importOnce({ tickets: TICKETS, api, ledger: next.ledger, clock });
      expectEachOnce(api, TICKETS, next.ledger);
    }
    expect(writes).toBeGreaterThan(8);
  });
});

describe('contacts', () => {
  it('400 tickets over 25 addresses, 16 in flight, against a service that makes two of one: 25 contacts', async () => {
    let seed = 7;
    const random = () => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed;
    };
    const address = () => `person${random() % 25}@example.com`;
    const tickets = Array.from({ length: 400 }, (_, i) => ({
      id: `t${i}`,
      email: address(),
      messages: [address(), 'agent', address()],
    }));
    const api = new FakeTarget({ latency: () => random() % 4 });
    const { ledger } = scratchCheckpoint();
    const { result } = await importOnce({ tickets, api, ledger, options: { concurrency: 16 } });
    expect(result.tickets.done).toBe(400);
    expect(api.contacts.length).toBe(25);
    expect(api.mostInFlight).toBe(16);
    // Without holding contacts the same service makes more: the test can fail.
    const racy = new FakeTarget();
    const signal = new AbortController().signal;
    const payload = {
      subject: 'x',
      createdAt: '2024-03-01T10:00:00.000Z',
      contact: { email: 'one@example.com' },
    };
    await Promise.all([racy.createTicket(payload, signal), racy.createTicket(payload, signal)]);
    expect(racy.contacts.length).toBeGreaterThan(1);
  });
});
