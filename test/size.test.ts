/** How large the program may be: ceilings that only fall, and fall with the code in the same commit. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { COMMON } from '../src/cli/command.ts';
import { allCommands } from '../src/cli/command-list.ts';
import { ALL_SETTINGS } from '../src/settings/table/table.ts';
import { VARIABLES } from './docs/reference-tables.ts';

const root = resolve(import.meta.dirname, '..');

/** Pages that are made from the code, of which the words are not counted. */
const GENERATED_PAGES = new Set(['reference.md']);

const COMMANDS = await allCommands();

const BUDGETS: Readonly<Record<string, readonly [count: () => number, most: number]>> = {
  'lines of src': [() => lines('src'), 54_711],
  'files of src': [() => files('src', '.ts').length, 333],
  'lines of test': [() => lines('test'), 43_254],
  'lines of style sheets': [() => lines('src', '.css'), 1_244],
  'lines of bench': [() => lines('bench'), 897],
  'words of docs': [words, 14_500],
  'options of all commands': [() => COMMON.length + COMMANDS.flatMap(({ options }) => options).length, 103],
  'options of run': [() => COMMANDS.find(({ name }) => name === 'run')?.options.length ?? 0, 23],
  settings: [() => ALL_SETTINGS.length, 45],
  'environment variables': [() => VARIABLES.flatMap(([names]) => names).length, 21],
};

/** Lines of each folder of `src`. */
const ROOMS: Readonly<Record<string, number>> = {
  attachments: 1_546,
  billing: 1_009,
  check: 1_259,
  checkpoint: 1_455,
  cli: 1_157,
  commands: 5_733,
  discover: 4_359,
  domain: 3_549,
  export: 1_532,
  helpdesk: 2_604,
  import: 3_131,
  mapping: 7_291,
  plan: 2_381,
  push: 4_127,
  sandbox: 2_415,
  settings: 1_831,
  source: 3_970,
  verify: 1_201,
  view: 4_058,
};

function files(folder: string, ending: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(ending))
    .map((name) => join(root, folder, name));
}

function lines(folder: string, ending = '.ts'): number {
  return files(folder, ending).reduce(
    (sum, file) => sum + readFileSync(file, 'utf8').split('\n').length - 1,
    0,
  );
}

/** Words of prose: tokens with a letter or a digit, without tables that are made from the code. */
function words(): number {
  const pages = files('docs', '.md').filter(
    (page) => ![...GENERATED_PAGES].some((name) => page.endsWith(name)),
  );
  const prose = pages.map((page) =>
    readFileSync(page, 'utf8').replaceAll(/<!-- begin[\s\S]*?<!-- end.*?-->/g, ''),
  );
  return prose.join('\n').match(/\S*[\p{L}\p{N}]\S*/gu)?.length ?? 0;
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

it('no folder of src has more than 26 files', () => {
  const folders = readdirSync(join(root, 'src'), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name));
  const filesIn = (folder: string) =>
    readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile()).length;
  expect(folders.length).toBeGreaterThan(20);
  expect(folders.filter((folder) => filesIn(folder) > 26)).toEqual([]);
});
