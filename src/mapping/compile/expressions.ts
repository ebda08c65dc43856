/** Compiles expressions and conditions to closures: the source of the value, then its modifiers in a fixed order. */

import { isWholeRow, textOf } from '../../domain/source-file.ts';
import { keyText } from '../../source/keys.ts';
import {
  type Condition,
  type Expression,
  type ExpressionObject,
  mainColumn,
} from '../language/expression.ts';
import { ROW } from '../language/layout.ts';
import { compileNulls, objectReader } from './columns.ts';
import {
  asChoice,
  type CompileContext,
  columnsOf,
  type Doubt,
  type Evaluate,
  forValues,
  itemScope,
  type Read,
  rowPlace,
  rowScope,
  type Scope,
  type Use,
  wordIn,
} from './context.ts';
import { compileModifiers } from './modifiers.ts';
import type { Place } from './paths.ts';
import { alternatives, listOf, type Path, parsePath } from './paths.ts';
import { comparable, isAbsent, isEmpty, truthOf, unpacked } from './values.ts';

/** A list takes all filled cells of a repeated header; other values take one. */
type Wanted = 'first' | 'all';

/** `doubt` takes a word that the condition does not know. */
export type Holds = (scope: Scope, doubt?: Doubt) => boolean;

export function compileExpression(
  expression: Expression,
  place: Place,
  context: CompileContext,
  use: Use,
  wanted: Wanted = 'first',
): Evaluate {
  if (typeof expression === 'string') return compileColumn(expression, place, context, use, wanted);
  if (Array.isArray(expression)) {
    const choice = expression.length > 1 ? asChoice(context) : context;
    const reads = expression.map((each) => compileExpression(each, place, choice, use, wanted));
    return (scope) => {
      let word: unknown;
      for (const read of reads) {
        const value = read(scope);
        if (!isAbsent(value)) return value;
        if (!isEmpty(value)) word ??= value;
      }
      return word;
    };
  }
  const { match, as } = expression;
  const isOfMailbox = (as === 'email' || as === 'name') && context.isChoice !== true;
  const isPart = use === 'person' && (match !== undefined || isOfMailbox);
  const whole = isPart ? { ...context, isPart } : context;
  const source = isOfValues(expression) ? forValues(whole) : whole;
  const words = wordsOf(expression, context.layout, use);
  const knowing = words === undefined ? source : { ...source, ...words };
  return compileModifiers(expression, compileSource(expression, place, knowing, use), place, context);
}

const NO_TEXTS: ReadonlySet<unknown> = new Set(['list', 'number', 'boolean', 'integer', 'email', 'name']);

function isOfValues({ time, cell, split, as }: ExpressionObject): boolean {
  return time !== undefined || [cell, split, as].some((form) => NO_TEXTS.has(form));
}

export function compileOptional(
  expression: Expression | undefined,
  place: Place,
  context: CompileContext,
  use: Use,
): Evaluate | undefined {
  return expression === undefined ? undefined : compileExpression(expression, place, context, use);
}

/** The words of a value map. */
function wordsOf(
  { map }: ExpressionObject,
  { maps }: CompileContext['layout'],
  use: Use,
): Pick<Read, 'knows' | 'means'> | undefined {
  const values = typeof map === 'string' ? maps?.[map]?.values : map;
  if (values === undefined) return undefined;
  const words = new Map(Object.entries(values).map(([word, meaning]) => [comparable(word), meaning]));
  const isOfTruth = words.has('true') && words.has('false');
  const means = (value: unknown) => words.get(comparable(value));
  if (use !== 'decides') return { means };
  return {
    knows: (value) => words.has(comparable(value)) || (isOfTruth && truthOf(value) !== undefined),
    means,
  };
}

function compileSource(
  expression: ExpressionObject,
  place: Place,
  context: CompileContext,
  use: Use,
): Evaluate {
  const { column, template, when, holds, of, ticket, row, lookup, rows } = expression;
  const compile = (part: Expression) => compileExpression(part, place, context, use);
  if (column !== undefined)
    return compileColumn(
      column,
      place,
      context,
      use,
      expression.split === undefined ? 'first' : 'all',
      expression.pick,
    );
  if (expression.const !== undefined) return () => expression.const;
  if (template !== undefined) return compileTemplate(template, place, context, use);
  if (when !== undefined) {
    const cases = when.map((entry) => ({
      holds: compileHolds(entry.if, place, context),
      read: compileExpression(entry.then ?? entry.else ?? { const: '' }, place, asChoice(context), use),
    }));
    return (scope) => cases.find((each) => each.holds(scope))?.read(scope);
  }
  if (holds !== undefined) return compileHolds(holds, place, context);
  if (of !== undefined) return compile(of);
  if (ticket !== undefined) {
    const read = compileExpression(ticket, rowPlace(context.rootTable), context, use);
    return (scope) => read(rowScope(scope.ticket, scope.ticket.row, scope.notes));
  }
  if (row !== undefined) {
    const read = compileExpression(row, place.outer ?? place, context, use);
    return (scope) => read(scope.outer ?? scope);
  }
  if (lookup !== undefined) return compileLookup(expression, lookup, place, context, use);
  if (rows !== undefined) {
    const take = compileTake(expression, rowPlace(rows), context, use);
    return ({ ticket: { children }, ticket: of, notes }) =>
      take((children.get(rows) ?? []).map((each) => rowScope(of, each, notes)));
  }
  const list = expression.each ?? '.';
  // A condition leaves parts of a cell out.
  const whole = expression.where === undefined ? context : asChoice(context);
  const read = compileExpression(list, place, whole, 'list', 'all');
  const take = compileTake(expression, itemPlace(list, place), context, use);
  return (scope) => take(itemsOf(read(scope)).map((item) => itemScope(scope, item)));
}

