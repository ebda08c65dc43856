/**
 * Records that are plainly good, told at a fraction of what the schemas cost: nearly all are, and a large export has
 * millions. Whatever is not plain (attachments, values that are passed through, anything wrong) is left to the schemas,
 * so this knows fewer good records than they do and none that they refuse; a property test holds it to them.
 *
 * Times and addresses were judged when the candidate was made; here only what came of it is looked at. The fields stand
 * in the order of the schemas, whatever the order of the source, as fingerprints are taken of the text.
 */
import {
  ACTOR_TYPES,
  type ActorType,
  CONTENT_TYPES,
  type ContactRef,
  type ContentType,
  type EventPayload,
  type MessagePayload,
  TICKET_PRIORITIES,
  TICKET_STATUSES,
  type TicketPayload,
  type TicketPriority,
  type TicketStatus,
} from '../domain/payload.ts';
import { type Candidate, isRecord } from './fields.ts';
import type { ContactCandidate, TicketCandidate } from './ticket-candidate.ts';
import type { FieldTime, TimedCandidate } from './times.ts';

/** Its fields are set one after the other, in the order of the schema. */
type Unfinished<Payload> = Partial<Payload>;

const MAIL_IDS = ['messageId', 'inReplyToId', 'referencesIds'] as const;

/** The payload, or undefined where the schema has to look. */
export function plainMessage(
  { candidate, at }: TimedCandidate,
  contact: ContactCandidate | undefined,
): MessagePayload | undefined {
  const { actorType, content, contentType, occurredAt, contactId, agentId, isInternal } = candidate;
  if (!isActor(actorType) || typeof content !== 'string' || !isTime(at) || typeof occurredAt !== 'string')
    return undefined;
  if (MAIL_IDS.some((field) => candidate[field] !== undefined)) return undefined;
  if (candidate['attachments'] !== undefined || content.trim() === '') return undefined;
  if (contentType !== undefined && !isContentType(contentType)) return undefined;
  if (!isOptionalId(contactId) || !isOptionalId(agentId) || !isOptionalBoolean(isInternal)) return undefined;
  const person = plainContact(candidate, contact);
  if (person === null || (person !== undefined && contactId !== undefined)) return undefined;
  if (actorType === 'customer' && person === undefined && contactId === undefined) return undefined;
  if (actorType === 'agent' && agentId === undefined) return undefined;
  const payload: Unfinished<MessagePayload> = { actorType, content };
  if (contentType !== undefined) payload.contentType = contentType;
  payload.occurredAt = occurredAt;
  if (person !== undefined) payload.contact = person;
  if (contactId !== undefined) payload.contactId = contactId;
  if (agentId !== undefined) payload.agentId = agentId;
  if (isInternal !== undefined) payload.isInternal = isInternal;
  return payload as MessagePayload;
}

/** The payload of a status change, or undefined where the schema has to look. */
export function plainEvent(
  { candidate, at }: TimedCandidate,
  statusChangeType: string,
  customerNeedsContactId: boolean,
): EventPayload | undefined {
  const { type, actorType, agentId, contactId, occurredAt } = candidate;
  if (type !== statusChangeType || typeof type !== 'string' || type.trim() === '') return undefined;
  const from = statusIn(candidate['oldValue']);
  const to = statusIn(candidate['newValue']);
  if (from === undefined || to === undefined) return undefined;
  if (!isActor(actorType) || !isOptionalId(agentId) || !isOptionalId(contactId)) return undefined;
  if (!isTime(at) || typeof occurredAt !== 'string') return undefined;
  if (actorType === 'agent' && agentId === undefined) return undefined;
  if (customerNeedsContactId && actorType === 'customer' && contactId === undefined) return undefined;
  const payload: Unfinished<EventPayload> = {
    type,
    oldValue: { status: from },
    newValue: { status: to },
    actorType,
  };
  if (agentId !== undefined) payload.agentId = agentId;
  if (contactId !== undefined) payload.contactId = contactId;
  payload.occurredAt = occurredAt;
  return payload as EventPayload;
}

