/** What the owner of an export can do about a refused value. */

import type { z } from 'zod';
import { didYouMean } from '../domain/nearest.ts';
import { readEpoch } from '../domain/written-time.ts';

export type Unchecked = Readonly<Record<string, unknown>>;

export interface Advice {
  readonly code: string;
  readonly advice: string;
}

export const MISSING_TIME = 'missing-time';
const TIMES = new Set(['createdAt', 'resolvedAt', 'closedAt', 'occurredAt']);

export const NO_CONTACT: Advice = {
  code: 'missing-contact',
  advice: 'Written by a customer without an e-mail address.',
};

function tableOf(fields: Readonly<Record<string, readonly [code: string, advice: string]>>) {
  return new Map(Object.entries(fields));
}

/** For a missing field, and for a text that fails its test (`@` is the text). */
const MISSING = tableOf({
  subject: ['missing-subject', 'The ticket has no subject; add one to the export.'],
  'contact.email': ['invalid-email', 'The contact has no e-mail address; add it, or leave the contact out.'],
  actorType: ['invalid-actor', 'actorType is missing; it must be customer, agent or system.'],
  content: ['missing-content', 'The message has no content; add it to the export, or leave the message out.'],
  type: ['invalid-event-type', 'The event has no type; add it, for example status_change.'],
});
const WRONG = tableOf({
  subject: ['empty-subject', 'The subject is empty; write one in the export.'],
  'contact.email': ['invalid-email', '@ is not an e-mail address; write one address and nothing else.'],
  type: ['invalid-event-type', 'The type of the event is empty; write it, for example status_change.'],
});

const WORD_CODES = new Map([
  ['status', 'invalid-status'],
  ['priority', 'invalid-priority'],
  ['contentType', 'invalid-content-type'],
  ['actorType', 'invalid-actor'],
]);

export function adviceOn(issue: z.core.$ZodIssue, path: string, value: unknown, record: Unchecked): Advice {
  const name = path.replaceAll(/\[\d+\]/g, '');
  if (name.startsWith('attachments'))
    return { code: 'invalid-attachment', advice: onAttachment(name, value) };
  if (value === undefined && TIMES.has(name)) return { code: MISSING_TIME, advice: '' };
  if (value === undefined && name === 'contact.email' && record['actorType'] === 'customer')
    return NO_CONTACT;
  const isWrong = typeof value === 'string' && issue.code === 'custom';
  const [code, advice = ''] =
    (value === undefined ? MISSING.get(name) : isWrong ? WRONG.get(name) : undefined) ?? [];
  if (code !== undefined) return { code, advice: advice.replace('@', () => quotedValue(value)) };
  if (issue.code === 'invalid_value')
    return {
      code: WORD_CODES.get(name) ?? 'invalid-type',
      advice: notListed(path, value, issue.values.map(String)),
    };
  if (isWrong)
    return {
      code: TIMES.has(name) ? 'invalid-time' : 'invalid-id',
      advice: `${path} is ${quotedValue(value)}, which the API does not take; correct it in the export.`,
    };
  if (typeof value === 'number' && TIMES.has(name)) return onNumber(path, value);
  return wrongType(issue.code === 'invalid_type' ? issue.expected : 'object', path, value);
}

function onAttachment(name: string, value: unknown): string {
  const field = name.split('.')[1];
  if (field === undefined) return `An attachment must be an object with a url, not ${quotedValue(value)}.`;
  if (field === 'sizeBytes')
    return `The size of the attachment is ${quotedValue(value)}; write a whole number of bytes, or leave it out.`;
  if (field !== 'url') return `The ${field} of the attachment must be text, not ${quotedValue(value)}.`;
  if (value === undefined) return 'The attachment has no url; add the address of the file.';
  return `${quotedValue(value)} is not the address of a file; write it in full, beginning with https:// or http://.`;
}

function onNumber(path: string, value: number): Advice {
  const millis = readEpoch(String(value));
  const example = millis === undefined ? '2024-05-31T14:30:00Z' : new Date(millis).toISOString();
  const counted =
    millis === undefined
      ? ''
      : ' if it counts from 1970, or have it read with "mapping: { extends: native, times: { format: auto } }" in the settings';
  return {
    code: 'invalid-type',
    advice: `${path} must be a time as text, not ${quotedValue(value)}; write "${example}"${counted}.`,
  };
}

const TYPES = new Map([
  ['string', 'text'],
  ['boolean', 'true or false'],
  ['array', 'a list'],
]);

function wrongType(expected: string, path: string, value: unknown): Advice {
  const code = 'invalid-type';
  if (value === undefined)
    return { code, advice: `${path.slice(path.lastIndexOf('.') + 1)} is missing; add it to the export.` };
  // IDs often come as numbers.
  const quotes = expected === 'string' && typeof value === 'number' ? '; write it in quotes' : '';
  const isWord = expected === 'boolean' && typeof value === 'string';
  const meant = isWord ? didYouMean(value, ['true', 'false']) : '';
  const type = TYPES.get(expected) ?? 'an object';
  return { code, advice: `${path} must be ${type}, not ${quotedValue(value)}${quotes}.${meant}` };
}

export function notListed(path: string, value: unknown, words: readonly string[]): string {
  const known = `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
  const meant = typeof value === 'string' ? didYouMean(value, words) : '';
  return `${path} is ${quotedValue(value)} but must be ${known}.${meant}`;
}

export function quotedValue(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object' && value !== null) return 'an object';
  if (typeof value !== 'string') return String(value);
  return JSON.stringify(value.length > 60 ? `${value.slice(0, 60).toWellFormed()}…` : value);
}
