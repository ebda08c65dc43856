/** The fault of a refused value: a kind of `problems.yaml`, and its data. */

import type { z } from 'zod';
import { didYouMean } from '../domain/nearest.ts';
import { inWords } from '../domain/printable.ts';
import type { ProblemData } from '../domain/text/problem-words.ts';
import { readEpoch } from '../domain/written-time.ts';

export type Unchecked = Readonly<Record<string, unknown>>;

export interface Advice {
  readonly kind: string;
  readonly data?: ProblemData;
}

export const MISSING_TIME = 'missing-time';
export const NO_CONTACT = 'missing-contact';
const TIMES = new Set(['createdAt', 'resolvedAt', 'closedAt', 'occurredAt']);

/** By field: if it is missing, if its text fails a test, and if it is no word of a list. */
const MISSING = new Map(
  Object.entries({
    subject: 'missing-subject',
    'contact.email': 'invalid-email:missing',
    actorType: 'invalid-actor:missing',
    content: 'missing-content',
    type: 'invalid-event-type:missing',
  }),
);
const WRONG = new Map(
  Object.entries({
    subject: 'empty-subject',
    'contact.email': 'invalid-email:wrong',
    type: 'invalid-event-type:empty',
  }),
);
const WORDS = new Map(
  Object.entries({
    status: 'invalid-status:word',
    priority: 'invalid-priority:word',
    contentType: 'invalid-content-type:word',
    actorType: 'invalid-actor:word',
  }),
);

export function adviceOn(issue: z.core.$ZodIssue, path: string, value: unknown, record: Unchecked): Advice {
  const name = path.replaceAll(/\[\d+\]/g, '');
  if (name.startsWith('attachments')) return onAttachment(name, value);
  if (value === undefined) {
    if (TIMES.has(name)) return { kind: MISSING_TIME };
    if (name === 'contact.email' && record['actorType'] === 'customer') return { kind: NO_CONTACT };
    const field = path.slice(path.lastIndexOf('.') + 1);
    return { kind: MISSING.get(name) ?? 'invalid-type:missing', data: { field } };
  }
  if (issue.code === 'invalid_value')
    return {
      kind: WORDS.get(name) ?? 'invalid-type:word',
      data: notListed(path, value, issue.values.map(String)),
    };
  if (typeof value === 'string' && issue.code === 'custom')
    return { kind: WRONG.get(name) ?? 'invalid-type:refused', data: { path, value: quotedValue(value) } };
  if (typeof value === 'number' && TIMES.has(name)) return onNumber(path, value);
  return wrongType(issue.code === 'invalid_type' ? issue.expected : 'object', path, value);
}

function onAttachment(name: string, value: unknown): Advice {
  const part = name.split('.')[1] ?? 'form';
  const kinds: Readonly<Record<string, string>> = {
    form: 'form',
    sizeBytes: 'size',
    url: value === undefined ? 'missing' : 'url',
  };
  return { kind: `invalid-attachment:${kinds[part] ?? 'text'}`, data: { part, value: quotedValue(value) } };
}

function onNumber(path: string, value: number): Advice {
  const millis = readEpoch(String(value));
  const data = { path, value: quotedValue(value) };
  if (millis === undefined) return { kind: 'invalid-type:time', data };
  return { kind: 'invalid-type:epoch', data: { ...data, time: new Date(millis).toISOString() } };
}

const TYPES = new Map([
  ['string', 'text'],
  ['boolean', 'true or false'],
  ['array', 'a list'],
]);

function wrongType(expected: string, path: string, value: unknown): Advice {
  const isWord = expected === 'boolean' && typeof value === 'string';
  const near = isWord ? didYouMean(value, ['true', 'false']) : '';
  const data = { path, type: TYPES.get(expected) ?? 'an object', value: quotedValue(value), near };
  // IDs often come as numbers.
  const isNumber = expected === 'string' && typeof value === 'number';
  return { kind: `invalid-type:${isNumber ? 'number' : 'type'}`, data };
}

export function notListed(path: string, value: unknown, words: readonly string[]): ProblemData {
  const known = inWords(words, 'or');
  const near = typeof value === 'string' ? didYouMean(value, words) : '';
  return { path, value: quotedValue(value), words: known, near };
}

export function quotedValue(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object' && value !== null) return 'an object';
  if (typeof value !== 'string') return String(value);
  return JSON.stringify(value.length > 60 ? `${value.slice(0, 60).toWellFormed()}…` : value);
}
