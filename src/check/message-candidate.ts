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
  return { place, candidate, contact, at: times.read(candidate, 'occurredAt', place, findings) };
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
