/** Rows of a table that a test tries, from a file of YAML or JSON beside it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { parse } from 'yaml';

export function rowsOf<Tables>(folder: string, file: string): Tables {
  const text = readFileSync(join(folder, file), 'utf8');
  return (file.endsWith('.json') ? JSON.parse(text) : parse(text, { merge: true })) as Tables;
}

/** A case has no key that its test does not read, and expects something. */
export function requireExpectation(of: object, given: string, expected: string): void {
  const keys = Object.keys(of);
  expect(keys.filter((key) => !`name ${given} ${expected}`.split(' ').includes(key))).toEqual([]);
  expect(keys.some((key) => expected.split(' ').includes(key))).toBe(true);
}
