import { expect, it } from 'vitest';
import { ApiFailure, type TicketApi } from '../../src/domain/ticket-api.ts';
import { fromNewReading, isSameReading, lookingFirst, MOST_READINGS, Outdated } from '../../src/push/look.ts';
import { TargetFacts } from '../../src/push/target-facts.ts';
import { createFakeClock } from '../support/fake-clock.ts';

it.each([
  ['at once', [0], 0],
  ['just before its reading is two seconds old', [1_999], 0],
  ['after two seconds of waiting', [2_000], 1],
  ['once more, however soon', [0, 0], 1],
  ['again and again', [2_000, 0, 0], 3],
])('a write that leaves %s is looked at first where it has to be', async (_, pauses, expected) => {
  const clock = createFakeClock();
  let looks = 0;
  const wire = lookingFirst({ clock }, { at: clock.monotonic() }, async () => {
    looks += 1;
  });
  for (const pause of pauses) {
    await clock.advance(pause);
    await wire.beforeSending?.();
  }
  expect(looks).toBe(expected);
});

it('a write whose reading is outdated does not leave, and is made anew a few times', async () => {
  const clock = createFakeClock();
  let made = 0;
  const write = async () => {
    made += 1;
    const wire = lookingFirst({ clock }, { at: clock.monotonic() - 2_000 }, () =>
      Promise.reject(new Outdated()),
    );
    await wire.beforeSending?.();
  };
  await expect(fromNewReading(write)).rejects.toBeInstanceOf(Outdated);
  expect(made).toBe(MOST_READINGS);
});

it.each([
  [{ content: 'a' }, { content: 'a' }, true],
  [{ content: 'a' }, { content: 'b' }, false],
  [{ content: 'a…', fullContent: 'ab' }, { content: 'a…', fullContent: 'ac' }, false],
  [{ content: 'a…', fullContent: 'ab' }, { content: 'ab' }, true],
  [{ content: 'a', isInternal: true }, { content: 'a', isInternal: false }, false],
])('readings %j and %j show the same: %s', (one, other, isSame) => {
  expect(isSameReading([{ id: 'm', ...one }], [{ id: 'm', ...other }])).toBe(isSame);
});

it('a helpdesk that was read once stays readable', async () => {
  let isRefusing = false;
  const refusal = new ApiFailure('target-unreadable', 'none', 'Forbidden', { status: 403 });
  const answer = <T>(found: T) => (isRefusing ? Promise.reject(refusal) : Promise.resolve(found));
  const api = {
    readMessages: () => answer([]),
    readTicket: () => answer({ id: 'tkt-1' }),
    findTickets: () => answer([]),
  } as unknown as TicketApi;
  const facts = new TargetFacts({ api, control: { hard: new AbortController().signal } }, {}, 'acme');
  expect(await facts.read('messages', 'tkt-1')).toEqual({ found: [] });
  isRefusing = true;
  expect(await facts.read('messages', 'tkt-1')).toMatchObject({ failure: { is: 'unread' } });
});
