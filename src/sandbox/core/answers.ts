/** What the Core API answers: the shapes (public facts; the specification shows the created ticket's id alone), and rows as them. */
import { z } from 'zod';
import type { AttachmentPayload, MailIds } from '../../domain/payload.ts';
import { isoOf, publicId } from '../store/kept-values.ts';
import type { Agent, ContactRow } from '../store/people.ts';
import type { EventRow, MessageRow } from '../store/thread.ts';
import { API_CHANNEL, parsedTags, type TicketRow } from '../store/tickets.ts';

const id = z.string();
const time = z.string().meta({ format: 'date-time' });
const named = z.object({ id, email: z.string(), name: z.string().nullable() });
const only = z.object({ id });

export const agentSchema = named.meta({ id: 'Agent' });
export const channelSchema = z.object({ id, name: z.string(), type: z.string() }).meta({ id: 'Channel' });
export const organizationSchema = z.object({ id, name: z.string() }).meta({ id: 'Organization' });

export const contactSchema = z
  .object({
    id,
    email: z.string(),
    name: z.string().nullable(),
    tags: z.array(z.string()),
    ticketCount: z.int().optional(),
    createdAt: time,
    updatedAt: time,
  })
  .meta({ id: 'Contact' });

export const ticketSchema = z
  .object({
    id,
    ticketNumber: z.int(),
    subject: z.string(),
    status: z.string(),
    priority: z.string(),
    tags: z.array(z.string()),
    contactId: id.nullable(),
    contact: named.nullable(),
    contactIds: z.array(id),
    customerId: id.nullable(),
    customer: only.nullable(),
    appId: id.nullable(),
    app: only.nullable(),
    assignedToId: id.nullable(),
    assignedTo: z.object({ id, email: z.string().nullable(), name: z.string().nullable() }).nullable(),
    channelId: id,
    channel: channelSchema,
    sourceType: z.string(),
    createdAt: time,
    updatedAt: time,
    resolvedAt: time.nullable(),
    closedAt: time.nullable(),
    firstResponseAt: time.nullable(),
    lastMessageAt: time,
    lastMessage: z.string().nullable(),
    readOnly: z.boolean(),
    managedBy: z.string().nullable(),
    messageCount: z.int(),
    eventCount: z.int(),
  })
  .meta({ id: 'Ticket' });
export type TicketView = z.output<typeof ticketSchema>;

const entry = {
  id,
  ticketId: id,
  actorType: z.string(),
  occurredAt: time,
  createdAt: time,
  contactId: id.nullable(),
  contact: named.nullable(),
  agentId: id.nullable(),
  agent: z.object({ id, email: z.string().nullable(), name: z.string().nullable() }).nullable(),
};

export const messageSchema = z
  .object({
    ...entry,
    /** In lists perhaps its beginning alone. */
    content: z.string(),
    fullContent: z.string().optional(),
    contentType: z.string(),
    isInternal: z.boolean(),
    attachments: z.array(
      z.object({
        url: z.string(),
        name: z.string().optional(),
        contentType: z.string().optional(),
        sizeBytes: z.int().optional(),
      }),
    ),
    messageId: z.string().nullable(),
    inReplyToId: z.string().nullable(),
    referencesIds: z.array(z.string()),
  })
  .meta({ id: 'Message' });
export type MessageView = z.output<typeof messageSchema>;

const values = z.record(z.string(), z.unknown()).nullable();
export const eventSchema = z
  .object({
    ...entry,
    type: z.string(),
    oldValue: values,
    newValue: values,
    threadMessageId: id.nullable(),
  })
  .meta({ id: 'Event' });
export type EventView = z.output<typeof eventSchema>;

/** A page of a list: `cursor` and `page` are absent at the end. */
export const page = {
  hasNextPage: z.boolean(),
  hasPreviousPage: z.boolean(),
  total: z.int().optional(),
};
export const cursorPage = { ...page, cursor: z.string().optional() };

/** Channels are not configured here: a ticket that names none is in the first. */
export const CHANNELS = [
  { id: API_CHANNEL, name: 'API', type: 'chat' },
  { id: 'chn_email', name: 'E-mail', type: 'email' },
] as const;

export function contactView(row: ContactRow & { tickets?: number }): z.output<typeof contactSchema> {
  return {
    id: publicId('contact', row.seq),
    email: row.email,
    name: row.name,
    tags: parsedTags(row.tags),
    ...(row.tickets === undefined ? {} : { ticketCount: row.tickets }),
    createdAt: isoOf(row.created_at),
    updatedAt: isoOf(row.updated_at),
  };
}

export function ticketView(row: TicketRow): TicketView {
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

/** The whole message; what lists show of it is for them to say. */
export function messageView(row: MessageRow): MessageView {
  const mail = row.mail_ids === null ? {} : (JSON.parse(row.mail_ids) as MailIds);
  return {
    ...entryView(row, 'message'),
    content: row.content,
    contentType: row.content_type,
    isInternal: row.is_internal === 1,
    attachments: row.attachments === null ? [] : (JSON.parse(row.attachments) as AttachmentPayload[]),
    messageId: mail.messageId ?? null,
    inReplyToId: mail.inReplyToId ?? null,
    referencesIds: mail.referencesIds ?? [],
  };
}

export function eventView(row: EventRow): EventView {
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
}): Agent | null {
  if (row.contact_seq === null) return null;
  return {
    id: publicId('contact', row.contact_seq),
    email: row.contact_email ?? '',
    name: row.contact_name,
  };
}
