import { expect, it } from 'vitest';
import { failingIn } from './failing.ts';

it('300 schedules of people, faults, kills and lists that lie break no promise', async () => {
  expect(await failingIn(1, 300)).toBe('');
});

it.each([
  ['is sent again, though its text is the same', 1_310],
  ['is sent again, also where the helpdesk takes no IDs of messages and a person answered meanwhile', 1_650],
])('a message made internal whose PUT failed %s', async (_, seed) => {
  expect(await failingIn(seed, 1)).toBe('');
});
