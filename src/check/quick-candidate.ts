/**
 * Messages and events that are plainly good as mapped: read, judged and made into payloads in one go, without the candidate
 * that the careful way works on step by step. Nearly all records of an export are such, and it has millions.
 *
 * Whatever needs a second look (a time that is missing, without a zone or unlikely, text that is not plain text, attachments,
 * values that are passed through, anything wrong) is left to the careful way. A property test holds both to the same outcome.
 */

import type { MappedItem } from '../domain/mapped.ts';
import {
  type ContactRef,
  type EventPayload,
  type MessagePayload,
  STATUS_CHANGE_TYPES,
} from '../domain/payload.ts';
import { isNormalizedEmail, normalizeEmail } from './email.ts';
import type { EventCandidate } from './event-candidate.ts';
import { type Candidate, isPlainText, isRecord } from './fields.ts';
import type { Place } from './findings.ts';
import type { MessageCandidate } from './message-candidate.ts';
import { isActor, isContentType, isStatus } from './plainly-good.ts';
import type { ContactCandidate } from './ticket-candidate.ts';
import type { TimeRules } from './times.ts';

type Unfinished<Payload> = { -readonly [Key in keyof Payload]?: Payload[Key] };

const MAIL_IDS = ['messageId', 'inReplyToId', 'referencesIds'] as const;

/** Undefined where the careful way has to look. */
export function quickMessage(
  item: MappedItem,
  index: number,
  times: TimeRules,
): MessageCandidate | undefined {
  const { value } = item;
  if (!isRecord(value)) return undefined;
  const { actorType, content, contentType, occurredAt, contactId, agentId, isInternal } = value;
  if (!isActor(actorType) || typeof content !== 'string' || content.trim() === '' || !isPlainText(content))
    return undefined;
  if (!isAbsent(contentType) && !isContentType(contentType)) return undefined;
  if (!isOptionalId(contactId) || !isOptionalId(agentId) || !isAbsent(value['attachments'])) return undefined;
  if (MAIL_IDS.some((field) => !isAbsent(value[field]))) return undefined;
  if (!isAbsent(isInternal) && typeof isInternal !== 'boolean') return undefined;
  const contact = isAbsent(value['contact']) ? undefined : goodContact(value['contact']);
  if (contact === null || (contact !== undefined && !isAbsent(contactId))) return undefined;
  if (actorType === 'customer' && contact === undefined && isAbsent(contactId)) return undefined;
  if (actorType === 'agent' && isAbsent(agentId)) return undefined;
  const time = typeof occurredAt === 'string' ? times.readPlain(occurredAt) : undefined;
  if (time === undefined) return undefined;
  // In the order of the schema, as fingerprints are taken of the text.
  const payload: Unfinished<MessagePayload> = { actorType, content };
  if (!isAbsent(contentType)) payload.contentType = contentType;
  payload.occurredAt = time.text;
  if (contact !== undefined) payload.contact = { email: contact.email } satisfies ContactRef;
  if (!isAbsent(contactId)) payload.contactId = contactId;
  if (!isAbsent(agentId)) payload.agentId = agentId;
  if (!isAbsent(isInternal)) payload.isInternal = isInternal;
  const place: Place = { list: 'messages', index, ref: item.ref };
  return { place, candidate: value as Candidate, contact, at: time.at, payload: payload as MessagePayload };
}

/** A status change that is plainly good; undefined where the careful way has to look. */
export function quickEvent(
  item: MappedItem,
  index: number,
  statusChangeType: string,
  customerNeedsContactId: boolean,
  times: TimeRules,
): EventCandidate | undefined {
  const { value } = item;
  if (!isRecord(value)) return undefined;
  const { type, actorType, agentId, contactId, occurredAt } = value;
  if (typeof type !== 'string' || !(type === statusChangeType || STATUS_CHANGE_TYPES.includes(type)))
    return undefined;
  const from = statusIn(value['oldValue']);
  const to = statusIn(value['newValue']);
  if (from === undefined || to === undefined) return undefined;
  if (!isActor(actorType) || !isOptionalId(agentId) || !isOptionalId(contactId)) return undefined;
  if (actorType === 'agent' && isAbsent(agentId)) return undefined;
  if (customerNeedsContactId && actorType === 'customer' && isAbsent(contactId)) return undefined;
  const time = typeof occurredAt === 'string' ? times.readPlain(occurredAt) : undefined;
  if (time === undefined || statusChangeType.trim() === '') return undefined;
  const payload: Unfinished<EventPayload> = {
    type: statusChangeType,
    oldValue: { status: from },
    newValue: { status: to },
    actorType,
  };
  if (!isAbsent(agentId)) payload.agentId = agentId;
  if (!isAbsent(contactId)) payload.contactId = contactId;
  payload.occurredAt = time.text;
  const place: Place = { list: 'events', index, ref: item.ref };
  return { place, candidate: value as Candidate, at: time.at, payload: payload as EventPayload };
}

/** Null where the careful way has to look. */
function goodContact(value: unknown): ContactCandidate | null {
  if (!isRecord(value)) return null;
  const { email, name } = value;
  if (typeof email !== 'string' || !isPlainText(email)) return null;
  if (!isAbsent(name) && (typeof name !== 'string' || !isPlainText(name))) return null;
  const address = normalizeEmail(email);
  if (!isNormalizedEmail(address)) return null;
  return { email: address, isGood: true, name: isAbsent(name) ? undefined : name.trim() || undefined };
}

function statusIn(value: unknown) {
  const status = isRecord(value) ? value['status'] : undefined;
  return isStatus(status) ? status : undefined;
}

function isAbsent(value: unknown): value is undefined | null {
  return value === undefined || value === null;
}

function isOptionalId(value: unknown): value is string | undefined | null {
  return isAbsent(value) || (typeof value === 'string' && value.trim() !== '' && isPlainText(value));
}
