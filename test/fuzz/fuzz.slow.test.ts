/** An hour of the search over every surface (FUZZ_SECONDS); seeds go on from FUZZ_SEED. It goes on after what it finds. */
import { expect, it } from 'vitest';
import { type Found, search } from './search.ts';
import { SURFACES } from './surfaces.ts';

const SECONDS = Number(process.env['FUZZ_SECONDS'] ?? 3600);
const SEED = Number(process.env['FUZZ_SEED'] ?? Date.now() % 1_000_000_000);
const TURN_MS = 30_000;

it(
  'no input of any surface breaks a promise',
  async () => {
    const end = Date.now() + SECONDS * 1000;
    const names = Object.keys(SURFACES) as (keyof typeof SURFACES)[];
    const all: Found[] = [];
    const cases: Record<string, number> = {};
    for (let turn = 0; Date.now() < end; turn++) {
      const surface = names[turn % names.length] ?? 'cells';
      const turned = await search(surface, { seed: SEED + turn, milliseconds: TURN_MS });
      cases[surface] = (cases[surface] ?? 0) + turned.cases;
      if (turned.found === undefined) continue;
      all.push(turned.found);
      process.stdout.write(`${JSON.stringify(turned.found)}\n`);
    }
    process.stdout.write(`${JSON.stringify(cases)}\n`);
    expect(all.map(({ surface, seed, faults }) => ({ surface, seed, faults }))).toEqual([]);
  },
  SECONDS * 1000 + 600_000,
);
