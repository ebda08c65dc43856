/** Where the messages or events of a ticket come from: rows of a table, or items of a list in them. */

import type { Row, SourceTicket } from '../../domain/source.ts';
import { textOf } from '../../domain/source-file.ts';
import type { MappedItem } from '../../domain/ticket.ts';
import type { EventRule, MessageRule, PersonRule, SourceRule } from '../language/layout.ts';
import type { Requester } from '../people/actor-rules.ts';
import { compilePerson, type ReadPerson } from '../people/people.ts';
import { type CompileContext, describeRule, type Place, rowPlace } from './compile-context.ts';
import { compileExpression, compileHolds, compileOptional, itemPlace, itemsOf } from './expressions.ts';
import { compileFields, type Field } from './fields.ts';
import { itemScope, type Notes, newNotes, rowScope, type Scope } from './scope.ts';

export type MapItems = (ticket: SourceTicket, requester: Requester, notes: Notes) => MappedItem[];

export interface ItemSource {
  /** What the fields of the items are compiled for. */
  readonly place: Place;
  /** Each with notes of its own, as it is not known yet which of the messages or events it is, if any. */
  scopes(ticket: SourceTicket, notes: Notes): Scope[];
}

export function compileSource(rule: SourceRule, context: CompileContext): ItemSource {
  const { each } = rule;
  const table = rule.from ?? context.rootTable;
  const rows = rowPlace(table);
  const place = each === undefined ? rows : itemPlace(each, rows);
  const readItems = each === undefined ? undefined : compileExpression(each, rows, context, 'all');
  const holds = compileHolds(rule.where, place, context);
  const scopesOfRow = (ticket: SourceTicket, row: Row, notes: Notes): Scope[] => {
    const own = () => rowScope(ticket, row, newNotes(notes.explained !== undefined));
    const items = readItems && itemsOf(readItems(rowScope(ticket, row, notes)));
    return (items?.map((item) => itemScope(own(), item)) ?? [own()]).filter(holds);
  };
  // of a group table every row is a message; of the root table there is one row
  const isRoot = rule.from === undefined && context.layout.tables[table]?.role === 'root';
  return {
    place,
    scopes: (ticket, notes) => {
      const children = isRoot ? undefined : ticket.children.get(table);
      const found = children ?? (rule.from === undefined ? [ticket.row] : []);
      return found.flatMap((row) => scopesOfRow(ticket, row, notes));
    },
  };
}

/** A rule for messages or events: what both have. */
export interface CompiledRule<Rule> extends ItemSource {
  readonly rule: Rule;
  readonly fields: readonly Field[];
  readonly person: ReadPerson | undefined;
  readonly personRule: string;
  /**
   * Identifies an item of its rule: of those with the same value the first counts. Rules that differ in their
   * place alone are one rule for several places. Undefined where the rule does not say it, or the value is empty.
   */
  identity(scope: Scope): string | undefined;
}

/** Without the rules whose table the export does not have. */
export function compileRules<Rule extends MessageRule | EventRule>(
  rules: readonly Rule[] | undefined,
  names: readonly string[],
  personOf: (rule: Rule) => PersonRule | undefined,
  context: CompileContext,
): CompiledRule<Rule>[] {
  return (rules ?? [])
    .filter(({ from }) => from === undefined || context.tables.has(from))
    .map((rule) => {
      const source = compileSource(rule, context);
      const { place } = source;
      const person = personOf(rule);
      const { from: _, each: __, where: ___, ...wherever } = rule;
      const name = JSON.stringify(wherever);
      const once = compileOptional(rule.once, place, context);
      return {
        ...source,
        rule,
        fields: compileFields(names, rule, place, context),
        person: person && compilePerson(person, place, context),
        personRule: describeRule(person),
        identity: (scope) => {
          const id = textOf(once?.(scope));
          return id === '' ? undefined : `${name}\u0000${id}`;
        },
      };
    });
}

/** How many messages the export itself says a ticket has, and how many it holds: counted in the fullest of the places. */
export function compileDeclared(
  context: CompileContext,
): (ticket: SourceTicket) => { readonly messages: number; readonly has: number } | undefined {
  const { declares } = context.layout;
  if (declares === undefined) return () => undefined;
  const read = compileExpression(declares.messages, rowPlace(context.rootTable), context);
  const places = declares.in
    .filter(({ from }) => from === undefined || context.tables.has(from))
    .map((place) => compileSource(place, context));
  return (ticket) => {
    const messages = Number(read(rowScope(ticket, ticket.row, newNotes())) ?? Number.NaN);
    if (!Number.isInteger(messages)) return undefined;
    return { messages, has: Math.max(0, ...places.map(({ scopes }) => scopes(ticket, newNotes()).length)) };
  };
}