function compileColumn(
  path: string,
  place: Place,
  context: CompileContext,
  use: Use,
  wanted: Wanted,
  pick?: readonly string[],
): Evaluate {
  const { table, inItem, paths: lists } = place;
  if (!inItem && path === ROW && isNamedByRow(table, context)) return ({ ticket }) => ticket.externalId;
  const { isChoice = false, isPart = false, knows, means } = context;
  for (const list of inItem ? lists : [undefined])
    context.reads.push({ table, column: path, list, pick, use, isChoice, isPart, knows, means });
  if (!inItem) return columnsOf(context, table).reader(path, wanted, context.readAs ?? 'text');
  const read = path === '.' ? undefined : objectReader([path]);
  const isNull = compileNulls(context.layout, context.readAs !== 'value');
  return ({ notes, row, item }) => {
    if (read === undefined && typeof item !== 'string') return item;
    if (read !== undefined && (item === null || typeof item !== 'object')) return undefined;
    const found = read === undefined ? item : read(item as object);
    const value = read !== undefined && isNull(found) ? undefined : found;
    notes.trace?.push({ table, row, column: path, value, item, lists });
    return value;
  };
}

const isNamedByRow = (table: string, { rootTable, tables }: CompileContext): boolean =>
  table === rootTable && isWholeRow(tables.get(table)?.table.key ?? [ROW]);

function compileTemplate(template: string, place: Place, context: CompileContext, use: Use): Evaluate {
  const parts = template.split(/\{([^{}]+)\}/).map((part, index) => {
    if (index % 2 === 0) return part;
    const read = compileColumn(part.trim(), place, context, use, 'first');
    const isKey = listOf(context.layout.tables[place.table]?.key).some((key) =>
      alternatives(key).includes(part),
    );
    return isKey ? (scope: Scope) => keyText(read(scope)) : read;
  });
  return (scope) => {
    const texts = parts.map((part) =>
      typeof part === 'string' ? part : [part(scope)].flat().map(textOf).join(', ').trim(),
    );
    const isFilled = texts.some((text, index) => index % 2 === 1 && text !== '');
    return isFilled ? texts.join('').trim() : undefined;
  };
}

function compileLookup(
  expression: ExpressionObject,
  table: string,
  place: Place,
  context: CompileContext,
  use: Use,
): Evaluate {
  const by = [expression.by ?? '.']
    .flat()
    .map((part) => compileExpression(part, place, forValues(context), 'key'));
  const get = compileExpression(expression.get ?? '.', rowPlace(table), context, use);
  const known = context.tables.get(table)?.table;
  const key = listOf(expression.key ?? known?.key);
  if (expression.key !== undefined) context.lookups.push({ table, key });
  // A key that the files lack finds nothing.
  const keys = known === undefined ? [] : [known.key, ...(known.lookups ?? [])];
  if (!keys.some((other) => other.join('\u0000') === key.join('\u0000'))) return () => undefined;
  return (scope) => {
    const values = by.map((read) => textOf(read(scope)).trim());
    const row = values.includes('') ? undefined : context.lookup(table, key, values);
    if (row === undefined) return undefined;
    scope.notes.lookedUp?.set(row.ref.row, row);
    return get(rowScope(scope.ticket, row, scope.notes));
  };
}

export function itemsOf(value: unknown): readonly unknown[] {
  const items = unpacked(value);
  return Array.isArray(items) ? items : isEmpty(items) ? [] : [items];
}

export function itemPlace(expression: Expression, place: Place): Place {
  const bases = place.inItem ? place.paths.map((base): Path => [...base, 'each']) : [[]];
  const paths = bases.flatMap((base) =>
    plainColumns(expression).map((name) => [...base, ...parsePath(name)]),
  );
  return { table: place.table, inItem: true, paths, outer: place };
}

function plainColumns(expression: Expression): string[] {
  if (typeof expression === 'string') return [expression];
  if (Array.isArray(expression)) return expression.flatMap(plainColumns);
  if (expression.column !== undefined) return [expression.column];
  return expression.of === undefined ? [] : plainColumns(expression.of);
}

