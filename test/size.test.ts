/**
 * How large the program may be. Each number is a ceiling: whoever makes something smaller lowers its number in the same
 * commit, and nobody raises one without deleting something else.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { COMMANDS } from '../src/cli/command-list.ts';
import { FAULTS } from '../src/sandbox/faults/faults.ts';
import { ALL_SETTINGS } from '../src/settings/table/table.ts';
import { VARIABLES } from './docs/reference-tables.ts';

const root = resolve(import.meta.dirname, '..');

/** Pages that are made from the code, of which the words are not counted. */
const GENERATED_PAGES = new Set(['reference.md']);

const BUDGETS: Readonly<Record<string, readonly [count: () => number, most: number]>> = {
  'lines of src': [() => lines('src'), 62_850],
  'files of src': [() => files('src', '.ts').length, 460],
  'lines of test': [() => lines('test'), 51_030],
  'lines of bench': [() => lines('bench'), 878],
  'words of docs': [words, 37_350],
  'options of all commands': [() => COMMANDS.flatMap(({ options }) => options).length, 161],
  'options of run': [() => COMMANDS.find(({ name }) => name === 'run')?.options.length ?? 0, 34],
  settings: [() => ALL_SETTINGS.length, 58],
  'environment variables': [() => VARIABLES.flatMap(([names]) => names).length, 24],
  'faults of the sandbox': [() => Object.keys(FAULTS).length, 15],
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
