import { expect, it } from 'vitest';
import { failingIn } from './failing.ts';

it('150 schedules of people, faults and kills break no promise', async () => {
  expect(await failingIn(1, 150)).toBe('');
});
