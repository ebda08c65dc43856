/** What the end of a run says of the helpdesk: tickets that are there twice or missing, and nothing unproven. */
import { describe, expect, it } from 'vitest';
import { ApiFailure, type Snapshot, type TicketApi } from '../../src/domain/ticket-api.ts';
import { type CountQuestion, countAtEnd } from '../../src/helpdesk/twice-in-target.ts';
import { createFakeClock } from '../support/fake-clock.ts';

const NEVER = new AbortController().signal;

/** `zendesk-7` under the id `t7`. */
const ticket = (n: number | string, id = `t${n}`, ...more: string[]): Snapshot => ({
  id,
  tags: ['imported', `zendesk-${n}`, 'from-zendesk', ...more],
});
const tickets = (count: number): Snapshot[] => Array.from({ length: count }, (_, at) => ticket(at + 1));
const stranger = (id: string): Snapshot => ({ id, tags: ['vip'] });

interface Target {
  readonly tickets: readonly Snapshot[];
  /** What the list tells as its total, look by look; the last one for all further ones. Without it what is there. */
  readonly totals?: readonly (number | undefined)[];
  readonly filters?: boolean;
  /** What a page of the list shows of what it should. */
  readonly shown?: (tickets: readonly Snapshot[]) => readonly Snapshot[];
}

const known = (count: number, more: Partial<CountQuestion> = {}): CountQuestion => ({
  source: 'zendesk',
  count,
  inDoubt: new Set(),
  doubted: [],
  byTag: () => new Map([['zendesk--0f', 'A b']]),
  ownerOf: (id) => (/^t\d+$/.test(id) && Number(id.slice(1)) <= count ? id.slice(1) : undefined),
  ...more,
});

async function ended(question: CountQuestion, target: Target) {
  const clock = createFakeClock();
  let looks = 0;
  const matching = (tags: readonly string[] = []) =>
    target.filters === false
      ? target.tickets
      : target.tickets.filter((one) => tags.every((tag) => (one['tags'] as string[]).includes(tag)));
  const api: Pick<TicketApi, 'countTickets' | 'findTickets'> = {
    countTickets: ({ tags }) => {
      const { totals } = target;
      const total = totals === undefined ? matching(tags).length : totals[Math.min(looks, totals.length - 1)];
      looks += 1;
      return Promise.resolve(total);
    },
    findTickets: ({ tags, most }) => {
      const all = matching(tags);
      return Promise.resolve([...(target.shown?.(all) ?? all)].slice(0, most));
    },
  };
  const problems = await clock.settle(countAtEnd(question, api as TicketApi, clock, NEVER));
  return { problems, codes: problems.map(({ code }) => code), slept: clock.slept, looks };
}

describe('the count at the end', () => {
  const MISSING = 'missing-in-target';
  const TWICE = 'duplicate-in-target';
  const doubtful = (...ids: string[]) => known(3, { inDoubt: new Set(ids) });
  const first = (count: number) => (all: readonly Snapshot[]) => all.slice(0, count);
  const all = (...more: Snapshot[]) => ({ tickets: [...tickets(3), ...more], filters: false });
  it.each<[what: string, CountQuestion, Target, codes: readonly string[], looks: number]>([
    ['agrees', known(3), { tickets: tickets(3) }, [], 1],
    ['has as many more as are in doubt', doubtful('4', '5'), { tickets: tickets(5) }, [], 1],
    [
      'has one more, with the tag of another',
      doubtful('9'),
      { tickets: [...tickets(3), ticket(2, 'x9')] },
      [TWICE],
      3,
    ],
    ['lags by two looks', known(5), { tickets: tickets(5), totals: [0, 4, 5] }, [], 3],
    ['lacks some', known(5, { inDoubt: new Set(['4']) }), { tickets: tickets(4) }, [MISSING], 3],
    ['has more', known(3), { tickets: tickets(4) }, [TWICE], 3],
    ['is not reported', known(3), { tickets: tickets(3), totals: [undefined] }, [], 1],
    [
      'is not reported, and one more is shown',
      known(3),
      { tickets: tickets(4), totals: [undefined] },
      [TWICE],
      3,
    ],
    ['agrees: one twice, one deleted', known(3), { tickets: [...tickets(2), ticket(2, 'x9')] }, [TWICE], 3],
    ['stops at a round number', known(1500), { tickets: tickets(1500), totals: [1000] }, [], 1],
    ['is no round number', known(1500), { tickets: tickets(1500), totals: [1001] }, [MISSING], 3],
    ['is of all tickets, not narrowed by tags', known(3), all(stranger('x')), [], 1],
    ['is of all, and one of ours is there twice', known(3), all(stranger('x'), ticket(2, 'y')), [TWICE], 3],
    ['is of all, and the one more is in doubt', doubtful('4'), all(ticket(4), stranger('x')), [], 1],
    ['is more than the list shows', known(3), { tickets: tickets(5), shown: first(4) }, [TWICE, TWICE], 3],
    ['is more, and the list hides them', known(3), { tickets: tickets(5), shown: first(3) }, [TWICE], 3],
  ])('that %s', async (_, question, target, codes, looks) => {
    const end = await ended(question, target);
    expect(end.codes).toEqual(codes);
    expect(end.looks).toBe(looks);
    expect(end.slept).toEqual(Array.from({ length: Math.min(2, Math.max(0, looks - 1)) }, () => 2_000));
  });

  it('says how many are missing, and that a list may hide them: a warning', async () => {
    const { problems } = await ended(known(5), { tickets: tickets(3) });
    expect(problems).toMatchObject([{ severity: 'warning', count: 1 }]);
    expect(problems[0]?.message).toMatch(/lists 3 of the 5 imported tickets of the source "zendesk"/);
    expect(problems[0]?.message).toMatch(/deleted or are hidden from the list/);
  });
});

