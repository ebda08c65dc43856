/** Value maps: a word of the source to a word of the API, and what to do with a word that is not listed. */
import { nearest } from '../../domain/nearest.ts';
import type { Scalar, Unlisted } from '../language/expression.ts';
import type { Scope } from './scope.ts';
import { comparable, isEmpty, textOf } from './values.ts';

/** Told about each value without an entry. `action`: what was done, in words for the loss report. */
export type NoteUnlisted = (
  scope: Scope,
  value: string,
  action: string,
  suggestion: string | undefined,
) => void;

export interface MapRule {
  /** Name of the map, or undefined for one written in place. */
  readonly name: string | undefined;
  readonly values: Readonly<Record<string, Scalar | null>>;
  readonly unlisted: Unlisted;
}

/** Keys compare trimmed and without case. Lists map element by element. An absent value maps only by the key ''. */
export function compileValueMap(
  rule: MapRule,
  note: NoteUnlisted,
): (value: unknown, scope: Scope) => unknown {
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
