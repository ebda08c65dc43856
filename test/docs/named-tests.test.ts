/** What the documentation names as the proof of a promise is there. */
import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

it('every test that the contract names exists', () => {
  const text = readFileSync('docs/contract.md', 'utf8');
  const named = [...text.matchAll(/`(test\/[\w./-]+\.ts)`/g)].map(([, path]) => path ?? '');
  expect(named.length).toBeGreaterThan(10);
  expect([...new Set(named)].filter((path) => !existsSync(path))).toEqual([]);
});

it('every script that CONTRIBUTING.md and the README name exists', () => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: object };
  const named = ['CONTRIBUTING.md', 'README.md'].flatMap((page) =>
    [...readFileSync(page, 'utf8').matchAll(/npm run ([\w:]+)/g)].map(([, name]) => name ?? ''),
  );
  expect(named.length).toBeGreaterThan(3);
  expect(named.filter((name) => !(name in scripts))).toEqual([]);
});

it('every file that ARCHITECTURE.md names exists, and has the function named with it', () => {
  const text = readFileSync('ARCHITECTURE.md', 'utf8');
  const named = [...text.matchAll(/`((?:[\w-]+\/)+[\w-]+(?:\.\w+)*)`(?:: `(\w+)`)?/g)];
  expect(named.length).toBeGreaterThan(40);
  const missing = named.filter(([, path = '', name]) => {
    const found = [path, `${path}.ts`, `src/${path}`, `src/${path}.ts`].find((each) => existsSync(each));
    return (
      found === undefined ||
      (name !== undefined && !readFileSync(found, 'utf8').includes(`function ${name}(`))
    );
  });
  expect(missing.map(([all]) => all)).toEqual([]);
});
