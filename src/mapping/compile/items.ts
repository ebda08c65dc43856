/** Fields of one payload, and where messages and events come from: rows of a table, or items of a list in them. */
import type { Row, SourceTicket } from '../../domain/source.ts';
import { textOf } from '../../domain/source-file.ts';
import type { MappedItem, MappedValue } from '../../domain/ticket.ts';
import { roughInstant } from '../../domain/written-time.ts';
import type { Expression } from '../language/expression.ts';
import type { EventRule, MessageRule, PersonRule, SourceRule, Visibility } from '../language/layout.ts';
import type { Requester } from '../people/actors.ts';
import { compilePerson, type ReadPerson } from '../people/people.ts';
import {
  asChoice,
  type CompileContext,
  type Doubt,
  type Evaluate,
  forValues,
  itemScope,
  type Notes,
  newNotes,
  rowPlace,
  rowScope,
  type Scope,
  type UnknownWord,
} from './context.ts';
import { compileExpression, compileHolds, compileOptional, itemPlace, itemsOf } from './expressions.ts';
import type { Place } from './paths.ts';
import { unpacked } from './values.ts';

export interface Field {
  readonly name: string;
  /** `contact.email` for a part of an object. */
  readonly path: string;
  readonly read: Evaluate;
  readonly rule: string;
  readonly kind: MappedValue['kind'] | undefined;
}

const TIME_FIELDS: ReadonlySet<string> = new Set(['createdAt', 'resolvedAt', 'closedAt', 'occurredAt']);
const VALUE_FIELDS: ReadonlySet<string> = new Set([
  ...TIME_FIELDS,
  ...['tags', 'assignedToId', 'agentId', 'contactId', 'email', 'contentType', 'actorType', 'attachments'],
]);
const isTimeText = (value: unknown) => roughInstant(textOf(value)) !== undefined;
/** The words of the API itself, which a field without a value map passes on. */
const OWN_WORDS: ReadonlySet<unknown> = new Set(['customer', 'agent', 'system', 'text', 'html', 'markdown']);
const isOwnWord = (value: unknown) => OWN_WORDS.has(value);

const DECIDING: ReadonlySet<string> = new Set(['actorType', 'contentType']);
const KINDS: ReadonlyMap<string, MappedValue['kind']> = new Map([
  ['status', 'status'],
  ['priority', 'priority'],
  ['actorType', 'actor'],
  ['contentType', 'contentType'],
]);

/** Time fields are read as times, unless the rule or layout says otherwise. */
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
  const rule = isTime ? { of: expression, time: times?.format ?? 'auto' } : expression;
  const isList = name === 'tags';
  const reading = VALUE_FIELDS.has(name) ? forValues(context) : context;
  const use = DECIDING.has(name) ? 'decides' : 'value';
  // Another time of the same kind was taken.
  const told = {
    ...reading,
    ...(isTime && { knows: isTimeText }),
    ...(DECIDING.has(name) && { knows: isOwnWord }),
  };
  const read = compileExpression(rule, place, told, use, isList ? 'all' : 'first');
  return {
    name,
    path,
    read: isList ? (scope) => unpacked(read(scope)) : read,
    rule: describeRule(expression),
    kind: path === name ? KINDS.get(name) : undefined,
  };
}

/** A message is internal unless its rule knows that it is public. Undefined for `public: true`. `unknown` receives each unknown word. */
export function compileVisibility(
  rule: Visibility,
  place: Place,
  context: CompileContext,
  unknown: (word?: UnknownWord) => void,
): Field | undefined {
  if (rule === true) return undefined;
  const name = 'isInternal';
  const field = { name, path: name, kind: undefined, rule: `public: ${describeRule(rule)}` };
  if (rule === false) return { ...field, read: () => true };
  const inDoubt = (word?: UnknownWord) => {
    unknown(word);
    return true;
  };
  if (rule === 'unknown') return { ...field, read: () => inDoubt() };
  const { internal, ...condition } = rule;
  const isPublic = compileHolds({ ...condition, known: internal ?? condition.known }, place, context);
  return {
    ...field,
    read: (scope) => {
      const doubt: Doubt = {};
      // Public by default is sent as the export has it.
      if (isPublic(scope, doubt)) return doubt.unknown === undefined ? false : undefined;
      return doubt.unknown === undefined || inDoubt(doubt.unknown);
    },
  };
}

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

