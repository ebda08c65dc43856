/** The bodies of the Core API (2.1 to 2.4). check/payloads.ts says which values are valid. */

export const TICKET_STATUSES = ['open', 'pending', 'resolved', 'closed'] as const;
export type TicketStatus = (typeof TICKET_STATUSES)[number];

export const TICKET_PRIORITIES = ['low', 'normal', 'high', 'urgent'] as const;
export type TicketPriority = (typeof TICKET_PRIORITIES)[number];

export const ACTOR_TYPES = ['customer', 'agent', 'system'] as const;
export type ActorType = (typeof ACTOR_TYPES)[number];

export const STATUS_CHANGE_TYPES: readonly string[] = ['status_change', 'status_changed'];

export const CONTENT_TYPES = ['text', 'html', 'markdown'] as const;
export type ContentType = (typeof CONTENT_TYPES)[number];

/** Matched by its trimmed, lowercased address (2.5). */
export interface ContactRef {
  email: string;
  name?: string;
}

/** Body of `POST /tickets` (2.1). Times are UTC ISO-8601. */
export interface TicketPayload {
  subject: string;
  contact?: ContactRef;
  contactId?: string;
  status?: TicketStatus;
  priority?: TicketPriority;
  tags?: string[];
  customerId?: string;
  appId?: string;
  assignedToId?: string;
  createdAt: string;
  resolvedAt?: string;
  closedAt?: string;
  readOnly?: boolean;
  managedBy?: string;
  /** Known from the deployed service; only if the export or the settings have it. */
  channelId?: string;
}

/** How a body refers to the attachment (`cid:`). A symbol keeps it out of what is sent. */
export const CONTENT_ID: unique symbol = Symbol('contentId');

/** Only `url` is required (public facts). */
export interface AttachmentPayload {
  [CONTENT_ID]?: string;
  url: string;
  name?: string;
  contentType?: string;
  sizeBytes?: number;
}

/** `PUT /tickets/{id}/messages` (2.2). `id`: of a message in the helpdesk (delta). */
export interface MessagePayload {
  id?: string;
  actorType: ActorType;
  content: string;
  contentType?: ContentType;
  occurredAt: string;
  contact?: ContactRef;
  contactId?: string;
  agentId?: string;
  isInternal?: boolean;
  attachments?: AttachmentPayload[];
  messageId?: string;
  inReplyToId?: string;
  referencesIds?: string[];
}

export type MailIds = Pick<MessagePayload, 'messageId' | 'inReplyToId' | 'referencesIds'>;

/** `PUT /tickets/{id}/events` (2.4). Other types than a status change are passed through. */
export interface EventPayload {
  type: string;
  oldValue?: Record<string, unknown>;
  newValue?: Record<string, unknown>;
  actorType: ActorType;
  agentId?: string;
  contactId?: string;
  occurredAt: string;
}
