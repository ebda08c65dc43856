/** What the documentation names as the proof of a promise is there. */
import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

it('every test that docs/reliability.md names exists', () => {
  const text = readFileSync('docs/reliability.md', 'utf8');
  const named = [...text.matchAll(/`(test\/[\w./-]+\.ts)`/g)].map(([, path]) => path ?? '');
  expect(named.length).toBeGreaterThan(50);
  expect([...new Set(named)].filter((path) => !existsSync(path))).toEqual([]);
});
