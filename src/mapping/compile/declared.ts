/** How many messages the export itself says a ticket has, beside how many it holds: `declares` of a layout. */
import type { SourceTicket } from '../../domain/source.ts';
import { type CompileContext, rowPlace } from './compile-context.ts';
import { compileExpression } from './expressions.ts';
import { compileSource } from './item-source.ts';
import { newNotes, rowScope } from './scope.ts';

export type ReadDeclared = (
  ticket: SourceTicket,
) => { readonly messages: number; readonly has: number } | undefined;

/** Items are counted before any rule leaves some of them out, and in the fullest of the places. */
export function compileDeclared(context: CompileContext): ReadDeclared {
  const { declares } = context.layout;
  if (declares === undefined) return () => undefined;
  const read = compileExpression(declares.messages, rowPlace(context.rootTable), context);
  const places = declares.in
    .filter(({ from }) => from === undefined || context.tables.has(from))
    .map((place) => compileSource(place, context));
  return (ticket) => {
    const count = Number(read(rowScope(ticket, ticket.row, newNotes())) ?? Number.NaN);
    if (!Number.isInteger(count)) return undefined;
    const has = places.map(({ scopes }) => scopes(ticket, newNotes()).length);
    return { messages: count, has: Math.max(0, ...has) };
  };
}
