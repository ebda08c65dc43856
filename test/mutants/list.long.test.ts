import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { MUTANTS } from './list.ts';
import { placeOf } from './place.ts';

const root = resolve(import.meta.dirname, '../..');

test('every mutant of the list has its place in the code, and tests', () => {
  const lost = MUTANTS.flatMap((mutant) => {
    const place = placeOf(mutant, root);
    return typeof place === 'string' ? [`${mutant.name}: ${place}`] : [];
  });
  expect(lost).toEqual([]);
});

test('no two have the same name', () => {
  expect(new Set(MUTANTS.map(({ name }) => name)).size).toBe(MUTANTS.length);
});
