import { expect, it } from 'vitest';
import { failingIn } from './failing.ts';

const PART = 250;
/** More of them: SCHEDULES=100000. */
const ALL = Number(process.env['SCHEDULES'] ?? 5_000);

it.each(Array.from({ length: ALL / PART }, (_, part) => part))(
  '5,000 schedules of people, faults and kills break no promise: part %i',
  async (part) => {
    expect(await failingIn(10_000 + PART * part, PART)).toBe('');
  },
);