describe('a ticket that exists twice', () => {
  it.each<[what: string, twin: Snapshot, named: string]>([
    ['by its tag', ticket(2, 'x9'), 'x9 (zendesk-2)'],
    ['by its id alone where it lost its own tag', { id: 'x9', tags: ['from-zendesk'] }, 'x9 of the source'],
  ])('is named %s', async (_, twin, named) => {
    const { problems } = await ended(known(3), { tickets: [...tickets(3), twin] });
    expect(problems).toMatchObject([{ severity: 'error', code: 'duplicate-in-target' }]);
    expect(problems[0]?.message).toContain(named);
  });

  it('is named by its ticket, even if the tag is a digest', async () => {
    const twin = { id: 'x9', tags: ['from-zendesk', 'zendesk--0f'] };
    const { problems } = await ended(known(3), { tickets: [...tickets(3), twin, ticket(2, 'x8')] });
    expect(problems.map((problem) => problem.ticket)).toEqual(['A b', '2']);
  });

  it('all of them are', async () => {
    const twins = Array.from({ length: 130 }, (_, at) => ticket(at + 1, `x${at}`));
    const { problems, codes } = await ended(known(130), { tickets: [...tickets(130), ...twins] });
    expect(new Set(codes)).toEqual(new Set(['duplicate-in-target']));
    expect(problems).toHaveLength(130);
    expect(new Set(problems.map(({ message }) => message)).size).toBe(130);
  });

  it('after a doubt is reported once with its ids, also without a total', async () => {
    const there = { tickets: [...tickets(3), ticket(2, 'x9')] };
    for (const [question, target] of [
      [known(3, { doubted: ['1', '2'] }), there],
      [known(3, { doubted: ['2'] }), { ...there, totals: [undefined] }],
    ] as const) {
      const { problems } = await ended(question, target);
      expect(problems).toMatchObject([{ severity: 'error', code: 'duplicate-in-target', ticket: '2' }]);
      expect(problems[0]?.message).toContain('2 times (t2, x9)');
    }
  });
});

describe('a helpdesk that fails at the end', () => {
  const failing = (error: unknown) => {
    const api = { countTickets: () => Promise.reject(error), findTickets: () => Promise.reject(error) };
    return countAtEnd(known(3, { doubted: ['1'] }), api as unknown as TicketApi, createFakeClock(), NEVER);
  };

  it.each(['target-unreadable', 'unknown-outcome', 'unreachable', 'refused', 'auth'] as const)(
    '%s: what was imported stays imported, and nothing is claimed',
    async (code) => {
      expect(await failing(new ApiFailure(code, 'none', 'It says no.'))).toEqual([]);
    },
  );

  it('a defect of this program is not hidden', async () => {
    await expect(failing(new TypeError('a defect'))).rejects.toThrow('a defect');
  });

  it('a second Ctrl-C while the list is waited for ends the run as it was', async () => {
    const clock = createFakeClock();
    const stop = new AbortController();
    const api = { countTickets: () => Promise.resolve(1), findTickets: () => Promise.resolve([]) };
    const counted = countAtEnd(known(3), api as unknown as TicketApi, clock, stop.signal);
    await clock.advance(1_000);
    stop.abort(new Error('stopped'));
    expect(await counted).toEqual([]);
    expect(clock.sleeping()).toBe(0);
  });

  it('a hidden duplicate is counted', async () => {
    const twice = { tickets: [...tickets(5), ticket(2, 'x1'), ticket(4, 'x2')] };
    const hides = {
      ...twice,
      shown: (all: readonly Snapshot[]) => all.filter(({ id }) => !id.startsWith('x')),
    };
    const { problems } = await ended(known(5), hides);
    expect(problems).toEqual([expect.objectContaining({ severity: 'error', code: 'duplicate-in-target' })]);
    expect(problems[0]?.message).toMatch(/reports 7 tickets .* but 2 are neither/);
    const some = { ...twice, shown: (all: readonly Snapshot[]) => all.filter(({ id }) => id !== 'x2') };
    const both = await ended(known(5), some);
    expect(both.problems.map(({ message }) => /ticket x1|but 1 is neither/.test(message))).toEqual([
      true,
      true,
    ]);
  });
});
