/**
 * How large the program may be. Each number is a ceiling: a change that makes something smaller lowers its number in the
 * same commit; no number is raised without deleting something else.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { allCommands } from '../src/cli/command-list.ts';
import { FAULTS } from '../src/sandbox/faults/faults.ts';
import { ALL_SETTINGS } from '../src/settings/table/table.ts';
import { VARIABLES } from './docs/reference-tables.ts';

const root = resolve(import.meta.dirname, '..');

/** Pages that are made from the code, of which the words are not counted. */
const GENERATED_PAGES = new Set(['reference.md']);

const COMMANDS = await allCommands();

const BUDGETS: Readonly<Record<string, readonly [count: () => number, most: number]>> = {
  'lines of src': [() => lines('src'), 51_600],
  'files of src': [() => files('src', '.ts').length, 330],
  'lines of test': [() => lines('test'), 43_800],
  'lines of bench': [() => lines('bench'), 877],
  'words of docs': [words, 21_950],
  'options of all commands': [() => COMMANDS.flatMap(({ options }) => options).length, 160],
  'options of run': [() => COMMANDS.find(({ name }) => name === 'run')?.options.length ?? 0, 34],
  settings: [() => ALL_SETTINGS.length, 58],
  'environment variables': [() => VARIABLES.flatMap(([names]) => names).length, 24],
  'faults of the sandbox': [() => Object.keys(FAULTS).length, 15],
};

/** Lines of each folder of `src`. */
const ROOMS: Readonly<Record<string, number>> = {
  attachments: 1_640,
  billing: 810,
  check: 1_450,
  checkpoint: 1_610,
  cli: 1_040,
  commands: 5_400,
  discover: 3_310,
  disk: 100,
  domain: 2_540,
  import: 4_130,
  links: 150,
  mapping: 4_810,
  plan: 1_340,
  push: 3_610,
  rejects: 360,
  sandbox: 4_830,
  settings: 2_110,
  source: 2_550,
  sqlite: 30,
  summary: 280,
  target: 3_030,
  time: 500,
  verify: 1_070,
  view: 4_260,
};

function files(folder: string, ending: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(ending))
    .map((name) => join(root, folder, name));
}

function lines(folder: string): number {
  return files(folder, '.ts').reduce(
    (sum, file) => sum + readFileSync(file, 'utf8').split('\n').length - 1,
    0,
  );
}

function words(): number {
  const pages = files('docs', '.md').filter(
    (page) => ![...GENERATED_PAGES].some((name) => page.endsWith(name)),
  );
  return pages.reduce((sum, page) => sum + (readFileSync(page, 'utf8').match(/\S+/g) ?? []).length, 0);
}

it.each(Object.entries(BUDGETS))('%s stay within the budget', (name, [count, most]) => {
  const found = count();
  expect(found, `${name}: ${found} of ${most}`).toBeLessThanOrEqual(most);
  // A count of nothing would pass every budget.
  expect(found).toBeGreaterThan(0);
});

it('every folder of src stays within its budget', () => {
  const counted = readdirSync(join(root, 'src'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => [name, lines(`src/${name}`)] as const);
  expect(counted.map(([name]) => name).sort()).toEqual(Object.keys(ROOMS));
  expect(counted.filter(([name, found]) => found > (ROOMS[name] ?? 0))).toEqual([]);
});

it('no folder of src has more than 25 files', () => {
  const folders = readdirSync(join(root, 'src'), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name));
  const filesIn = (folder: string) =>
    readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile()).length;
  expect(folders.length).toBeGreaterThan(20);
  expect(folders.filter((folder) => filesIn(folder) > 25)).toEqual([]);
});
