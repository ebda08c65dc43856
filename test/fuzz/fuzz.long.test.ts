/** Cases that a search once found, and a short search over every surface with a fixed seed. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type FuzzCase, faultsOf } from './case.ts';
import { SURFACES } from './surfaces.ts';

const kept = join(import.meta.dirname, 'found');
/** For each surface. */
const CASES = Number(process.env['FUZZ_CASES'] ?? 20);
const SEED = Number(process.env['FUZZ_SEED'] ?? 18);

it.each(readdirSync(kept))('%s, which was found once, breaks no promise', async (file) => {
  expect(await faultsOf(JSON.parse(readFileSync(join(kept, file), 'utf8')) as FuzzCase)).toEqual([]);
});

describe('every surface', () => {
  const surfaces = Object.entries(SURFACES);
  it.each(surfaces)(
    '%s: no input breaks a promise',
    async (_, cases) => {
      const { counterexample } = await fc.check(
        fc.asyncProperty(cases, async (fuzz) => (await faultsOf(fuzz)).length === 0),
        {
          numRuns: CASES,
          seed: SEED,
        },
      );
      // A case that failed is kept in test/fuzz/found once it is repaired.
      const [found] = counterexample ?? [];
      const faults = found === undefined ? [] : await faultsOf(found);
      expect(counterexample === null ? '' : `${faults.join('\n')}\n${JSON.stringify(found)}`).toBe('');
    },
    // each process of a case is given up after a minute, however busy the machine is
    CASES * 120_000 + 120_000,
  );
});
