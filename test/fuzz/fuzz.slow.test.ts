/** An hour of the search over every surface (FUZZ_SECONDS); seeds go on from FUZZ_SEED. */
import { expect, it } from 'vitest';
import { search } from './search.ts';
import { SURFACES } from './surfaces.ts';

const SECONDS = Number(process.env['FUZZ_SECONDS'] ?? 3600);
const SEED = Number(process.env['FUZZ_SEED'] ?? Date.now() % 1_000_000_000);
const TURN_MS = 30_000;

it(
  'no input of any surface breaks a promise',
  async () => {
    const end = Date.now() + SECONDS * 1000;
    const names = Object.keys(SURFACES) as (keyof typeof SURFACES)[];
    for (let turn = 0; Date.now() < end; turn++) {
      const surface = names[turn % names.length] ?? 'cells';
      const { found } = await search(surface, { seed: SEED + turn, milliseconds: TURN_MS });
      expect(found && JSON.stringify(found)).toBeUndefined();
    }
  },
  SECONDS * 1000 + 300_000,
);
