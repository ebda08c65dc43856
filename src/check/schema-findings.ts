/** What a schema refuses, told to a person: a code, and one sentence that says what is wrong and what to do. */
import type { z } from 'zod';
import { didYouMean } from '../domain/nearest.ts';
import { type Candidate, isRecord } from './fields.ts';
import { type Findings, type Place, shown } from './findings.ts';

type Issue = z.core.$ZodIssue;

/** Codes by the last name of a field's path; `invalid-type` and the codes below stand for all others. */
const INVALID: Readonly<Record<string, string>> = {
  status: 'invalid-status',
  priority: 'invalid-priority',
  actorType: 'invalid-actor',
  contentType: 'invalid-content-type',
};

const MISSING: Readonly<Record<string, string>> = {
  subject: 'missing-subject',
  content: 'missing-content',
  email: 'invalid-email',
  actorType: 'invalid-actor',
  type: 'invalid-event-type',
};

const TYPE_WORDS: Readonly<Record<string, string>> = {
  string: 'text',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};

/** Adds a finding for each issue that a schema has with a candidate. */
export function reportIssues(
  issues: readonly Issue[],
  candidate: Candidate,
  place: Place,
  findings: Findings,
): void {
  for (const issue of issues) {
    const path = pathOf(issue.path);
    const value = valueAt(candidate, issue.path);
    // Finding times has told of it already, or of the problem that is to blame for it.
    if (value === undefined && (path === 'createdAt' || path === 'occurredAt')) continue;
    const { code, message } = told(issue, path, value, candidate, place);
    findings.error(place, path, code, message);
  }
}

interface Told {
  readonly code: string;
  readonly message: string;
}

function told(issue: Issue, path: string, value: unknown, candidate: Candidate, place: Place): Told {
  const leaf = String(issue.path.at(-1) ?? '');
  if (path.startsWith('attachments'))
    return { code: 'invalid-attachment', message: attachmentWords(leaf, value) };
  if (issue.code === 'custom') {
    const code = String(issue.params?.['problem']);
    return { code, message: ruleWords(code, path, value, candidate, place) };
  }
  if (value === undefined) return missing(leaf, candidate, place);
  if (issue.code === 'invalid_value')
    return { code: INVALID[leaf] ?? 'invalid-type', message: notListed(path, value, issue.values) };
  const wanted =
    issue.code === 'invalid_type' ? (TYPE_WORDS[issue.expected] ?? issue.expected) : 'of its kind';
  return {
    code: 'invalid-type',
    message: `${path} must be ${wanted}, not ${shown(value)}${quoteHint(wanted, value)}.${meant(wanted, value)}`,
  };
}

function missing(leaf: string, candidate: Candidate, place: Place): Told {
  if (leaf === 'email' && place.list === 'messages' && candidate['actorType'] === 'customer')
    return {
      code: 'missing-contact',
      message: ruleWords('missing-contact', leaf, undefined, candidate, place),
    };
  const words: Readonly<Record<string, string>> = {
    subject: 'The ticket has no subject; add one to the export.',
    content: 'The message has no content; add it to the export, or leave the message out.',
    email: 'The contact has no e-mail address; add it, or leave the contact out.',
    actorType: 'actorType is missing; it must be customer, agent or system.',
    type: 'The event has no type; add it, for example status_change.',
  };
  return {
    code: MISSING[leaf] ?? 'invalid-type',
    message: words[leaf] ?? `${leaf} is missing; add it to the export.`,
  };
}

/** Sentences for the rules that carry their own code. */
function ruleWords(code: string, path: string, value: unknown, candidate: Candidate, place: Place): string {
  const record = place.list === 'events' ? 'event' : 'message';
  switch (code) {
    case 'empty-subject':
      return 'The subject is empty; write one in the export.';
    case 'empty-content':
      return 'The message has neither content nor an attachment; fill it in, or leave the message out.';
    case 'invalid-email':
      return `${shown(value)} is not an e-mail address; write one address and nothing else.`;
    case 'contact-and-contact-id':
      return 'contact and contactId are both there; keep one of them.';
    case 'missing-agent':
      return `The ${record} is of an agent but has no agentId; add the id of a team member.`;
    case 'missing-contact':
      return record === 'event'
        ? 'The event is of a customer but has no contactId; add it, or let the settings send such events without it.'
        : 'The message is of a customer but has no contact; add its e-mail address (contact.email) or a contactId.';
    case 'invalid-event-type':
      return 'The type of the event is empty; write it, for example status_change.';
    case 'missing-event-status': {
      const side = path.startsWith('oldValue') ? candidate['oldValue'] : candidate['newValue'];
      const status = isRecord(side) ? side['status'] : undefined;
      return status === undefined
        ? `A status change needs ${path}; add open, pending, resolved or closed.`
        : notListed(path, status, ['open', 'pending', 'resolved', 'closed']);
    }
    default:
      return `${path} is ${shown(value)}, which the API does not take; correct it in the export.`;
  }
}

function attachmentWords(leaf: string, value: unknown): string {
  switch (leaf) {
    case 'url':
      return value === undefined
        ? 'The attachment has no url; add the address of the file.'
        : `${shown(value)} is not the address of a file; write it in full, beginning with https:// or http://.`;
    case 'sizeBytes':
      return `The size of the attachment is ${shown(value)}; write a whole number of bytes, or leave it out.`;
    case 'name':
    case 'contentType':
      return `The ${leaf} of the attachment must be text, not ${shown(value)}.`;
    default:
      return `An attachment must be an object with a url, not ${shown(value)}.`;
  }
}

function notListed(path: string, value: unknown, values: readonly unknown[]): string {
  const known = values.map(String);
  const list = `${known.slice(0, -1).join(', ')} or ${known.at(-1)}`;
  const suggestion = typeof value === 'string' ? didYouMean(value, known) : '';
  return `${path} is ${shown(value)} but must be ${list}.${suggestion}`;
}

/** Ids often come as numbers; what helps is to say how they are written. */
function quoteHint(wanted: string, value: unknown): string {
  return wanted === 'text' && typeof value === 'number' ? '; write it in quotes' : '';
}

function meant(wanted: string, value: unknown): string {
  return wanted === TYPE_WORDS['boolean'] && typeof value === 'string'
    ? didYouMean(value, ['true', 'false'])
    : '';
}

function pathOf(path: readonly PropertyKey[]): string {
  let text = '';
  for (const step of path) {
    if (typeof step === 'number') text += `[${step}]`;
    else text += text === '' ? String(step) : `.${String(step)}`;
  }
  return text;
}

function valueAt(candidate: Candidate, path: readonly PropertyKey[]): unknown {
  let value: unknown = candidate;
  for (const step of path) {
    if (Array.isArray(value) && typeof step === 'number') value = value[step];
    else if (isRecord(value) && Object.hasOwn(value, step)) value = value[String(step)];
    else return undefined;
  }
  return value;
}
