/** Tags: a list in the ticket, a text with separators, or a table with one tag a row. */
import type { Expression } from '../../layouts/expression-language.ts';
import { tableWords } from '../column-words.ts';
import type { Join } from '../joins.ts';
import type { TableProfile } from '../table-profile.ts';
import type { TicketTable } from './choose-tables.ts';
import { bestColumn, type ScopeColumn } from './concepts.ts';
import { nestedColumns, rowsScope } from './scopes.ts';

/** `child`: names a table of the mapping whose first column names the ticket. */
export function proposeTags(
  ticket: TicketTable,
  columns: readonly ScopeColumn[],
  tables: readonly TableProfile[],
  joins: readonly Join[],
  child: (table: number, columns: readonly string[]) => string,
): Expression | undefined {
  const own = bestColumn('tags', columns, 0.6);
  if (own !== undefined) return fromColumn(ticket, own);
  for (const { from, to, found } of joins) {
    const table = tables[from.table];
    if (table === undefined || to.table !== ticket.index || found === 0) continue;
    if (!tableWords(table).some((word) => ['tag', 'label', 'etiqueta', 'etiquette'].includes(word))) continue;
    const tag = bestColumn(
      'tags',
      rowsScope(table).columns.filter(({ path }) => path !== from.column),
      0.6,
    );
    if (tag !== undefined) return { rows: child(from.table, [from.column, tag.path]), get: tag.path };
  }
  return undefined;
}

function fromColumn(ticket: TicketTable, { path, profile }: ScopeColumn): Expression {
  if (ticket.table.collection.format === 'json') {
    const inner = nestedColumns(rowsScope(ticket.table), path);
    const name = inner.find((column) => /^(?:name|tag|label|title|value)$/i.test(column.path));
    return name === undefined ? path : `${path}[].${name.path}`;
  }
  const isList = profile.kinds[0]?.kind === 'list' || profile.examples.some((text) => /[;|[]/.test(text));
  if (isList) return { column: path, split: 'list' };
  if (profile.examples.some((text) => text.includes(','))) return { column: path, split: ',' };
  // words joined by - or _ are tags with spaces between them
  const isWords = profile.examples.some((text) => /^\S+(?: \S+)+$/.test(text) && /[_-]/.test(text));
  return { column: path, split: isWords ? ' ' : ';' };
}
