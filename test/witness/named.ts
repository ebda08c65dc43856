/** What the facts of a run say is kept, left or lost, by file and column. */
import { basename } from 'node:path';
import type { Facts } from '../../src/plan/facts.ts';
import type { Cell } from './raw.ts';

export const plain = (column: string) => column.replaceAll('[]', '').replace(/^\./, '');
const short = (text: string) => text.toLowerCase().replaceAll('_', '');
const holds = (path: string, part: string) => `.${plain(path)}.`.includes(`.${plain(part)}.`);

/** Columns. */
export function isLostBy({ details, kept, lost, problems }: Facts): (place: Cell) => boolean {
  const told = [...lost.map(({ what }) => what), ...problems.map(({ message }) => message)];
  const inBrackets = told.flatMap((what) => /\(([^()]*)\)/.exec(what)?.[1]?.split(', ') ?? []);
  const columns = new Set([...details.columns.map(({ column }) => column), ...kept.columns, ...inBrackets]);
  return ({ column }) => [...columns].some((name) => holds(column, name));
}

/** Rows of tables, whole or some of their columns, and files and lists that no table reads. */
export function isLeftBy({ details }: Facts): (place: Cell) => boolean {
  const left = details.notHeld.filter(({ table }) => table !== undefined);
  return ({ file, column, stream }) =>
    left.some(
      ({ code, table = '', files = [], columns }) =>
        files.some((path) => basename(path) === file) &&
        (stream === ''
          ? code !== 'unread' || table === '' || plain(column).startsWith(`${table}.`)
          : short(stream).endsWith(short(table))) &&
        (columns === undefined || columns.some((name) => holds(column, name))),
    );
}
