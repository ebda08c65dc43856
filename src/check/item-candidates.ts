/** A message or an event of a ticket, from mapping's candidate to one that its definition can judge (2.2 to 2.4). */

import { CONTENT_ID, STATUS_CHANGE_TYPES } from '../domain/payload.ts';
import type { MappedItem } from '../domain/ticket.ts';
import { type Candidate, canonical, dropBlank, isRecord, pickFields, recordOf } from './fields.ts';
import { type Findings, type RecordPlace, shown } from './findings.ts';
import { ATTACHMENT_FIELDS, eventPayload, messagePayload } from './payloads.ts';
import type { CheckRules } from './rules.ts';
import { type ContactCandidate, takeContact } from './ticket-candidate.ts';
import type { TimedCandidate, TimeRules } from './times.ts';

/** Without `id`: ids of messages are the target's, and those of a source mean nothing to it. */
const MESSAGE_FIELDS = messagePayload.fields.filter((name) => name !== 'id');
const EVENT_FIELDS = eventPayload([]).fields;
const BLANKABLE = ['agentId', 'contactId'];

export interface MessageCandidate extends TimedCandidate {
  readonly contact: ContactCandidate | undefined;
}

export function messageCandidate(
  item: MappedItem,
  index: number,
  times: TimeRules,
  people: CheckRules['people'],
  findings: Findings,
): MessageCandidate {
  const place: RecordPlace = { list: 'messages', index, ref: item.ref };
  const candidate = pickFields(recordOf(item.value, place, findings), MESSAGE_FIELDS, place, findings);
  dropBlank(candidate, BLANKABLE);
  const contact = takeContact(candidate, people, place, findings);
  takeAttachments(candidate, place, findings);
  takeMailIds(candidate);
  return { place, candidate, contact, at: times.read(candidate, 'occurredAt', place, findings) };
}

function takeAttachments(candidate: Candidate, place: RecordPlace, findings: Findings): void {
  const value = candidate['attachments'];
  if (!Array.isArray(value)) return;
  if (value.length === 0) {
    delete candidate['attachments'];
    return;
  }
  candidate['attachments'] = value.map((element: unknown, index) => {
    if (!isRecord(element)) return element;
    const { contentId, ...fields } = element;
    const attachment = pickFields(fields, ATTACHMENT_FIELDS, place, findings, `attachments[${index}].`);
    if (typeof attachment['url'] === 'string') attachment['url'] = attachment['url'].trim();
    return typeof contentId === 'string' ? { ...attachment, [CONTENT_ID]: contentId } : attachment;
  });
  // The attachment is what such a message says; the API wants the field all the same.
  candidate['content'] ??= '';
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
  const references = candidate['referencesIds'];
  if (references === undefined) return;
  const ids = (Array.isArray(references) ? (references as readonly unknown[]) : [references]).flatMap(
    (each) => (typeof each === 'string' ? each.split(/[\s,]+/).filter((id) => id !== '') : []),
  );
  if (ids.length === 0) delete candidate['referencesIds'];
  else candidate['referencesIds'] = [...new Set(ids)];
}

/** Whichever way the export spells the type of a status change, the target gets its own spelling. */
export function eventCandidate(
  item: MappedItem,
  index: number,
  statusChangeType: string,
  times: TimeRules,
  findings: Findings,
): TimedCandidate {
  const place: RecordPlace = { list: 'events', index, ref: item.ref };
  const candidate = pickFields(recordOf(item.value, place, findings), EVENT_FIELDS, place, findings);
  dropBlank(candidate, BLANKABLE);
  const type = candidate['type'];
  if (typeof type === 'string')
    candidate['type'] = STATUS_CHANGE_TYPES.includes(type.trim()) ? statusChangeType : type.trim();
  const isStatusChange = candidate['type'] === statusChangeType;
  takeValue(candidate, 'oldValue', isStatusChange, place, findings);
  takeValue(candidate, 'newValue', isStatusChange, place, findings);
  return { place, candidate, at: times.read(candidate, 'occurredAt', place, findings) };
}

/** The values of a status change are statuses and nothing else; those of other types are passed through. */
function takeValue(
  candidate: Candidate,
  key: 'oldValue' | 'newValue',
  isStatusChange: boolean,
  place: RecordPlace,
  findings: Findings,
): void {
  const value = candidate[key];
  if (!isRecord(value)) return;
  if (isStatusChange) {
    candidate[key] = pickFields(value, ['status'], place, findings, `${key}.`);
    return;
  }
  const clean = canonical(value, place, key, findings);
  if (clean === undefined)
    findings.error(
      place,
      key,
      'invalid-type',
      `${key} is nested too deeply for the value of an event (${shown(value)}); shorten it in the export.`,
    );
  candidate[key] = clean ?? {};
}
