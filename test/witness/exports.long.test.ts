/** What becomes of exports beside the repository: where their words are, and how the run ends. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { givenExports } from './exports.ts';
import { missing } from './support.ts';
import { witness } from './witness.ts';

const OUTCOMES = parse(readFileSync(join(import.meta.dirname, 'outcomes.yaml'), 'utf8')) as Readonly<
  Record<0 | 2 | 3, readonly string[]>
>;
const codeOf = (name: string) => ([0, 2, 3] as const).find((code) => OUTCOMES[code].includes(name));
const given = givenExports();

it.runIf(given.length > 0)('each export has its outcome', () => {
  expect(given.map(({ name }) => name).filter((name) => codeOf(name) === undefined)).toEqual([]);
});

it.each(given)(
  '$name ends as recorded, and each word is found or named',
  async ({ name, path, config }) => {
    const { code, cells, stderr } = await witness([path], config);
    expect(code, stderr).toBe(codeOf(name));
    expect(missing(cells)).toEqual([]);
  },
  300_000,
);
