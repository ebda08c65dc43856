/** Modifiers of a value, always in this order. */

import { AppError } from '../../domain/errors.ts';
import { nearest } from '../../domain/nearest.ts';
import { textOf } from '../../domain/source-file.ts';
import { type ExpressionObject, mainColumn, regexOf } from '../language/expression.ts';
import { compileTimes } from '../language/read-times.ts';
import { type CompileContext, type Evaluate, mappingProblem, type Scope } from './context.ts';
import { noEvidence, type TimeColumn, weigh } from './day-order.ts';
import { jiraToMarkdown } from './jira-markup.ts';
import type { Place } from './paths.ts';
import { listOf } from './paths.ts';
import { comparable, isEmpty, parseList, pickKeys, readCell, splitText, toForm, truthOf } from './values.ts';

type Step = (value: unknown, scope: Scope) => unknown;

export function compileModifiers(
  expression: ExpressionObject,
  read: Evaluate,
  place: Place,
  context: CompileContext,
): Evaluate {
  const { cell, match, split, pick, as, markup, map, time } = expression;
  const steps: Step[] = [];
  if (cell !== undefined)
    steps.push((value) => (typeof value === 'string' && !isEmpty(value) ? readCell(value, cell) : value));
  if (match !== undefined) steps.push(matchStep(new RegExp(match, 'us')));
  if (split !== undefined) steps.push(splitStep(split));
  if (pick !== undefined) steps.push((value) => pickKeys(value, pick));
  if (as !== undefined) steps.push((value) => toForm(value, as));
  if (markup !== undefined) steps.push(jiraToMarkdown);
  if (map !== undefined) steps.push(mapStep(expression, context));
  if (time !== undefined) steps.push(timeStep(expression, place, context));
  if (steps.length === 0) return read;
  return (scope) => steps.reduce((value, step) => step(value, scope), read(scope));
}

function matchStep(regex: RegExp): Step {
  const matched = (value: unknown): string | undefined => {
    const found = regex.exec(textOf(value));
    return found?.[1] ?? (found?.length === 1 ? found[0] : undefined);
  };
  return (value) => {
    if (isEmpty(value)) return undefined;
    return Array.isArray(value) ? value.map(matched).filter((part) => part !== undefined) : matched(value);
  };
}

function splitStep(split: string): Step {
  const regex = regexOf(split);
  const separator = regex === undefined ? split : new RegExp(regex, 'u');
  const parts = (value: unknown) =>
    typeof value !== 'string' ? value : split === 'list' ? parseList(value) : splitText(value, separator);
  // A repeated CSV header has a text for each cell, unlike a JSON list.
  return (value, { row }) =>
    Array.isArray(value) && row.cells !== undefined ? value.flatMap(parts) : parts(value);
}

/** Keys compare trimmed and without case. An absent value maps only by the key ''. */
function mapStep(expression: ExpressionObject, context: CompileContext): Step {
  const { map } = expression;
  const named = typeof map === 'string' ? context.layout.maps?.[map] : undefined;
  const values = typeof map === 'object' ? map : named?.values;
  if (values === undefined)
    throw new AppError('configuration', `There is no value map "${String(map)}" under maps.`);
  const unlisted = expression.unlisted ?? named?.unlisted ?? 'error';
  const entries = new Map(Object.entries(values).map(([from, to]) => [comparable(from), to ?? undefined]));
  const column = mainColumn(expression);
  const isOfTruth = entries.has('true') && entries.has('false');
  const where = typeof map === 'string' ? `maps.${map}` : 'its value map';

  const refuse = (text: string, scope: Scope) => {
    const near = /^-?\d/.test(text) ? undefined : nearest(text, Object.keys(values));
    const hint = near === undefined ? '' : ` The nearest listed one is "${near}".`;
    const data = { value: text.slice(0, 80), column: column || 'the source', map: where, near: hint };
    scope.notes.problems.push(mappingProblem(context, scope, 'unmapped-value', data, column));
  };
  const one = (value: unknown, scope: Scope): unknown => {
    if (isEmpty(value) && !entries.has('')) return undefined;
    const text = textOf(value).trim();
    scope.notes.mappedFrom ??= text === '' ? '(empty)' : text;
    const key = comparable(value);
    if (entries.has(key)) return entries.get(key);
    const truth = isOfTruth ? truthOf(value) : undefined;
    if (truth !== undefined) return entries.get(String(truth));
    // A kept value is not lost: checking sees it.
    if (unlisted === 'keep') return value;
    const action =
      unlisted === 'error' ? 'error' : unlisted === 'drop' ? 'dropped' : `set to ${unlisted.value}`;
    context.noteUnlisted(scope.notes.field, text, action);
    if (unlisted === 'error') refuse(text, scope);
    return typeof unlisted === 'object' ? unlisted.value : undefined;
  };
  return (value, scope) =>
    Array.isArray(value)
      ? value.map((element) => one(element, scope)).filter((element) => element !== undefined)
      : one(value, scope);
}

const MOST_CELLS = 10_000;

/** The order of day and month is settled before the first ticket is mapped. */
function timeStep(expression: ExpressionObject, place: Place, context: CompileContext): Step {
  const { timeColumns, timeCells } = context;
  const { table } = place;
  const name = `${table}: ${mainColumn(expression)}`;
  const column: TimeColumn = { name, evidence: noEvidence(), dayFirst: undefined };
  timeColumns.push(column);
  const zone = expression.zone ?? context.zone;
  const parse = compileTimes({ formats: listOf(expression.time), zone }, () => column.dayFirst);
  const now = new Date().toISOString();
  const read = (cell: unknown) => {
    const time = parse(cell);
    const isUsual = typeof time !== 'string' || (time.endsWith('Z') && time > '199' && time < now);
    if (!isUsual && time !== cell && timeCells.size < MOST_CELLS) timeCells.set(time, String(cell).trim());
    return time;
  };
  return (value, { notes }) => {
    if (notes.weighs) weigh(column.evidence, value);
    return Array.isArray(value) ? value.map(read) : read(value);
  };
}
