/** Tickets that look the same, on a target where no tag tells them apart. */
import { describe, expect, it } from 'vitest';
import { FakeTarget, unknownOutcome } from './fake-target.ts';
import { importOnce, scratchCheckpoint, type TestTicket } from './import-run.ts';

const twin = (id: string): TestTicket => ({
  id,
  email: 'mia@example.com',
  subject: 'Twin',
  messages: ['mia@example.com'],
});
const TWINS = [twin('a'), twin('b')];
const LATER: TestTicket = { id: 'z', email: 'tom@example.com' };
const options = { source: undefined };

function target(fates: readonly ('before' | 'after' | undefined)[]): FakeTarget {
  let creates = 0;
  return new FakeTarget({
    fault: (call) => {
      if (call !== 'create') return undefined;
      const at = fates[creates];
      creates += 1;
      return at === undefined ? undefined : { at, error: unknownOutcome() };
    },
  });
}

describe('two tickets that look the same, without identity in the target', () => {
  it('the one that is in doubt does not get the ticket of the one that is done', async () => {
    const api = target([undefined, 'before']);
    const { ledger } = scratchCheckpoint();
    await importOnce({ tickets: [...TWINS, LATER], api, ledger, options });
    const [done, doubtful] = [ledger.get('a'), ledger.get('b')];
    expect(done?.state).toBe('done');
    expect(doubtful?.ticketId).not.toBe(done?.ticketId);
    const texts = api.tickets.get(done?.ticketId ?? '')?.messages.map(({ content }) => content);
    expect(texts).toEqual(['a: message 1']);
  });

  it('nor in the next run, where the one that is done is known from the checkpoint alone', async () => {
    const api = target([undefined, 'before']);
    const { ledger, path } = scratchCheckpoint();
    api.options = { ...api.options, readable: false };
    await importOnce({ tickets: TWINS, api, ledger, options });
    api.options = {};
    expect(ledger.get('b')?.state).toBe('inDoubt');
    await ledger.close();
    const next = scratchCheckpoint(path).ledger;
    await importOnce({ tickets: [...TWINS, LATER], api, ledger: next, options });
    expect(next.get('b')?.ticketId).not.toBe(next.get('a')?.ticketId);
  });

  it('where both are in doubt, neither is guessed', async () => {
    const api = target([undefined, 'after', 'before']);
    const { ledger } = scratchCheckpoint();
    const tickets = [{ id: 'first' }, ...TWINS];
    api.options = { ...api.options, readable: false };
    await importOnce({ tickets, api, ledger, options });
    api.options = {};
    await importOnce({ tickets: [...tickets, LATER], api, ledger, options });
    for (const id of ['a', 'b'])
      expect(ledger.get(id), id).toMatchObject({ state: 'inDoubt', problem: { code: 'unclear-match' } });
    expect(api.created()['Twin']).toBe(1);
  });
});