/** `createdAt`: as found, which need not be the ticket's own. */
export function plainTicket(
  { candidate, contact, resolvedAt, closedAt }: TicketCandidate,
  createdAt: FieldTime,
): TicketPayload | undefined {
  const { subject, contactId, status, priority, tags, customerId, appId, assignedToId } = candidate;
  const { readOnly, managedBy } = candidate;
  if (typeof subject !== 'string' || subject.trim() === '' || !isTime(createdAt)) return undefined;
  if (status !== undefined && !isStatus(status)) return undefined;
  if (priority !== undefined && !isPriority(priority)) return undefined;
  if (!isOptionalId(contactId) || !isOptionalId(customerId) || !isOptionalId(appId)) return undefined;
  if (!isOptionalId(assignedToId) || !isOptionalBoolean(readOnly)) return undefined;
  if (managedBy !== undefined && typeof managedBy !== 'string') return undefined;
  if (tags !== undefined && !isTexts(tags)) return undefined;
  const person = plainContact(candidate, contact);
  if (person === null || (person !== undefined && contactId !== undefined)) return undefined;
  const created = candidate['createdAt'];
  const resolved = plainTime(candidate['resolvedAt'], resolvedAt);
  const closed = plainTime(candidate['closedAt'], closedAt);
  if (typeof created !== 'string' || resolved === null || closed === null) return undefined;
  const payload: Unfinished<TicketPayload> = { subject };
  if (person !== undefined) payload.contact = person;
  if (contactId !== undefined) payload.contactId = contactId;
  if (status !== undefined) payload.status = status;
  if (priority !== undefined) payload.priority = priority;
  if (tags !== undefined) payload.tags = tags;
  if (customerId !== undefined) payload.customerId = customerId;
  if (appId !== undefined) payload.appId = appId;
  if (assignedToId !== undefined) payload.assignedToId = assignedToId;
  payload.createdAt = created;
  if (resolved !== undefined) payload.resolvedAt = resolved;
  if (closed !== undefined) payload.closedAt = closed;
  if (readOnly !== undefined) payload.readOnly = readOnly;
  if (managedBy !== undefined) payload.managedBy = managedBy;
  return payload as TicketPayload;
}

/** Undefined where there is none; null where the schema has to look. */
function plainContact(
  candidate: Candidate,
  contact: ContactCandidate | undefined,
): ContactRef | null | undefined {
  const value = candidate['contact'];
  if (value === undefined) return undefined;
  if (contact?.isGood !== true || !isRecord(value) || value['name'] !== undefined) return null;
  return { email: contact.email };
}

/** Undefined where there is none; null where the schema has to look. */
function plainTime(text: unknown, at: FieldTime): string | null | undefined {
  if (text === undefined) return undefined;
  return typeof text === 'string' && isTime(at) ? text : null;
}

/** The status of a value that holds nothing else; candidates of status changes are made so. */
function statusIn(value: unknown): TicketStatus | undefined {
  const status = isRecord(value) ? value['status'] : undefined;
  return isStatus(status) ? status : undefined;
}

/** A time that was read: its text in the candidate has the one spelling that is sent. */
function isTime(at: FieldTime): boolean {
  return at !== undefined && !Number.isNaN(at);
}

function isOptionalId(value: unknown): value is string | undefined {
  return value === undefined || (typeof value === 'string' && value.trim() !== '');
}

function isOptionalBoolean(value: unknown): value is boolean | undefined {
  return value === undefined || typeof value === 'boolean';
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((element) => typeof element === 'string');
}

export const isActor = (value: unknown): value is ActorType => ACTOR_TYPES.includes(value as ActorType);
export const isContentType = (value: unknown): value is ContentType =>
  CONTENT_TYPES.includes(value as ContentType);
export const isStatus = (value: unknown): value is TicketStatus =>
  TICKET_STATUSES.includes(value as TicketStatus);
const isPriority = (value: unknown): value is TicketPriority =>
  TICKET_PRIORITIES.includes(value as TicketPriority);
