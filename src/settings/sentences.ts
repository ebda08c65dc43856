/** From an issue of a schema to a sentence for the person who wrote the value. */
import type { z } from 'zod';
import { didYouMean } from '../domain/nearest.ts';
import { quoted } from './parsers.ts';

type Issue = z.core.$ZodIssue;

const TYPES: ReadonlyMap<string, string> = new Map([
  ['string', 'a text'],
  ['number', 'a number'],
  ['boolean', 'true or false'],
  ['object', 'a section with its own keys'],
  ['record', 'a section with its own keys'],
  ['array', 'a list'],
]);

export interface Complained {
  /** Below the value that was parsed. */
  readonly path: readonly PropertyKey[];
  /** What follows the name of the setting: `must be true or false, not 5.` */
  readonly message: string;
}

/** What is wrong with `value` by these issues, one sentence each. */
export function sentencesOf(issues: readonly Issue[], value: unknown): Complained[] {
  return issues.flatMap((issue) => sentences(issue, value));
}

function sentences(issue: Issue, value: unknown): Complained[] {
  const { path } = issue;
  const found = valueAt(value, path);
  const say = (message: string) => [{ path, message }];
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((key) => ({ path: [...path, key], message: 'is no key that is known here.' }));
    case 'invalid_union': {
      const meant = issue.errors.find((branch) => !branch.some(isOfOtherType));
      if (meant !== undefined)
        return sentencesOf(meant, found).map((one) => ({ ...one, path: [...path, ...one.path] }));
      const wanted = [...new Set(issue.errors.flat().map(expected))].join(' or ');
      return say(`must be ${wanted}, not ${shown(found)}.`);
    }
    case 'invalid_type':
      return say(
        found === undefined
          ? `is missing: it must be ${expected(issue)}.`
          : `must be ${expected(issue)}, not ${shown(found)}.`,
      );
    case 'invalid_value': {
      const words = issue.values.map(String);
      const hint = typeof found === 'string' ? didYouMean(found, words) : '';
      return say(`must be ${words.length > 1 ? 'one of ' : ''}${listed(words)}, not ${shown(found)}.${hint}`);
    }
    default:
      return say(issue.message);
  }
}

/** This branch of a union is of another type than what was written. */
function isOfOtherType({ code, path }: Issue): boolean {
  return path.length === 0 && (code === 'invalid_type' || code === 'invalid_value');
}

function expected(issue: Issue): string {
  if (issue.code === 'invalid_type') return TYPES.get(issue.expected) ?? issue.expected;
  return issue.code === 'invalid_value' ? listed(issue.values.map(String)) : '';
}

function listed(words: readonly string[]): string {
  return words.map((word) => `"${word}"`).join(', ');
}

/** A token in the place of a key is not repeated: its place is enough. */
export function unknownKey(key: string): string {
  return mayBeSecret(key) ? `A key of ${key.length} characters` : quoted(key);
}

export function mayBeSecret(key: string): boolean {
  return key.length >= 16 && /\d/.test(key) && /^[\w+/=.~-]+$/.test(key);
}

/** A value of the file as a complaint repeats it. */
function shown(value: unknown): string {
  if (value === null) return 'empty';
  if (typeof value === 'string') return `the text ${quoted(value)}`;
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'a section' : String(value);
}

export function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let at: unknown = value;
  for (const part of path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, part)) return undefined;
    at = Reflect.get(at, part);
  }
  return at;
}

/** `messages[0].from.column` */
export function pathText(path: readonly PropertyKey[]): string {
  return path
    .map((part, index) =>
      typeof part === 'number' ? `[${part}]` : `${index === 0 ? '' : '.'}${String(part)}`,
    )
    .join('');
}
