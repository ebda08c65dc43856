/** From an issue of a schema to a sentence. */

import type { z } from 'zod';
import { AppError } from '../domain/errors.ts';
import { codeFrame, type MarkedLine } from '../domain/frame.ts';
import { didYouMean } from '../domain/nearest.ts';
import { printable } from '../domain/printable.ts';
import { valueAt } from '../domain/source-file.ts';
import { say } from '../domain/text/problem-words.ts';
import { quoted } from './parsers.ts';

export interface Complaint {
  /** `helpdesk-import.yaml:12:5`; absent for a flag or variable. */
  readonly place?: string;
  readonly message: string;
  readonly marked?: MarkedLine;
}

export function configurationError(complaints: readonly Complaint[]): AppError {
  const { length } = complaints;
  return new AppError('configuration', say('The settings have {length|an error|# errors}.', { length }), {
    lines: complaints.toSorted((a, b) => rank(a) - rank(b)).map(complaintText),
    hint: 'Nothing was sent. Correct these lines and run the same command again.',
  });
}

function rank({ place, marked }: Complaint): number {
  if (place === undefined) return Number.MAX_SAFE_INTEGER;
  return marked === undefined ? 0 : marked.line * 1e6 + marked.column;
}

function complaintText({ place, message, marked }: Complaint): string {
  const lead = place === undefined ? '' : `${place}: `;
  return `${printable(lead)}${printable(message)}${marked === undefined ? '' : `\n${codeFrame(marked)}`}`;
}

type Issue = z.core.$ZodIssue;

const TYPES: ReadonlyMap<string, string> = new Map([
  ['string', 'a text'],
  ['number', 'a number'],
  ['boolean', 'true or false'],
  ['object', 'a section with its own keys'],
  ['record', 'a section with its own keys'],
  ['array', 'a list'],
]);

interface Sentence {
  readonly path: readonly PropertyKey[];
  /** `must be true or false, not 5.` */
  readonly message: string;
  readonly isUnknownKey?: true;
}

export function sentencesOf(issues: readonly Issue[], value: unknown): Sentence[] {
  return issues.flatMap((issue) => sentences(issue, value));
}

function sentences(issue: Issue, value: unknown): Sentence[] {
  const { path } = issue;
  const found = valueAt(value, path);
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((key) => ({
        path: [...path, key],
        message: 'is no key that is known here.',
        isUnknownKey: true,
      }));
    case 'invalid_union': {
      const meant = issue.errors.find((branch) => !branch.some(isOfOtherType));
      if (meant !== undefined)
        return sentencesOf(meant, found).map((one) => ({ ...one, path: [...path, ...one.path] }));
      const wanted = [...new Set(issue.errors.flat().map(expected))].join(' or ');
      return [{ path, message: `must be ${wanted}, not ${quotedValue(found)}.` }];
    }
    case 'invalid_type': {
      const wanted = expected(issue);
      if (found === undefined) return [{ path, message: `is missing: it must be ${wanted}.` }];
      // A text in the place of a section may be a token.
      const given = issue.expected === 'object' && typeof found === 'string' ? 'a text' : quotedValue(found);
      return [{ path, message: `must be ${wanted}, not ${given}.` }];
    }
    case 'invalid_value': {
      const words = issue.values.map(String);
      const hint = typeof found === 'string' ? didYouMean(found, words) : '';
      const some = words.length > 1 ? 'one of ' : '';
      return [{ path, message: `must be ${some}${listed(words)}, not ${quotedValue(found)}.${hint}` }];
    }
    default:
      return [{ path, message: issue.message }];
  }
}

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

function quotedValue(value: unknown): string {
  if (value === null) return 'empty';
  if (typeof value === 'string') return `the text ${quoted(value)}`;
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'a section' : String(value);
}

export function pathText(path: readonly PropertyKey[]): string {
  return path
    .map((part, index) =>
      typeof part === 'number' ? `[${part}]` : `${index === 0 ? '' : '.'}${String(part)}`,
    )
    .join('');
}
