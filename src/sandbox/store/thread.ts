/** What a message and an event look like when kept and when answered (specification, 2.2 to 2.4). */
import type { AttachmentPayload, MailIds } from '../../domain/payload.ts';
import { publicId } from './ids.ts';

export interface MessageRow {
  seq: number;
  ticket_seq: number;
  position: number;
  actor_type: string;
  content: string;
  content_type: string;
  occurred_at: string;
  occurred_ms: number;
  contact_seq: number | null;
  contact_email: string | null;
  contact_name: string | null;
  agent_id: string | null;
  is_internal: number;
  attachments: string | null;
  /** `messageId`, `inReplyToId` and `referencesIds`, where it has any of them. */
  mail_ids: string | null;
}

export interface EventRow {
  seq: number;
  ticket_seq: number;
  position: number;
  type: string;
  old_value: string | null;
  new_value: string | null;
  actor_type: string;
  agent_id: string | null;
  contact_seq: number | null;
  contact_email: string | null;
  contact_name: string | null;
  occurred_at: string;
  occurred_ms: number;
}

export interface ThreadContact {
  id: string;
  email: string;
  name: string | null;
}

export interface MessageView {
  id: string;
  ticketId: string;
  actorType: string;
  content: string;
  contentType: string;
  occurredAt: string;
  contactId: string | null;
  contact: ThreadContact | null;
  agentId: string | null;
  isInternal: boolean;
  attachments: AttachmentPayload[];
  messageId: string | null;
  inReplyToId: string | null;
  referencesIds: readonly string[];
}

export interface EventView {
  id: string;
  ticketId: string;
  type: string;
  oldValue: Record<string, unknown> | null;
  newValue: Record<string, unknown> | null;
  actorType: string;
  agentId: string | null;
  contactId: string | null;
  contact: ThreadContact | null;
  occurredAt: string;
}

export function messageView(row: MessageRow): MessageView {
  const contact = threadContact(row);
  const mail = row.mail_ids === null ? {} : (JSON.parse(row.mail_ids) as MailIds);
  return {
    id: publicId('message', row.seq),
    ticketId: publicId('ticket', row.ticket_seq),
    actorType: row.actor_type,
    content: row.content,
    contentType: row.content_type,
    occurredAt: row.occurred_at,
    contactId: contact?.id ?? null,
    contact,
    agentId: row.agent_id,
    isInternal: row.is_internal === 1,
    attachments: row.attachments === null ? [] : (JSON.parse(row.attachments) as AttachmentPayload[]),
    messageId: mail.messageId ?? null,
    inReplyToId: mail.inReplyToId ?? null,
    referencesIds: mail.referencesIds ?? [],
  };
}

export function eventView(row: EventRow): EventView {
  const contact = threadContact(row);
  return {
    id: publicId('event', row.seq),
    ticketId: publicId('ticket', row.ticket_seq),
    type: row.type,
    oldValue: parsedValue(row.old_value),
    newValue: parsedValue(row.new_value),
    actorType: row.actor_type,
    agentId: row.agent_id,
    contactId: contact?.id ?? null,
    contact,
    occurredAt: row.occurred_at,
  };
}

function parsedValue(text: string | null): Record<string, unknown> | null {
  return text === null ? null : (JSON.parse(text) as Record<string, unknown>);
}

function threadContact(row: {
  contact_seq: number | null;
  contact_email: string | null;
  contact_name: string | null;
}): ThreadContact | null {
  if (row.contact_seq === null) return null;
  return {
    id: publicId('contact', row.contact_seq),
    email: row.contact_email ?? '',
    name: row.contact_name,
  };
}
