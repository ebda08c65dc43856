/** After each import of each test: the fates of the cells of each column are as many as its filled cells, counted again from the rows. */
import { subscribe } from 'node:diagnostics_channel';
import { afterEach, expect } from 'vitest';
import type { Row } from '../../src/domain/source.ts';
import type { LearntSource } from '../../src/import/run.ts';
import type { CellCount } from '../../src/mapping/compile/ledger.ts';

const CHECKED = Symbol.for('helpdesk-import balanced');
const global = globalThis as { [CHECKED]?: string[] };

function filledIn(value: unknown): number {
  if (value === null || value === undefined || value === '') return 0;
  if (typeof value !== 'object') return 1;
  return Object.values(value)
    .map(filledIn)
    .reduce((sum, count) => sum + count, 0);
}

interface Balance {
  readonly source: LearntSource;
  readonly forgotten: readonly { readonly table: string; readonly rows: number }[];
  readonly cells: readonly CellCount[];
}

function difference({ source, forgotten, cells }: Balance): string[] {
  const sums = new Map<string, number>();
  const add = (table: string, column: string, count: number) => {
    const name = `${table}: ${column.split(/\.|\[\]|: /)[0]}`;
    sums.set(name, (sums.get(name) ?? 0) + count);
  };
  const seeRow = ({ table, object = {} }: Row) => {
    for (const [column, value] of Object.entries(object)) add(table, column, filledIn(value));
  };
  for (const items of source.joined.tickets(new AbortController().signal))
    for (const item of items) {
      if (item.kind !== 'ticket') continue;
      if (!item.children.has(item.row.table)) seeRow(item.row);
      for (const rows of item.children.values()) for (const row of rows) seeRow(row);
    }
  for (const { table, column, count, isAside } of cells) if (!isAside) add(table, column, -count);
  const left = forgotten.map(({ table, rows }) => `${table}: ${rows} rows that no ticket has`);
  return [
    ...left,
    ...[...sums].flatMap(([name, more]) => (more === 0 ? [] : [`${name}: ${more} cells without a fate`])),
  ];
}

if (global[CHECKED] === undefined) {
  const found: string[] = [];
  global[CHECKED] = found;
  subscribe('helpdesk-import:cells', (message) => found.push(...difference(message as never)));
}

afterEach(() => {
  expect(global[CHECKED]?.splice(0)).toEqual([]);
});