/** Empty text counts here: a message may have only a file. */
const TEXTS: ReadonlySet<string> = new Set(['content', 'subject']);

export function fillFields(target: Record<string, unknown>, fields: readonly Field[], scope: Scope): void {
  for (const field of fields) {
    const value = readField(field, scope);
    if (value === undefined || value === null || (value === '' && !TEXTS.has(field.name))) continue;
    target[field.name] = value;
    if (field.kind !== undefined && typeof value === 'string')
      noteValue(scope, field.kind, scope.notes.mappedFrom ?? value, value);
  }
}

const LONGEST_VALUE = 200;

export function noteValue({ notes }: Scope, kind: MappedValue['kind'], from: string, to: string): void {
  notes.values.push({ kind, from: from.slice(0, LONGEST_VALUE), to: to.slice(0, LONGEST_VALUE), count: 1 });
}

/** Each once. */
export function countValues(counted: MappedValue[], values: readonly MappedValue[]): void {
  for (const value of values) {
    const { kind, from, to, count } = value;
    const at = counted.findIndex((each) => each.to === to && each.from === from && each.kind === kind);
    const known = counted[at];
    if (known === undefined) counted.push(value);
    else counted[at] = { ...known, count: known.count + count };
  }
}

export function readField(field: Field, scope: Scope): unknown {
  const { notes } = scope;
  startField(scope, field.path);
  notes.mappedFrom = undefined;
  const value = field.read(scope);
  const { path, rule } = field;
  notes.explained?.push({ field: path, value: value ?? undefined, rule, touched: notes.trace ?? [] });
  return value;
}

export function startField({ notes }: Scope, field: string): void {
  notes.field = field;
  if (notes.explained !== undefined) notes.trace = [];
}

/** With all that was read about the person. */
export function explainField({ notes }: Scope, field: string, value: unknown, rule: string): void {
  if (value !== undefined) notes.explained?.push({ field, value, rule, touched: notes.trace ?? [] });
}

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
  readonly place: Place;
  /** Each with notes of its own, as its message or event is decided later. */
  scopes(ticket: SourceTicket, notes: Notes): Scope[];
}

export function compileSource(rule: SourceRule, context: CompileContext): ItemSource {
  const { each } = rule;
  const table = rule.from ?? context.rootTable;
  const rows = rowPlace(table);
  const place = each === undefined ? rows : itemPlace(each, rows);
  const readItems = each === undefined ? undefined : compileExpression(each, rows, context, 'list', 'all');
  const holds = compileHolds(rule.where, place, context);
  const scopesOfRow = (ticket: SourceTicket, row: Row, notes: Notes): Scope[] => {
    const own = () => rowScope(ticket, row, newNotes(notes));
    const items = readItems && itemsOf(readItems(rowScope(ticket, row, notes)));
    return (items?.map((item) => itemScope(own(), item)) ?? [own()]).filter((scope) => holds(scope));
  };
  // Every row of a group table is a message; the root table has one row.
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

export interface CompiledRule<Rule> extends ItemSource {
  readonly rule: Rule;
  readonly fields: readonly Field[];
  readonly person: ReadPerson | undefined;
  readonly personRule: string;
  /**
   * The first item with a value counts; rules that differ only in their place are one rule. Undefined if the rule has
   * none, or the value is empty.
   */
  identity(scope: Scope): string | undefined;
}

/** Leaves out rules whose table the export lacks. */
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
      // Items and texts that a condition leaves out are not sent; rows of a table of their own are left whole.
      const isPart = rule.from === undefined && (rule.where !== undefined || 'use' in rule);
      const person = personOf(rule);
      const { from: _, each: __, where: ___, ...wherever } = rule;
      const name = JSON.stringify(wherever);
      const once = compileOptional(rule.once, place, forValues(context), 'key');
      return {
        ...source,
        rule,
        fields: compileFields(names, rule, place, isPart ? asChoice(context) : context),
        person: person && compilePerson(person, place, context),
        personRule: describeRule(person),
        identity: (scope) => {
          const id = textOf(once?.(scope));
          return id === '' ? undefined : `${name}\u0000${id}`;
        },
      };
    });
}
