import { expect, it } from 'vitest';
import { failingIn } from './failing.ts';

it('150 schedules of people, faults and kills break no promise', async () => {
  expect(await failingIn(1, 150)).toBe('');
});

// The helpdesk takes no IDs of messages, the PUT is refused before it, and somebody answers before the repeat.
it('a corrected text whose PUT failed while a person answered is sent again', async () => {
  expect(await failingIn(10_990, 1)).toBe('');
});
