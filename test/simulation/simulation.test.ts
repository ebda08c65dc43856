import { expect, it } from 'vitest';
import { failingIn } from './failing.ts';

it('250 schedules of people, faults and kills break no promise', async () => {
  expect(await failingIn(1, 250)).toBe('');
});
