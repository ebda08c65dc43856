/** Expressions compiled to closures: first the source of the value, then its modifiers in a fixed order. */

import { textOf } from '../../domain/source-file.ts';
import type { Condition, Expression, ExpressionObject } from '../language/expression.ts';
import { listPaths } from '../language/references.ts';
import { nullsOf, objectReader } from './column-access.ts';
import { listOf, parsePath, valueAt } from './column-path.ts';
import { type CompileContext, columnsOf, type Place, rowPlace } from './compile-context.ts';
import { compileCondition, type Holds } from './conditions.ts';
import { compileModifiers } from './modifiers.ts';
import { type Evaluate, itemScope, rowScope, type Scope } from './scope.ts';
import { isEmpty } from './text-forms.ts';

/** What becomes a list takes all filled cells of a header that a CSV repeats; anything else has one value. */
type Wanted = 'first' | 'all';

export function compileExpression(
  expression: Expression,
  place: Place,
  context: CompileContext,
  wanted?: Wanted,
): Evaluate;
export function compileExpression(
  expression: Expression | undefined,
  place: Place,
  context: CompileContext,
  wanted?: Wanted,
): Evaluate | undefined;
export function compileExpression(
  expression: Expression | undefined,
  place: Place,
  context: CompileContext,
  wanted: Wanted = 'first',
): Evaluate | undefined {
  if (expression === undefined) return undefined;
  if (typeof expression === 'string') return compileColumn(expression, place, context, wanted);
  if (Array.isArray(expression)) return firstOf(expression, place, context, wanted);
  return compileModifiers(expression, compileSource(expression, place, context), place, context);
}

export function compileHolds(
  condition: Condition | undefined,
  place: Place,
  context: CompileContext,
): Holds | undefined {
  return (
    condition && compileCondition(condition, (expression) => compileExpression(expression, place, context))
  );
}

function compileSource(expression: ExpressionObject, place: Place, context: CompileContext): Evaluate {
  if (expression.column !== undefined) {
    const { column, split, join } = expression;
    return compileColumn(column, place, context, split === undefined && join === undefined ? 'first' : 'all');
  }
  if (expression.const !== undefined) {
    const constant = expression.const;
    return () => constant;
  }
  if (expression.template !== undefined) return compileTemplate(expression.template, place, context);
  if (expression.when !== undefined) return compileCases(expression.when, place, context);
  if (expression.holds !== undefined) return compileHolds(expression.holds, place, context) ?? (() => false);
  if (expression.of !== undefined) return compileExpression(expression.of, place, context);
  if (expression.ticket !== undefined) {
    const read = compileExpression(expression.ticket, rowPlace(context.rootTable), context);
    return (scope) => read(rowScope(scope.ticket, scope.ticket.row, scope.notes));
  }
  if (expression.row !== undefined) {
    const read = compileExpression(expression.row, place.outer ?? place, context);
    return (scope) => read(scope.outer ?? scope);
  }
  if (expression.lookup !== undefined) return compileLookup(expression, expression.lookup, place, context);
  if (expression.rows !== undefined) return compileRows(expression, expression.rows, context);
  return compileEach(expression, place, context);
}

function compileColumn(path: string, place: Place, context: CompileContext, wanted: Wanted): Evaluate {
  if (!place.inItem) return columnsOf(context, place.table).reader(path, wanted);
  const note = ({ notes, row, item }: Scope, value: unknown) =>
    notes.trace?.push({ table: place.table, row, column: path, value, item, lists: place.paths });
  if (path === '.')
    return (scope) => {
      const { item } = scope;
      if (typeof item === 'string') note(scope, item);
      return item;
    };
  const steps = parsePath(path);
  const read = objectReader([path], [steps]);
  const nulls = nullsOf(context.layout);
  return (scope) => {
    const { item } = scope;
    if (item === null || typeof item !== 'object') return undefined;
    const found = (Array.isArray(item) ? valueAt(item, steps) : read(item)) ?? undefined;
    const value = typeof found === 'string' && nulls?.has(found.trim().toLowerCase()) ? undefined : found;
    note(scope, value);
    return value;
  };
}

function firstOf(
  expressions: readonly Expression[],
  place: Place,
  context: CompileContext,
  wanted: Wanted,
): Evaluate {
  const reads = expressions.map((expression) => compileExpression(expression, place, context, wanted));
  return (scope) => {
    for (const read of reads) {
      const value = read(scope);
      if (!isEmpty(value)) return value;
    }
    return undefined;
  };
}

