/** Answers of the Core API (public facts; the specification shows only the created ticket's ID). */
import type { AttachmentPayload, MailIds } from '../../domain/payload.ts';
import { isoOf, parsedTags, publicId } from '../store/kept-values.ts';
import type { ContactRow } from '../store/people.ts';
import type { EventRow, MessageRow } from '../store/thread.ts';
import { API_CHANNEL, type TicketRow } from '../store/tickets.ts';

export type TicketView = ReturnType<typeof ticketView>;
export type MessageView = ReturnType<typeof messageView>;
export type EventView = ReturnType<typeof eventView>;

/** Fixed channels; a ticket without one is in the first. */
export const CHANNELS = [
  { id: API_CHANNEL, name: 'API', type: 'chat' },
  { id: 'chn_email', name: 'E-mail', type: 'email' },
] as const;

export function contactView(row: ContactRow) {
  return {
    id: publicId('contact', row.seq),
    email: row.email,
    name: row.name,
    createdAt: isoOf(row.created_at),
    updatedAt: isoOf(row.updated_at),
  };
}

export function ticketView(row: TicketRow) {
  const contact = contactOf(row);
  return {
    id: publicId('ticket', row.seq),
    ticketNumber: row.seq,
    subject: row.subject,
    status: row.status,
    priority: row.priority,
    tags: parsedTags(row.tags),
    contactId: contact?.id ?? null,
    contact,
    contactIds: parsedTags(row.contact_ids),
    customerId: row.customer_id,
    customer: row.customer_id === null ? null : { id: row.customer_id },
    appId: row.app_id,
    app: row.app_id === null ? null : { id: row.app_id },
    assignedToId: row.assigned_to_id,
    assignedTo: agentOf(row.assigned_to_id, row.assignee_email, row.assignee_name),
    channelId: row.channel_id,
    channel: CHANNELS.find((channel) => channel.id === row.channel_id) ?? CHANNELS[0],
    sourceType: 'api_client',
    createdAt: row.created_at,
    updatedAt: isoOf(row.updated_ms),
    resolvedAt: row.resolved_at,
    closedAt: row.closed_at,
    firstResponseAt: row.first_response_ms === null ? null : isoOf(row.first_response_ms),
    lastMessageAt: isoOf(row.last_message_ms),
    lastMessage: row.last_message,
    readOnly: row.read_only === 1,
    managedBy: row.managed_by,
    messageCount: row.message_count,
    eventCount: row.event_count,
  };
}

/** A message; lists cut `content` and have the whole text in `fullContent`. */
export function messageView(row: MessageRow) {
  const mail = row.mail_ids === null ? {} : (JSON.parse(row.mail_ids) as MailIds);
  return {
    ...entryView(row, 'message'),
    content: row.content,
    fullContent: row.content,
    contentType: row.content_type,
    isInternal: row.is_internal === 1,
    attachments: row.attachments === null ? [] : (JSON.parse(row.attachments) as AttachmentPayload[]),
    messageId: mail.messageId ?? null,
    inReplyToId: mail.inReplyToId ?? null,
    referencesIds: mail.referencesIds ?? [],
  };
}

export function eventView(row: EventRow) {
  const value = (text: string | null) =>
    text === null ? null : (JSON.parse(text) as Record<string, unknown>);
  return {
    ...entryView(row, 'event'),
    type: row.type,
    oldValue: value(row.old_value),
    newValue: value(row.new_value),
    threadMessageId: null,
  };
}

function entryView(row: MessageRow | EventRow, kind: 'message' | 'event') {
  const contact = contactOf(row);
  return {
    id: publicId(kind, row.seq),
    ticketId: publicId('ticket', row.ticket_seq),
    actorType: row.actor_type,
    occurredAt: row.occurred_at,
    createdAt: isoOf(row.created_ms),
    contactId: contact?.id ?? null,
    contact,
    agentId: row.agent_id,
    agent: agentOf(row.agent_id, row.agent_email, row.agent_name),
  };
}

function agentOf(agentId: string | null, email: string | null, name: string | null) {
  return agentId === null ? null : { id: agentId, email, name };
}

function contactOf(row: {
  contact_seq: number | null;
  contact_email: string | null;
  contact_name: string | null;
}) {
  if (row.contact_seq === null) return null;
  return {
    id: publicId('contact', row.contact_seq),
    email: row.contact_email ?? '',
    name: row.contact_name,
  };
}
