/** What is done with a value after it was read, always in this order, whatever the order in the file. */

import { AppError } from '../../domain/errors.ts';
import { nearest } from '../../domain/nearest.ts';
import { textOf } from '../../domain/source-file.ts';
import { compileTimePattern, compileTimes } from '../../time/read-times.ts';
import { isZone, nearestZone } from '../../time/zone.ts';
import type { ExpressionObject, Markup, Scalar, Unlisted } from '../language/expression.ts';
import { weigh } from '../time/day-order.ts';
import { RepeatedCells } from './column-access.ts';
import { listOf } from './column-path.ts';
import {
  type CompileContext,
  mainColumn,
  mappingProblem,
  type Place,
  timeColumn,
} from './compile-context.ts';
import { adfToMarkdown, isAdf } from './rich-text.ts';
import type { Evaluate, Scope } from './scope.ts';
import { comparable, isEmpty, parseList, pickKeys, readCell, splitText, toForm } from './text-forms.ts';
import { wikiToMarkdown } from './wiki-markup.ts';

type Step = (value: unknown, scope: Scope) => unknown;

export function compileModifiers(
  expression: ExpressionObject,
  read: Evaluate,
  place: Place,
  context: CompileContext,
): Evaluate {
  const steps: Step[] = [];
  const { cell, match, split, pick, as, markup, map, time, join } = expression;
  if (cell !== undefined)
    steps.push((value, scope) =>
      typeof value === 'string' && scope.row.cells !== undefined ? readCell(value, cell) : value,
    );
  if (match !== undefined) {
    const regex = new RegExp(match, 'us');
    steps.push(
      each((value) => {
        const found = regex.exec(textOf(value));
        return found === null ? undefined : (found[1] ?? (found.length === 1 ? found[0] : undefined));
      }),
    );
  }
  if (split !== undefined) {
    const regex = /^\/(.+)\/$/s.exec(split)?.[1];
    const separator = regex === undefined ? split : new RegExp(regex, 'u');
    const parts = (value: unknown) =>
      typeof value !== 'string' ? value : split === 'list' ? parseList(value) : splitText(value, separator);
    steps.push((value) => (value instanceof RepeatedCells ? [...value].flatMap(parts) : parts(value)));
  }
  if (pick !== undefined) steps.push((value) => pickKeys(value, pick));
  if (as !== undefined) steps.push((value) => toForm(value, as));
  if (markup !== undefined) steps.push((value) => fromMarkup(value, markup));
  if (map !== undefined) steps.push(mapStep(expression, context));
  if (time !== undefined) steps.push(timeStep(expression, place, context));
  if (join !== undefined)
    steps.push((value) =>
      Array.isArray(value)
        ? value
            .map(textOf)
            .filter((text) => text !== '')
            .join(join)
        : value,
    );
  return compose(read, steps);
}

function compose(read: Evaluate, steps: readonly Step[]): Evaluate {
  const [only] = steps;
  if (only === undefined) return read;
  if (steps.length === 1) return (scope) => only(read(scope), scope);
  return (scope) => {
    let value = read(scope);
    for (const step of steps) value = step(value, scope);
    return value;
  };
}

/** Applies to each element of a list; absent values stay absent. */
function each(step: (value: unknown) => unknown): Step {
  return (value) => {
    if (isEmpty(value)) return undefined;
    return Array.isArray(value) ? value.map(step).filter((found) => found !== undefined) : step(value);
  };
}

