import { expect, it } from 'vitest';
import { failingIn } from './failing.ts';

it('210 schedules of people, faults, kills and lists that lie break no promise', async () => {
  expect(await failingIn(1, 210)).toBe('');
});
