/** Prepares mapped tickets, messages and events for their definitions (2.1 to 2.4). */

import { identityTag, readableTag, sourceTag } from '../domain/identity.ts';
import { CONTENT_ID, STATUS_CHANGE_TYPES } from '../domain/payload.ts';
import { isBrokenKey } from '../domain/source.ts';
import { isJsonObject } from '../domain/source-file.ts';
import { quotedValue } from './advice.ts';
import type { CheckRules } from './fields.ts';
import { type Candidate, canonical, pickFields, plainText } from './fields.ts';
import type { Reporter } from './findings.ts';
import { ATTACHMENT_FIELDS, eventPayload, messagePayload, ticketPayload } from './payloads.ts';
import { isEmail, normalizeEmail } from './people.ts';
import type { FieldTime, TimedCandidate, TimeRules } from './times.ts';

const TICKET_IDS = ['contactId', 'customerId', 'appId', 'assignedToId', 'managedBy', 'channelId'];
const ITEM_IDS = ['agentId', 'contactId'];
/** IDs of messages are the helpdesk's. */
const MESSAGE_FIELDS = messagePayload.fields.filter((name) => name !== 'id');
const EVENT_FIELDS = eventPayload([]).fields;

export interface TicketCandidate {
  readonly candidate: Candidate;
  readonly createdAt: FieldTime;
  readonly resolvedAt: FieldTime;
  readonly closedAt: FieldTime;
  readonly contact: ContactCandidate | undefined;
  readonly marks: number;
}

export interface MessageCandidate extends TimedCandidate {
  readonly contact: ContactCandidate | undefined;
}

/** Its name is added later (2.5). */
export interface ContactCandidate {
  readonly email: string;
  readonly isGood: boolean;
  readonly name: string | undefined;
}

export function ticketCandidate(
  source: Readonly<Record<string, unknown>>,
  externalId: string,
  rules: CheckRules,
  times: TimeRules,
  report: Reporter,
): TicketCandidate {
  const candidate = pickFields({ ...source, tags: [] }, ticketPayload.fields, report);
  takeIds(candidate, TICKET_IDS, report);
  const contact = takeContact(candidate, report);
  const tags = withOwnTags(source['tags'] ?? undefined, rules, report);
  const marks = Array.isArray(tags) ? addIdentity(tags, externalId, rules) : 0;
  candidate['tags'] = tags;
  if (Array.isArray(tags) && tags.length === 0) delete candidate['tags'];
  if (rules.readOnly !== undefined) candidate['readOnly'] = rules.readOnly;
  if (rules.managedBy !== undefined) candidate['managedBy'] = rules.managedBy;
  const time = (key: string) => times.read(candidate, key, report);
  const [createdAt, resolvedAt, closedAt] = [time('createdAt'), time('resolvedAt'), time('closedAt')];
  return { candidate, contact, marks, createdAt, resolvedAt, closedAt };
}

export function messageCandidate(value: unknown, times: TimeRules, report: Reporter): MessageCandidate {
  const candidate = pickFields(objectOf(value, 'A message', report), MESSAGE_FIELDS, report);
  takeIds(candidate, ITEM_IDS, report);
  const contact = takeContact(candidate, report);
  takeAttachments(candidate, report);
  takeMailIds(candidate);
  return { report, candidate, contact, at: times.read(candidate, 'occurredAt', report) };
}

/** In the helpdesk's spelling. */
export function eventCandidate(
  value: unknown,
  statusChangeType: string,
  times: TimeRules,
  report: Reporter,
): TimedCandidate {
  const candidate = pickFields(objectOf(value, 'An event', report), EVENT_FIELDS, report);
  takeIds(candidate, ITEM_IDS, report);
  const type = candidate['type'];
  if (typeof type === 'string')
    candidate['type'] = STATUS_CHANGE_TYPES.includes(type.trim()) ? statusChangeType : type.trim();
  for (const key of ['oldValue', 'newValue'])
    takeValue(candidate, key, candidate['type'] === statusChangeType, report);
  return { report, candidate, at: times.read(candidate, 'occurredAt', report) };
}

/** An empty ID counts as missing. */
function takeIds(candidate: Candidate, keys: readonly string[], report: Reporter): void {
  for (const key of keys) {
    const value = candidate[key];
    if (typeof value !== 'string') continue;
    if (value.trim() === '') delete candidate[key];
    else if (isBrokenKey(value.trim())) report(key, 'changed-id', { id: JSON.stringify(value) });
  }
}

