/** The fields of one payload: compiled once, filled for each ticket, message or event. */
import type { MappedValue } from '../../domain/ticket.ts';
import type { Expression } from '../language/expression.ts';
import { type CompileContext, describeRule, type Place } from './compile-context.ts';
import { compileExpression } from './expressions.ts';
import type { Evaluate, Scope } from './scope.ts';

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
const KINDS: ReadonlyMap<string, MappedValue['kind']> = new Map(
  Object.entries({
    status: 'status',
    priority: 'priority',
    actorType: 'actor',
    contentType: 'contentType',
  }),
);

export function compileField(
  name: string,
  expression: Expression,
  place: Place,
  context: CompileContext,
  path = name,
): Field {
  const timed = TIME_FIELDS.has(name) ? asTime(expression, context) : expression;
  return {
    name,
    path,
    read: compileExpression(timed, place, context, name === 'tags' ? 'all' : 'first'),
    rule: describeRule(expression),
    kind: path === name ? KINDS.get(name) : undefined,
  };
}

/** Fields of time are read as times, unless the rule says how itself or the layout passes times on as they are. */
function asTime(expression: Expression, { layout: { times } }: CompileContext): Expression {
  const isRead = typeof expression === 'object' && 'time' in expression && expression.time !== undefined;
  return times?.pass === true || isRead ? expression : { of: expression, time: times?.format ?? 'auto' };
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
  notes.explained?.push({
    field: field.path,
    value: value ?? undefined,
    rule: field.rule,
    touched: notes.trace ?? [],
  });
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