function fromMarkup(value: unknown, markup: Markup): unknown {
  if (markup !== 'jira-wiki' && isAdf(value)) return adfToMarkdown(value);
  if (typeof value !== 'string') return value;
  if (markup === 'adf' || markup === 'jira') {
    // a document as text in a CSV cell
    if (/^\s*\{\s*"(?:type|version|content)"/.test(value)) {
      try {
        const parsed: unknown = JSON.parse(value);
        if (isAdf(parsed)) return adfToMarkdown(parsed);
      } catch {
        return value;
      }
    }
    if (markup === 'adf') return value;
  }
  return wikiToMarkdown(value);
}

function mapStep(expression: ExpressionObject, context: CompileContext): Step {
  const { map } = expression;
  const named = typeof map === 'string' ? context.layout.maps?.[map] : undefined;
  if (typeof map === 'string' && named === undefined)
    throw new AppError(
      'configuration',
      `The layout ${context.layout.name} has no value map "${map}" under maps.`,
    );
  const name = typeof map === 'string' ? map : undefined;
  const values = typeof map === 'object' ? map : (named?.values ?? {});
  const unlisted = expression.unlisted ?? named?.unlisted ?? 'error';
  const column = mainColumn(expression);
  return compileValueMap({ name, values, unlisted }, (scope, value, action, suggestion) => {
    context.noteUnlisted(scope.notes.field, value, action);
    if (action !== 'error') return;
    const where = name === undefined ? 'its value map' : `maps.${name}`;
    const hint = suggestion === undefined ? '' : ` The nearest listed one is "${suggestion}".`;
    scope.notes.problems.push(
      mappingProblem(context, scope, {
        severity: 'error',
        code: 'unmapped-value',
        column,
        message: `The value "${value.slice(0, 80)}" of ${column || 'the source'} is not in ${where}: add it there, or say what to do with unlisted values.${hint}`,
      }),
    );
  });
}

function timeStep(expression: ExpressionObject, place: Place, context: CompileContext): Step {
  const zone = expression.zone ?? context.zone;
  if (zone !== undefined && !isZone(zone)) {
    const meant = nearestZone(zone);
    throw new AppError('configuration', `There is no time zone "${zone}".`, {
      hint: meant === undefined ? 'Use an IANA name such as Europe/Berlin.' : `Did you mean ${meant}?`,
    });
  }
  const formats = listOf(expression.time);
  for (const format of formats) {
    if (format !== 'auto' && format !== 'epoch' && compileTimePattern(format) === undefined)
      throw new AppError('configuration', `"${format}" is not a time pattern.`, {
        hint: 'Use auto, epoch, or letters such as yyyy-MM-dd HH:mm:ss, d/MMM/yy h:mm a.',
      });
  }
  const column = timeColumn(context, place, mainColumn(expression));
  const parse = compileTimes({ formats, zone }, () => column.dayFirst);
  const { mode } = context;
  return (value) => {
    if (mode.observing) weigh(column.evidence, value);
    return Array.isArray(value) ? value.map(parse) : parse(value);
  };
}

/** Told about each value without an entry. `action`: what was done, in words for the loss report. */
type NoteUnlisted = (scope: Scope, value: string, action: string, suggestion: string | undefined) => void;

interface MapRule {
  /** Name of the map, or undefined for one written in place. */
  readonly name: string | undefined;
  readonly values: Readonly<Record<string, Scalar | null>>;
  readonly unlisted: Unlisted;
}

/** Keys compare trimmed and without case. Lists map element by element. An absent value maps only by the key ''. */
function compileValueMap(rule: MapRule, note: NoteUnlisted): (value: unknown, scope: Scope) => unknown {
  const entries = new Map(
    Object.entries(rule.values).map(([from, to]) => [comparable(from), to === null ? undefined : to]),
  );
  const one = (value: unknown, scope: Scope): unknown => {
    if (isEmpty(value) && !entries.has('')) return undefined;
    const key = comparable(value);
    const text = textOf(value).trim();
    if (scope.notes.mappedFrom === undefined) scope.notes.mappedFrom = text === '' ? '(empty)' : text;
    if (entries.has(key)) return entries.get(key);
    // kept is not lost: checking sees it, or it was a map that only tidies
    if (rule.unlisted === 'keep') return value;
    if (rule.unlisted === 'drop') {
      note(scope, text, 'dropped', undefined);
      return undefined;
    }
    if (rule.unlisted === 'error') {
      note(scope, text, 'error', nearest(text, Object.keys(rule.values)));
      return undefined;
    }
    note(scope, text, `set to ${rule.unlisted.value}`, undefined);
    return rule.unlisted.value;
  };
  return (value, scope) => {
    if (!Array.isArray(value)) return one(value, scope);
    return value.map((element) => one(element, scope)).filter((element) => element !== undefined);
  };
}
