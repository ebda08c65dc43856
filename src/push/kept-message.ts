/**
 * A message that only the target has, as the element that keeps it where it is (2.2, with its `id`): everything that the
 * target tells of it, and nothing made up. Pure.
 */
import {
  ACTOR_TYPES,
  type ActorType,
  type AttachmentPayload,
  CONTENT_TYPES,
  type ContactRef,
  type MailIds,
  type MessagePayload,
} from '../domain/payload.ts';
import {
  reportedBoolean,
  reportedId,
  reportedInstant,
  reportedObject,
  reportedString,
} from '../domain/snapshot.ts';
import type { Snapshot } from '../domain/ticket-api.ts';

/**
 * Undefined where the target tells no id, author, text or time of it, or an attachment without an address: sent back without
 * these it would be changed, or the call refused.
 */
export function keptMessage(read: Snapshot): MessagePayload | undefined {
  const actorType = ACTOR_TYPES.find((known) => known === read['actorType']);
  const attachments = attachmentsOf(read);
  const content = contentOf(read, attachments);
  const occurredAt = timeOf(read);
  const author = actorType === undefined ? undefined : authorOf(actorType, read);
  if (read.id === '' || actorType === undefined || content === undefined) return undefined;
  if (occurredAt === undefined || author === undefined || attachments === undefined) return undefined;
  const contentType = CONTENT_TYPES.find((known) => known === read['contentType']);
  const isInternal = reportedBoolean(read, 'isInternal');
  return {
    id: read.id,
    actorType,
    content,
    ...(contentType === undefined ? {} : { contentType }),
    occurredAt,
    ...author,
    ...(typeof isInternal === 'boolean' ? { isInternal } : {}),
    ...(attachments.length === 0 ? {} : { attachments }),
    ...mailIdsOf(read),
  };
}

function mailIdsOf(read: Snapshot): MailIds {
  const [messageId, inReplyToId] = [reportedString(read, 'messageId'), reportedString(read, 'inReplyToId')];
  const reported = read['referencesIds'];
  const references = Array.isArray(reported) ? reported.filter((each) => typeof each === 'string') : [];
  return {
    ...(typeof messageId === 'string' && messageId !== '' ? { messageId } : {}),
    ...(typeof inReplyToId === 'string' && inReplyToId !== '' ? { inReplyToId } : {}),
    ...(references.length === 0 ? {} : { referencesIds: references }),
  };
}

function contentOf(read: Snapshot, attachments: AttachmentPayload[] | undefined): string | undefined {
  const content = reportedString(read, 'content');
  if (typeof content === 'string' && content.trim() !== '') return content;
  const hasAttachments = attachments !== undefined && attachments.length > 0;
  // A missing text is not an empty one.
  return content !== undefined && hasAttachments ? (content ?? '') : undefined;
}

/** In the target's own words where it can be: a repeated PUT must not move it by a rounding. */
function timeOf(read: Snapshot): string | undefined {
  const at = reportedInstant(read, 'occurredAt');
  if (typeof at !== 'number' || Math.abs(at) > 8.64e15) return undefined;
  const reported = reportedString(read, 'occurredAt');
  return typeof reported === 'string' ? reported : new Date(at).toISOString();
}

type Author = { contactId?: string; contact?: ContactRef; agentId?: string };

/** Undefined where the specification wants an author (2.2) and the target does not say which. */
function authorOf(actorType: ActorType, read: Snapshot): Author | undefined {
  const agentId = reportedId(read, 'agentId', 'agent');
  const agent = typeof agentId === 'string' ? { agentId } : undefined;
  const contact = contactOf(read);
  switch (actorType) {
    case 'agent':
      return agent === undefined ? undefined : { ...contact, ...agent };
    case 'customer':
      return contact === undefined ? undefined : { ...contact, ...agent };
    case 'system':
      return { ...contact, ...agent };
  }
}

function contactOf(read: Snapshot): Author | undefined {
  const contactId = reportedId(read, 'contactId', 'contact');
  if (typeof contactId === 'string') return { contactId };
  const contact = reportedObject(read, 'contact');
  const email = contact ? reportedString(contact, 'email') : undefined;
  return typeof email === 'string' ? { contact: { email } } : undefined;
}

/** Undefined where one of them has no address. */
function attachmentsOf(read: Snapshot): AttachmentPayload[] | undefined {
  const attachments: AttachmentPayload[] = [];
  const { attachments: reported } = read;
  for (const element of Array.isArray(reported) ? (reported as readonly unknown[]) : []) {
    const attachment = attachmentOf(element);
    if (attachment === undefined) return undefined;
    attachments.push(attachment);
  }
  return attachments;
}

function attachmentOf(element: unknown): AttachmentPayload | undefined {
  if (typeof element !== 'object' || element === null) return undefined;
  const fields = element as Readonly<Record<string, unknown>>;
  const [url, name, type] = (['url', 'name', 'contentType'] as const).map((field) =>
    reportedString(fields, field),
  );
  const size = fields['sizeBytes'];
  if (typeof url !== 'string' || url === '') return undefined;
  return {
    url,
    ...(typeof name === 'string' ? { name } : {}),
    ...(typeof type === 'string' ? { contentType: type } : {}),
    ...(typeof size === 'number' && Number.isSafeInteger(size) ? { sizeBytes: size } : {}),
  };
}
