/** Where the messages or events of a ticket come from: rows of a table, or items of a list in them. */

import { AppError } from '../../domain/errors.ts';
import { didYouMean } from '../../domain/nearest.ts';
import type { Row, SourceTicket } from '../../domain/source.ts';
import type { SourceRule } from '../language/layout.ts';
import { type CompileContext, type Place, rowPlace } from './compile-context.ts';
import { compileExpression, compileHolds, itemPlace, itemsOf } from './expressions.ts';
import { itemScope, type Notes, newNotes, rowScope, type Scope } from './scope.ts';

export interface ItemSource {
  /** Place in which the fields of the items are compiled. */
  readonly place: Place;
  /** Each with notes of its own, as it is not known yet which of the messages or events it is, if any. */
  scopes(ticket: SourceTicket, notes: Notes): Scope[];
}

export function compileSource(rule: SourceRule, context: CompileContext): ItemSource {
  const table = rule.from ?? context.rootTable;
  if (!Object.hasOwn(context.layout.tables, table))
    throw new AppError(
      'configuration',
      `The layout ${context.layout.name} has no table "${table}".${didYouMean(table, Object.keys(context.layout.tables))}`,
    );
  const rows = rowPlace(table);
  const split = compileItems(rule, rows, context);
  const place = split?.place ?? rows;
  const holds = compileHolds(rule.where, place, context);

  const scopesOfRow = (ticket: SourceTicket, row: Row, notes: Notes): Scope[] => {
    const own = () => rowScope(ticket, row, newNotes(notes.explained !== undefined));
    const scopes =
      split === undefined
        ? [own()]
        : split.items(rowScope(ticket, row, notes)).map((item) => itemScope(own(), item));
    return holds === undefined ? scopes : scopes.filter(holds);
  };
  // of a group table every row is a message; of the root table there is one row
  const ownRow = rule.from === undefined && context.layout.tables[table]?.role === 'root';
  return {
    place,
    scopes: (ticket, notes) =>
      ownRow || (rule.from === undefined && !ticket.children.has(table))
        ? scopesOfRow(ticket, ticket.row, notes)
        : (ticket.children.get(table) ?? []).flatMap((row) => scopesOfRow(ticket, row, notes)),
  };
}

interface Items {
  readonly place: Place;
  items(scope: Scope): readonly unknown[];
}

function compileItems({ each }: SourceRule, rows: Place, context: CompileContext): Items | undefined {
  if (each === undefined) return undefined;
  const read = compileExpression(each, rows, context, 'all');
  return { place: itemPlace(each, rows), items: (scope) => itemsOf(read(scope)) };
}
