/** A message, from mapping's candidate to one that the schema can judge (2.2, 2.3). */

import type { MappedItem } from '../domain/mapped.ts';
import type { MessagePayload } from '../domain/payload.ts';
import { type Candidate, dropBlank, isRecord, pickFields, recordOf } from './fields.ts';
import type { Findings, Place } from './findings.ts';
import { type ContactCandidate, takeContact } from './ticket-candidate.ts';
import type { TimedCandidate, TimeRules } from './times.ts';

/** Without `id`: ids of messages are the target's, and those of a source mean nothing to it. */
const FIELDS = [
  'actorType',
  'content',
  'contentType',
  'occurredAt',
  'contact',
  'contactId',
  'agentId',
  'isInternal',
  'attachments',
  'messageId',
  'inReplyToId',
  'referencesIds',
];
const ATTACHMENT_FIELDS = ['url', 'name', 'contentType', 'sizeBytes'];

export interface MessageCandidate extends TimedCandidate {
  readonly contact: ContactCandidate | undefined;
  /** Where it is judged already (quick-candidate.ts). */
  readonly payload?: MessagePayload;
}

export function messageCandidate(
  item: MappedItem,
  index: number,
  times: TimeRules,
  findings: Findings,
): MessageCandidate {
  const place: Place = { list: 'messages', index, ref: item.ref };
  const candidate = pickFields(recordOf(item.value, place, findings), FIELDS, place, findings);
  dropBlank(candidate, ['contactId', 'agentId']);
  const contact = takeContact(candidate, place, findings);
  takeAttachments(candidate, place, findings);
  takeMailIds(candidate);
  return { place, candidate, contact, at: times.read(candidate, 'occurredAt', place, findings) };
}

/** A header lists ids with spaces between; one that is no text is none, and no reason to refuse the message. */
function takeMailIds(candidate: Candidate): void {
  for (const field of ['messageId', 'inReplyToId'] as const) {
    const value = candidate[field];
    if (value === undefined) continue;
    const text = typeof value === 'string' ? value.trim() : '';
    if (text === '') delete candidate[field];
    else candidate[field] = text;
  }
  const told = candidate['referencesIds'];
  if (told === undefined) return;
  const ids = (Array.isArray(told) ? (told as readonly unknown[]) : [told]).flatMap((each) =>
    typeof each === 'string' ? each.split(/[\s,]+/).filter((id) => id !== '') : [],
  );
  if (ids.length === 0) delete candidate['referencesIds'];
  else candidate['referencesIds'] = [...new Set(ids)];
}

function takeAttachments(candidate: Candidate, place: Place, findings: Findings): void {
  const value = candidate['attachments'];
  if (!Array.isArray(value)) return;
  if (value.length === 0) {
    delete candidate['attachments'];
    return;
  }
  candidate['attachments'] = value.map((element: unknown, index) => {
    if (!isRecord(element)) return element;
    const attachment = pickFields(element, ATTACHMENT_FIELDS, place, findings, `attachments[${index}].`);
    if (typeof attachment['url'] === 'string') attachment['url'] = attachment['url'].trim();
    return attachment;
  });
  // The attachment is what such a message says; the API wants the field all the same.
  candidate['content'] ??= '';
}