function compileTake(
  { where, item, get = '.', take = 'all', order }: ExpressionObject,
  place: Place,
  context: CompileContext,
  use: Use,
): (scopes: Scope[]) => unknown {
  const holds = compileHolds(where, place, context);
  const choice = take === 'all' && where === undefined ? context : asChoice(context);
  const read =
    item === undefined ? compileExpression(get, place, choice, use) : compileItem(item, place, choice, use);
  const readOrder = compileOptional(order, place, context, 'compare');
  return (scopes) => {
    const found: unknown[] = [];
    for (const scope of readOrder === undefined ? scopes : inOrder(scopes, readOrder)) {
      if (!holds(scope)) continue;
      const value = read(scope);
      if (isEmpty(value)) continue;
      if (take === 'first') return value;
      // More elements than a call takes arguments.
      for (const each of Array.isArray(value) ? value : [value]) found.push(each);
    }
    return take === 'last' ? found.at(-1) : found.length === 0 ? undefined : found;
  };
}

/** Numbers by value, others by text; empty ones first. */
function inOrder(scopes: readonly Scope[], order: Evaluate): Scope[] {
  return scopes
    .map((scope) => ({ scope, value: order(scope) }))
    .sort(({ value: one }, { value: other }) => {
      if (typeof one === 'number' && typeof other === 'number') return one - other;
      const [a, b] = [textOf(one), textOf(other)];
      return a < b ? -1 : a > b ? 1 : 0;
    })
    .map(({ scope }) => scope);
}

const ADDRESS = /^https?:\/\/\S+$/;

function compileItem(
  item: Record<string, Expression>,
  place: Place,
  context: CompileContext,
  use: Use,
): Evaluate {
  const fields = Object.entries(item).map(
    ([name, expression]) => [name, compileExpression(expression, place, context, use)] as const,
  );
  // A list of addresses in place of objects.
  const plain =
    item['url'] === undefined ? undefined : compileColumn('.', place, asChoice(context), use, 'first');
  return (scope) => {
    if (plain !== undefined && typeof scope.item === 'string' && ADDRESS.test(scope.item))
      return { url: plain(scope) };
    const values = fields.map(([name, read]) => [name, read(scope)] as const);
    const there = values.filter(([, value]) => value !== undefined);
    return there.length === 0 ? undefined : Object.fromEntries(there);
  };
}

/** Without a condition it always holds. */
export function compileHolds(condition: Condition | undefined, place: Place, context: CompileContext): Holds {
  if (condition === undefined) return () => true;
  const inner = (part: Condition) => compileHolds(part, place, context);
  const { column, all = [], any, not } = condition;
  const parts = all.map(inner);
  if (any) {
    const some = any.map(inner);
    parts.push((scope, doubt) => some.some((holds) => holds(scope, doubt)));
  }
  if (not) {
    const negated = inner(not);
    parts.push((scope, doubt) => !negated(scope, doubt));
  }
  if (column !== undefined) {
    const read = compileExpression(
      column,
      place,
      { ...context, knows: knownBy(condition), means: undefined },
      'decides',
    );
    const tests = compileTests(condition);
    parts.push((scope, doubt) => {
      const value = read(scope);
      return tests.every((test) => test(value, doubt));
    });
  }
  return (scope, doubt) => parts.every((holds) => holds(scope, doubt));
}

/** Words that a condition names, or that fit its pattern. */
function knownBy({ is, in: words = [], known = [], matches }: Condition): Read['knows'] {
  const all = new Set([...words, ...known, ...(is === undefined ? [] : [is])].map(comparable));
  const regex = matches === undefined ? undefined : new RegExp(matches, 'iu');
  return (value) =>
    all.has(comparable(value)) ||
    (typeof is === 'boolean' && truthOf(value) !== undefined) ||
    regex?.test(textOf(value)) === true;
}

type Test = (value: unknown, doubt: Doubt | undefined) => boolean;

function compileTests(condition: Condition): Test[] {
  const { column, is, in: words, known, matches, empty } = condition;
  const tests: Test[] = [];
  const name = mainColumn(column);
  const note = (doubt: Doubt | undefined, value: unknown, isKnown: (each: unknown) => boolean) => {
    const all = (Array.isArray(value) ? value : [value]).filter((each) => !isEmpty(each));
    const unknown = all.length === 0 ? '' : all.find((each) => !isKnown(each));
    if (unknown !== undefined && doubt !== undefined && wordIn(doubt) === undefined)
      doubt.unknown = { column: name, word: textOf(unknown).trim() };
    return all;
  };
  const all = new Set([...(words ?? []), ...(known ?? [])].map(comparable));
  if (typeof is === 'boolean')
    tests.push((value, doubt) =>
      note(doubt, value, (each) => truthOf(each) !== undefined || all.has(comparable(each)))
        .map(truthOf)
        .includes(is),
    );
  else if (known !== undefined)
    tests.push((value, doubt) => {
      note(doubt, value, (each) => all.has(comparable(each)));
      return true;
    });
  for (const list of [typeof is === 'boolean' || is === undefined ? undefined : [is], words]) {
    if (list === undefined) continue;
    const set = new Set(list.map(comparable));
    tests.push((value) => (Array.isArray(value) ? value : [value]).some((each) => set.has(comparable(each))));
  }
  if (matches !== undefined) {
    const regex = new RegExp(matches, 'iu');
    tests.push((value) => regex.test(textOf(value)));
  }
  if (empty !== undefined) tests.push((value) => isAbsent(value) === empty);
  return tests;
}
