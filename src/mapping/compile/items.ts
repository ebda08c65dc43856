/** The fields of one payload, and where the messages and events of a ticket come from: rows of a table, or items of a list in them. */
import type { Row, SourceTicket } from '../../domain/source.ts';
import { textOf } from '../../domain/source-file.ts';
import type { MappedItem, MappedValue } from '../../domain/ticket.ts';
import type { Expression } from '../language/expression.ts';
import type { EventRule, MessageRule, PersonRule, SourceRule } from '../language/layout.ts';
import type { Requester } from '../people/actors.ts';
import { compilePerson, type ReadPerson } from '../people/people.ts';
import {
  type CompileContext,
  type Evaluate,
  itemScope,
  type Notes,
  newNotes,
  type Place,
  rowPlace,
  rowScope,
  type Scope,
} from './context.ts';
import { compileExpression, compileHolds, compileOptional, itemPlace, itemsOf } from './expressions.ts';

export interface Field {
  /** Key in the payload. */
  readonly name: string;
  /** What problems and explanations call it: `contact.email` for a part of an object. */
  readonly path: string;
  readonly read: Evaluate;
  readonly rule: string;
  /** The plan shows what its values were made of. */
  readonly kind: MappedValue['kind'] | undefined;
}

const TIME_FIELDS: ReadonlySet<string> = new Set(['createdAt', 'resolvedAt', 'closedAt', 'occurredAt']);
const KINDS: ReadonlyMap<string, MappedValue['kind']> = new Map([
  ['status', 'status'],
  ['priority', 'priority'],
  ['actorType', 'actor'],
  ['contentType', 'contentType'],
]);

/** Fields of time are read as times, unless the rule says how itself or the layout passes times on as they are. */
export function compileField(
  name: string,
  expression: Expression,
  place: Place,
  context: CompileContext,
  path = name,
): Field {
  const { times } = context.layout;
  const saysHow = typeof expression === 'object' && 'time' in expression && expression.time !== undefined;
  const isTime = TIME_FIELDS.has(name) && times?.pass !== true && !saysHow;
  const read = isTime ? { of: expression, time: times?.format ?? 'auto' } : expression;
  return {
    name,
    path,
    read: compileExpression(read, place, context, name === 'tags' ? 'all' : 'first'),
    rule: describeRule(expression),
    kind: path === name ? KINDS.get(name) : undefined,
  };
}

/** Those of the names that the rule has an expression for. */
export function compileFields(
  names: readonly string[],
  rule: object,
  place: Place,
  context: CompileContext,
  prefix = '',
): Field[] {
  return names.flatMap((name) => {
    const expression = (rule as Record<string, Expression | undefined>)[name];
    return expression === undefined ? [] : [compileField(name, expression, place, context, prefix + name)];
  });
}

/** Reads every field and sets those that are there. */
export function fillFields(target: Record<string, unknown>, fields: readonly Field[], scope: Scope): void {
  for (const field of fields) {
    const value = readField(field, scope);
    if (value === undefined || value === null) continue;
    target[field.name] = value;
    if (field.kind !== undefined && typeof value === 'string')
      noteValue(scope, field.kind, scope.notes.mappedFrom ?? value, value);
  }
}

const LONGEST_VALUE = 200;

/** What the plan shows: how one value of the source became one of the API. */
export function noteValue({ notes }: Scope, kind: MappedValue['kind'], from: string, to: string): void {
  notes.values.push({ kind, from: from.slice(0, LONGEST_VALUE), to: to.slice(0, LONGEST_VALUE) });
}

/** One field, with its origin recorded while explaining. */
export function readField(field: Field, scope: Scope): unknown {
  const { notes } = scope;
  startField(scope, field.path);
  notes.mappedFrom = undefined;
  const value = field.read(scope);
  const { path, rule } = field;
  notes.explained?.push({ field: path, value: value ?? undefined, rule, touched: notes.trace ?? [] });
  return value;
}

/** Says which field is being made of what is read next. */
export function startField({ notes }: Scope, field: string): void {
  notes.field = field;
  if (notes.explained !== undefined) notes.trace = [];
}

/** Records a field that a rule about people made, with all that was read about the person. */
export function explainField({ notes }: Scope, field: string, value: unknown, rule: string): void {
  if (value !== undefined) notes.explained?.push({ field, value, rule, touched: notes.trace ?? [] });
}

/** The rule in one line, for `--explain`. */
export function describeRule(expression: unknown): string {
  if (Array.isArray(expression)) return `first of ${expression.map(describeRule).join(', ')}`;
  if (expression === null || typeof expression !== 'object') return String(expression);
  return Object.entries(expression)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `${key}: ${typeof value === 'object' ? JSON.stringify(value) : String(value)}`)
    .join(', ');
}

export type MapItems = (ticket: SourceTicket, requester: Requester, notes: Notes) => MappedItem[];

interface ItemSource {
  /** What the fields of the items are compiled for. */
  readonly place: Place;
  /** Each with notes of its own, as it is not known yet which of the messages or events it is, if any. */
  scopes(ticket: SourceTicket, notes: Notes): Scope[];
}

function compileSource(rule: SourceRule, context: CompileContext): ItemSource {
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
  rules: readonly Rule[] = [],
  names: readonly string[],
  personOf: (rule: Rule) => PersonRule | undefined,
  context: CompileContext,
): CompiledRule<Rule>[] {
  return rules
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
