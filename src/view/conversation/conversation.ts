/** A ticket as it will look, cut to what a report can hold; cuts are counted. Pure. */
import type { AttachmentPayload, EventPayload, MessagePayload } from '../../domain/payload.ts';
import type { CheckedTicket } from '../../domain/ticket.ts';

export type ShownAttachment = {
  readonly [K in keyof AttachmentPayload]: AttachmentPayload[K] | undefined;
} & { readonly url: string };

export interface ConversationMessage
  extends Required<Pick<MessagePayload, 'isInternal' | 'occurredAt' | 'contentType' | 'content'>> {
  readonly kind: 'message';
  readonly author: MessagePayload['actorType'] | '';
  /** Customer, agent, or the agent's ID. */
  readonly name?: string | undefined;
  readonly email?: string | undefined;
  /** Characters of the whole message, if cut. */
  readonly cutFrom?: number | undefined;
  readonly attachments: readonly ShownAttachment[];
  readonly moreAttachments: number;
}

export interface ConversationEvent {
  readonly kind: 'event';
  readonly what: string;
  readonly before?: string | undefined;
  readonly after?: string | undefined;
  /** Other values may be personal. */
  readonly isStatus: boolean;
  readonly author: 'customer' | 'agent' | 'system';
  readonly name?: string | undefined;
  readonly occurredAt: string;
}

export type ConversationEntry =
  | ConversationMessage
  | ConversationEvent
  | { readonly kind: 'gap'; readonly entries: number };

export interface Conversation {
  readonly externalId: string;
  readonly why: readonly string[];
  readonly subject: string;
  readonly contact?: { readonly email: string; readonly name?: string | undefined } | undefined;
  readonly status: string;
  readonly priority: string;
  readonly tags: readonly string[];
  readonly assignee?: string | undefined;
  readonly createdAt: string;
  readonly resolvedAt?: string | undefined;
  readonly closedAt?: string | undefined;
  readonly readOnly: boolean;
  readonly managedBy?: string | undefined;
  readonly messages: number;
  readonly events: number;
  readonly entries: readonly ConversationEntry[];
}

/** With an ellipsis; never cuts within a character. */
export function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  const end = /[\ud800-\udbff]/.test(text[most - 1] ?? '') ? most - 1 : most;
  return `${text.slice(0, end)}…`;
}

/** Entries at the beginning and at the end of a thread that are shown; a thread up to both together is shown whole. */
const FIRST = 8;
const LAST = 4;
const LONGEST = { text: 1500, markdown: 1500, html: 3000 } as const;
const MOST_ATTACHMENTS = 5;
/** Half of an address would lead elsewhere. */
const LONGEST_ADDRESS = 500;
const MOST_TAGS = 20;
const LONGEST_LINE = 300;

function short<T extends string | undefined>(text: T, most = LONGEST_LINE): T {
  return (text === undefined ? undefined : cut(text, most)) as T;
}

/** `nameOf`: the newest name, which is sent. `agentName`: the export's, which is not. */
export function conversationOf(
  {
    externalId,
    ticket,
    messages: said,
    events,
    note,
  }: Pick<CheckedTicket, 'externalId' | 'ticket' | 'messages' | 'events' | 'note'>,
  why: readonly string[],
  nameOf: (email: string) => string | undefined,
  agentName: (agentId: string) => string | undefined = () => undefined,
): Conversation {
  const { contact, status = 'open', priority = 'normal', tags = [] } = ticket;
  const messages = note === undefined ? said : [...said, note];
  const agent = (id: string | undefined) => (id === undefined ? undefined : short(agentName(id) ?? id));
  const authorOf = ({ actorType, agentId, contact: author, contactId }: MessagePayload) =>
    actorType === 'agent'
      ? agent(agentId)
      : short(author === undefined ? contactId : (nameOf(author.email) ?? author.name));
  return {
    externalId,
    why,
    subject: short(ticket.subject),
    contact: contact && { email: short(contact.email), name: short(nameOf(contact.email) ?? contact.name) },
    status,
    priority,
    tags: tags.slice(0, MOST_TAGS).map((tag) => short(tag)),
    assignee: agent(ticket.assignedToId),
    createdAt: ticket.createdAt,
    resolvedAt: ticket.resolvedAt,
    closedAt: ticket.closedAt,
    readOnly: ticket.readOnly === true,
    managedBy: short(ticket.managedBy),
    messages: messages.length,
    events: events.length,
    entries: entriesOf(messages, events, (message) => shownMessage(message, authorOf(message))),
  };
}

/** At one time messages come first, then the order of sending. Unshown bodies are not touched. */
function entriesOf(
  messages: readonly MessagePayload[],
  events: readonly EventPayload[],
  shownOf: (message: MessagePayload) => ConversationMessage,
): ConversationEntry[] {
  const all = [...messages, ...events].sort((a, b) => Date.parse(a.occurredAt) - Date.parse(b.occurredAt));
  const shown = (entries: typeof all) =>
    entries.map((entry) => ('content' in entry ? shownOf(entry) : shownEvent(entry)));
  if (all.length <= FIRST + LAST) return shown(all);
  const gap = { kind: 'gap', entries: all.length - FIRST - LAST } as const;
  return [...shown(all.slice(0, FIRST)), gap, ...shown(all.slice(-LAST))];
}

function shownMessage(message: MessagePayload, name: string | undefined): ConversationMessage {
  const { actorType, contentType = 'text', content, attachments = [], contact } = message;
  const most = LONGEST[contentType];
  return {
    kind: 'message',
    author: actorType,
    name,
    email: short(contact?.email),
    isInternal: message.isInternal === true,
    occurredAt: message.occurredAt,
    contentType,
    content: cut(content, most),
    cutFrom: content.length > most ? content.length : undefined,
    attachments: attachments.slice(0, MOST_ATTACHMENTS).map((file) => ({
      url: file.url.length > LONGEST_ADDRESS ? '' : file.url,
      name: short(file.name),
      contentType: short(file.contentType, 100),
      sizeBytes: file.sizeBytes,
    })),
    moreAttachments: Math.max(0, attachments.length - MOST_ATTACHMENTS),
  };
}

type Value = Readonly<Record<string, unknown>> | undefined;

export function shownEvent({
  type,
  oldValue,
  newValue,
  actorType,
  occurredAt,
}: Pick<EventPayload, 'type' | 'actorType' | 'occurredAt'> & {
  readonly oldValue?: Value;
  readonly newValue?: Value;
}): ConversationEvent {
  // The specification says `status_change`, deployed services `status_changed`.
  const isStatus = type === 'status_change' || type === 'status_changed';
  return {
    kind: 'event',
    what: isStatus ? 'changed the status' : cut(type.replaceAll('_', ' '), 60),
    before: valueText(oldValue),
    after: valueText(newValue),
    isStatus,
    author: actorType,
    occurredAt,
  };
}

function valueText(value: Value): string | undefined {
  if (value === undefined) return undefined;
  const fields = Object.values(value);
  const [only] = fields;
  return cut(fields.length === 1 && typeof only !== 'object' ? String(only) : JSON.stringify(value), 120);
}