function objectOf(value: unknown, what: string, report: Reporter): Readonly<Record<string, unknown>> {
  if (isJsonObject(value)) return value;
  report('', 'invalid-type:type', { path: what, type: 'an object', value: quotedValue(value) });
  return {};
}

/** A name of another type stays, so that the definition reports it. */
function takeContact(candidate: Candidate, report: Reporter): ContactCandidate | undefined {
  const value = candidate['contact'];
  if (!isJsonObject(value)) return undefined;
  const plain = (part: unknown, path: string) =>
    typeof part === 'string' ? plainText(part, path, report) : (part ?? undefined);
  const email = plain(value['email'], 'contact.email');
  const name = plain(value['name'], 'contact.name');
  const contact: Candidate = {};
  candidate['contact'] = contact;
  if (name !== undefined && typeof name !== 'string') contact['name'] = name;
  if (email !== undefined) contact['email'] = email;
  if (typeof email !== 'string') return undefined;
  const address = normalizeEmail(email);
  const isGood = isEmail(address);
  // A wrong one is quoted as it is in the file.
  if (isGood) contact['email'] = address;
  const called = typeof name === 'string' ? name.trim() || undefined : undefined;
  return { email: address, isGood, name: called };
}

/** Other types are left to the definition. */
function withOwnTags(value: unknown, rules: CheckRules, report: Reporter): unknown {
  if (value !== undefined && !Array.isArray(value)) return value;
  const tags = new Set<string>();
  for (const [index, tag] of (value ?? []).entries()) {
    const path = `tags[${index}]`;
    if (typeof tag !== 'string')
      report(path, 'invalid-type:type', { path: 'A tag', type: 'text', value: quotedValue(tag) });
    else if (tag.trim() !== '') tags.add(plainText(tag, path, report).trim());
  }
  if (rules.tag !== '') tags.add(rules.tag);
  return [...tags];
}

function addIdentity(tags: unknown[], externalId: string, { sourceName, runTag }: CheckRules): number {
  const source = sourceName?.();
  const own = source === undefined ? [] : [identityTag(source, externalId), sourceTag(source)];
  const readable = source === undefined ? undefined : readableTag(source, externalId);
  const marks = [...own, readable, runTag].filter((tag) => tag !== undefined && !tags.includes(tag));
  // First, as a helpdesk may keep only so many.
  tags.unshift(...marks);
  return marks.length;
}

function takeAttachments(candidate: Candidate, report: Reporter): void {
  const value = candidate['attachments'];
  if (!Array.isArray(value)) return;
  if (value.length === 0) {
    delete candidate['attachments'];
    return;
  }
  candidate['attachments'] = value.map((element: unknown, index) => {
    if (!isJsonObject(element)) return element;
    const { contentId, ...fields } = element;
    const attachment = pickFields(fields, ATTACHMENT_FIELDS, report, `attachments[${index}].`);
    if (typeof attachment['url'] === 'string') attachment['url'] = attachment['url'].trim();
    return typeof contentId === 'string' ? { ...attachment, [CONTENT_ID]: contentId } : attachment;
  });
  // The API requires the field.
  candidate['content'] ??= '';
}

function takeMailIds(candidate: Candidate): void {
  for (const field of ['messageId', 'inReplyToId']) {
    const value = candidate[field];
    if (value === undefined) continue;
    candidate[field] = typeof value === 'string' ? value.trim() : '';
    if (candidate[field] === '') delete candidate[field];
  }
  if (candidate['referencesIds'] === undefined) return;
  const references: readonly unknown[] = [candidate['referencesIds']].flat();
  const ids = references.flatMap((each) =>
    typeof each === 'string' ? each.split(/[\s,]+/).filter((part) => part !== '') : [],
  );
  if (ids.length > 0) candidate['referencesIds'] = [...new Set(ids)];
  else delete candidate['referencesIds'];
}

/** Only a status change has statuses as values. */
function takeValue(candidate: Candidate, key: string, isStatusChange: boolean, report: Reporter): void {
  const value = candidate[key];
  if (!isJsonObject(value)) return;
  const clean = isStatusChange
    ? pickFields(value, ['status'], report, `${key}.`)
    : canonical(value, key, report);
  if (clean === undefined) report(key, 'invalid-type:deep', { path: key, value: quotedValue(value) });
  candidate[key] = clean ?? {};
}
