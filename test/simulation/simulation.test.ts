import { expect, it } from 'vitest';
import { failingIn } from './failing.ts';

it('300 schedules of people, faults, kills and lists that lie break no promise', async () => {
  expect(await failingIn(1, 300)).toBe('');
});

// The helpdesk takes no IDs of messages, and the PUT is refused before it.
it('a message made internal whose PUT failed while a person answered is sent again', async () => {
  expect(await failingIn(1_650, 1)).toBe('');
});
