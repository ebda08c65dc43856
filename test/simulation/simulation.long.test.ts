import { expect, it } from 'vitest';
import { failingIn } from './failing.ts';

const PART = 1_000;
/** A shorter run, for a machine that has little time. */
const ALL = Number(process.env['SCHEDULES'] ?? 100_000);

it.each(Array.from({ length: ALL / PART }, (_, part) => part))(
  '100,000 schedules of people, faults and kills break no promise: part %i',
  async (part) => {
    expect(await failingIn(10_000 + PART * part, PART)).toBe('');
  },
);