function compileTemplate(template: string, place: Place, context: CompileContext): Evaluate {
  const parts = template
    .split(/\{([^{}]+)\}/)
    .map((part, index) => (index % 2 === 0 ? part : compileColumn(part.trim(), place, context, 'first')));
  return (scope) => {
    let text = '';
    let filled = false;
    for (const part of parts) {
      const value = typeof part === 'string' ? part : textOf(part(scope)).trim();
      if (typeof part !== 'string' && value !== '') filled = true;
      text += value;
    }
    return filled ? text.trim() : undefined;
  };
}

function compileCases(
  cases: NonNullable<ExpressionObject['when']>,
  place: Place,
  context: CompileContext,
): Evaluate {
  const compiled = cases.map((entry) => ({
    holds: compileHolds(entry.if, place, context),
    read: compileExpression(entry.then ?? entry.else ?? { const: '' }, place, context),
  }));
  return (scope) => {
    for (const { holds, read } of compiled) if (holds === undefined || holds(scope)) return read(scope);
    return undefined;
  };
}

function compileLookup(
  expression: ExpressionObject,
  table: string,
  place: Place,
  context: CompileContext,
): Evaluate {
  const by = (Array.isArray(expression.by) ? expression.by : [expression.by ?? '.']).map((part) =>
    compileExpression(part, place, context),
  );
  const known = context.tables.get(table);
  const get = compileExpression(expression.get ?? '.', rowPlace(table), context);
  if (known === undefined) return () => undefined;
  const key = expression.key === undefined ? known.table.key : listOf(expression.key);
  // a key that the files of the table do not have finds nothing
  const keys = [known.table.key, ...(known.table.lookups ?? [])];
  if (!keys.some((other) => other.join('\u0000') === key.join('\u0000'))) return () => undefined;
  return (scope) => {
    const values: string[] = [];
    for (const read of by) {
      const value = textOf(read(scope)).trim();
      if (value === '') return undefined;
      values.push(value);
    }
    const row = context.lookup(table, key, values);
    return row === undefined ? undefined : get(rowScope(scope.ticket, row, scope.notes));
  };
}

/** All rows of a child table of the ticket. */
function compileRows(expression: ExpressionObject, table: string, context: CompileContext): Evaluate {
  const take = compileTake(expression, rowPlace(table), context);
  return (scope) => {
    const rows = scope.ticket.children.get(table) ?? [];
    return take(rows.map((row) => rowScope(scope.ticket, row, scope.notes)));
  };
}

function compileEach(expression: ExpressionObject, place: Place, context: CompileContext): Evaluate {
  const list = expression.each ?? '.';
  const read = compileExpression(list, place, context, 'all');
  const take = compileTake(expression, itemPlace(list, place), context);
  return (scope) => take(itemsOf(read(scope)).map((item) => itemScope(scope, item)));
}

/** A list is its elements, anything else that is not empty is a list of one. */
export function itemsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : isEmpty(value) ? [] : [value];
}

/** The place of the items of a list that `expression` reads. */
export function itemPlace(expression: Expression, place: Place): Place {
  const paths = listPaths(expression, place.inItem ? place.paths : undefined);
  return { table: place.table, inItem: true, paths, outer: place };
}

function compileTake(
  expression: ExpressionObject,
  place: Place,
  context: CompileContext,
): (scopes: Scope[]) => unknown {
  const holds = compileHolds(expression.where, place, context);
  const item = expression.item === undefined ? undefined : compileItem(expression.item, place, context);
  const get = item ?? compileExpression(expression.get ?? '.', place, context);
  const which = expression.take ?? 'all';
  const order = compileExpression(expression.order, place, context);
  return (scopes) => {
    const found: unknown[] = [];
    for (const scope of order === undefined ? scopes : inOrder(scopes, order)) {
      if (holds !== undefined && !holds(scope)) continue;
      const value = get(scope);
      if (isEmpty(value)) continue;
      if (which === 'first') return value;
      if (Array.isArray(value)) for (const item of value) found.push(item);
      else found.push(value);
    }
    if (which === 'last') return found.at(-1);
    return found.length === 0 ? undefined : found;
  };
}

/** Numbers by their value, all else by its text, as times are that were read; what has no value stands first. */
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

function compileItem(item: Record<string, Expression>, place: Place, context: CompileContext): Evaluate {
  const fields = Object.entries(item).map(([name, expression]) => ({
    name,
    read: compileExpression(expression, place, context),
  }));
  return (scope) => {
    let object: Record<string, unknown> | undefined;
    for (const { name, read } of fields) {
      const value = read(scope);
      if (value === undefined) continue;
      object ??= {};
      object[name] = value;
    }
    return object;
  };
}
