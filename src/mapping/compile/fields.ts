/** The fields of one payload: compiled once, filled for each ticket, message or event. */
import type { MappedValue } from '../../domain/ticket.ts';
import type { Expression } from '../language/expression.ts';
import { type CompileContext, describeRule, type Place } from './compile-context.ts';
import { compileExpression } from './expressions.ts';
import type { Evaluate, Notes, Scope } from './scope.ts';

export interface Field {
  /** Key in the payload. */
  readonly name: string;
  /** What problems and explanations call it: `contact.email` for a part of an object. */
  readonly path: string;
  readonly read: Evaluate;
  readonly rule: string;
  /** Notes what the value was made of, for the plan; only for fields that the plan shows. */
  readonly note: ((notes: Notes, value: string) => void) | undefined;
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
    note: path === name ? noteFor(name) : undefined,
  };
}

function noteFor(name: string): Field['note'] {
  const kind = KINDS.get(name);
  return kind && ((notes, value) => notes.values.push(mappedValue(kind, notes.mappedFrom ?? value, value)));
}

const LONGEST_VALUE = 200;

export function mappedValue(kind: MappedValue['kind'], from: string, to: string): MappedValue {
  return { kind, from: from.slice(0, LONGEST_VALUE), to: to.slice(0, LONGEST_VALUE) };
}

/** Fields of time are read as times, unless the rule says how itself or the layout passes times on as they are. */
function asTime(expression: Expression, context: CompileContext): Expression {
  const { times } = context.layout;
  if (times?.pass === true) return expression;
  if (typeof expression === 'object' && !Array.isArray(expression) && expression.time !== undefined)
    return expression;
  return { of: expression, time: times?.format ?? 'auto' };
}

export function compileFields(
  names: readonly string[],
  rule: object,
  place: Place,
  context: CompileContext,
): Field[] {
  return names.flatMap((name) => {
    const expression = (rule as Record<string, Expression | undefined>)[name];
    return expression === undefined ? [] : [compileField(name, expression, place, context)];
  });
}

/** Reads every field and sets those that are there. */
export function fillFields(target: Record<string, unknown>, fields: readonly Field[], scope: Scope): void {
  for (const field of fields) {
    const value = readField(field, scope);
    if (value === undefined || value === null) continue;
    target[field.name] = value;
    if (field.note !== undefined && typeof value === 'string') field.note(scope.notes, value);
  }
}

/** One field, with its origin recorded while explaining. */
export function readField(field: Field, scope: Scope): unknown {
  const { notes } = scope;
  notes.field = field.path;
  notes.mappedFrom = undefined;
  if (notes.explained === undefined) return field.read(scope);
  notes.trace = [];
  const value = field.read(scope);
  notes.explained.push({
    field: field.path,
    value: value ?? undefined,
    rule: field.rule,
    touched: notes.trace,
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
  if (notes.explained === undefined || value === undefined) return;
  notes.explained.push({ field, value, rule, touched: notes.trace ?? [] });
}
