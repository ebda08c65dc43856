/** Cells that the witness leaves unexplained, beside those that a list admits. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { Cell } from './raw.ts';
import { type Sorted, witness } from './witness.ts';

/** By the end of a column's path; `*` stands for any text. */
const ADMITTED = (
  parse(readFileSync(join(import.meta.dirname, 'admitted.yaml'), 'utf8')) as readonly {
    columns: readonly string[];
  }[]
).flatMap(({ columns }) =>
  columns.map((name) => new RegExp(`(?:^|[. ])${name.replace(/[.[\]]/g, '\\$&').replaceAll('*', '.*')}$`)),
);

const nameOf = ({ file, stream, column }: Cell) => `${stream === '' ? file : stream} ${column}`;

export async function unexplained(...of: Parameters<typeof witness>): Promise<string[]> {
  const { cells } = await witness(...of);
  return missing(cells);
}

export function missing(cells: readonly Sorted[]): string[] {
  const left = cells.filter(
    (cell) => cell.verdict === 'unexplained' && !ADMITTED.some((name) => name.test(nameOf(cell))),
  );
  return left.map((cell) => `${nameOf(cell)}: ${cell.text.slice(0, 80)}`);
}

/** The settings of a fixture, as of a settings file. */
export const settingsOf = ({ timezone, ...settings }: { readonly timezone?: string }): object => ({
  ...settings,
  ...(timezone !== undefined && { source: { timezone } }),
});
