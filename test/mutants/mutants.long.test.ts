/** Of changes that `SEED` chooses (`MUTANTS` of every room), tests notice at least their share. */
import { afterAll, expect, it } from 'vitest';
import { CopiedCode, mutantsOf, rooms, roomsOf, sampleOf } from './mutants.ts';

const OF_EACH = process.env['MUTANTS'];
const SEED = Number(process.env['SEED'] ?? 1);
/** Percent of a room, as measured; half without an entry. */
const LEAST: Readonly<Record<string, number>> = {
  ...{ check: 75, checkpoint: 55, export: 60, mapping: 65, push: 70, settings: 55 },
};
const LEAST_OF_ALL = 60;

const copy = new CopiedCode();
afterAll(() => copy[Symbol.dispose]());

it('tests of the copied code pass without a change', async () => {
  expect(await copy.failing('domain')).toBeUndefined();
});

it('tests of each room notice their share of changes to it', async () => {
  const survivors: string[] = [];
  let tried = 0;
  for (const room of OF_EACH === undefined ? roomsOf(SEED) : rooms()) {
    const mutants = sampleOf(mutantsOf(room), Number(OF_EACH ?? 4), SEED);
    const before = survivors.length;
    for (const mutant of mutants)
      if ((await copy.noticing(mutant)) === undefined)
        survivors.push(`${mutant.file}:${mutant.line} ${mutant.text.trim()}`);
    tried += mutants.length;
    const noticed = mutants.length - (survivors.length - before);
    const least = Math.floor((mutants.length * (LEAST[room] ?? 50)) / 100);
    expect(noticed, `${room}: ${survivors.slice(before).join('\n')}`).toBeGreaterThanOrEqual(least);
  }
  expect(tried).toBeGreaterThan(15);
  expect(100 * (1 - survivors.length / tried), survivors.join('\n')).toBeGreaterThanOrEqual(LEAST_OF_ALL);
}, 900_000);
