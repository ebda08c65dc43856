/**
 * Definitions of ticket, message and event (2.1 to 2.4), for checking and the sandbox, which also accepts bodies without times.
 * Unknown fields are faults.
 */
import { z } from 'zod';
import {
  ACTOR_TYPES,
  CONTENT_TYPES,
  type EventPayload,
  type MessagePayload,
  TICKET_PRIORITIES,
  TICKET_STATUSES,
  type TicketPayload,
} from '../domain/payload.ts';
import { isJsonObject } from '../domain/source-file.ts';
import { isInstant, isPlainTime } from '../domain/written-time.ts';
import { NO_CONTACT, notListed } from './advice.ts';
import { type Definition, define, type Rule } from './definition.ts';
import { isEmail } from './people.ts';

const isFilled = (value: string): boolean => value.trim() !== '';
const isWebAddress = (value: string): boolean => /^https?:\/\/[^\s/]/i.test(value) && URL.canParse(value);

export const id = z.string().refine(isFilled, 'Must not be empty.');
export const time = z.string().refine(isInstant, 'Must be an ISO-8601 time with an offset from UTC.');
/** times.ts has checked that it exists. */
const sentTime = z.string().refine(isPlainTime, 'Must be a time in UTC.');
const text = z.string();
const contact = z.strictObject({
  email: text.refine(isEmail, 'Must be an e-mail address.'),
  name: text.optional(),
});

const rule =
  (isKept: (record: Parameters<Rule>[0]) => boolean, fault: NonNullable<ReturnType<Rule>>): Rule =>
  (record) =>
    isKept(record) ? undefined : fault;

/** Either one (2.1, 2.2). */
export const oneContact = rule(({ contact, contactId }) => contact === undefined || contactId === undefined, {
  path: 'contactId',
  kind: 'contact-and-contact-id',
  message: 'Either contact or contactId, not both.',
});

export const ticketFields = {
  subject: id,
  contact: contact.optional(),
  contactId: id.optional(),
  status: z.enum(TICKET_STATUSES).optional(),
  priority: z.enum(TICKET_PRIORITIES).optional(),
  tags: z.array(text).optional(),
  customerId: id.optional(),
  appId: id.optional(),
  assignedToId: id.optional(),
  createdAt: sentTime,
  resolvedAt: sentTime.optional(),
  closedAt: sentTime.optional(),
  readOnly: z.boolean().optional(),
  managedBy: text.optional(),
  channelId: id.optional(),
};
export const acceptedTimes = {
  createdAt: time.optional(),
  resolvedAt: time.optional(),
  closedAt: time.optional(),
};

export type Without<Record, Key extends keyof Record> = Omit<Record, Key> & Partial<Pick<Record, Key>>;

export const ticketPayload = define<TicketPayload>(ticketFields, [oneContact]);

/** 2.3 requires no field; without `url` there is nothing to attach. */
const attachment = z.strictObject({
  url: text.refine(isWebAddress, 'Must be an absolute http(s) URL.'),
  name: text.optional(),
  contentType: text.optional(),
  sizeBytes: z.int().min(0).optional(),
});
export const ATTACHMENT_FIELDS = Object.keys(attachment.shape);

const actorType = z.enum(ACTOR_TYPES);
export const messageFields = {
  id: id.optional(),
  actorType,
  content: text,
  contentType: z.enum(CONTENT_TYPES).optional(),
  occurredAt: sentTime,
  contact: contact.optional(),
  contactId: id.optional(),
  agentId: id.optional(),
  isInternal: z.boolean().optional(),
  attachments: z.array(attachment).optional(),
  messageId: id.optional(),
  inReplyToId: id.optional(),
  referencesIds: z.array(id).optional(),
};

const agentHasId = (kind: string, message: string): Rule =>
  rule(({ actorType, agentId }) => actorType !== 'agent' || agentId !== undefined, {
    ...{ path: 'agentId', kind, message },
  });

export const messageRules = [
  oneContact,
  rule(
    ({ actorType, contact, contactId }) =>
      actorType !== 'customer' || contact !== undefined || contactId !== undefined,
    { path: 'contact.email', message: 'A customer message needs contact or contactId.', kind: NO_CONTACT },
  ),
  agentHasId('missing-agent:message', 'An agent message needs agentId.'),
  rule(
    ({ content, attachments }) =>
      typeof content !== 'string' ||
      isFilled(content) ||
      (Array.isArray(attachments) && attachments.length > 0),
    {
      path: 'content',
      kind: 'empty-content',
      message: 'Must not be empty without an attachment.',
    },
  ),
];

export const messagePayload = define<MessagePayload>(messageFields, messageRules);

const values = z.record(z.string(), z.unknown());
export const eventFields = {
  type: id,
  oldValue: values.optional(),
  newValue: values.optional(),
  actorType,
  agentId: id.optional(),
  contactId: id.optional(),
  occurredAt: sentTime,
};

/** Their values must be statuses. */
export function eventRules(statusChangeTypes: readonly string[]): Rule[] {
  const statusOn =
    (side: 'oldValue' | 'newValue'): Rule =>
    (record) => {
      if (!statusChangeTypes.includes(record['type'] as string)) return undefined;
      const value = record[side];
      const status = isJsonObject(value) ? value['status'] : undefined;
      if (TICKET_STATUSES.some((known) => known === status)) return undefined;
      const path = `${side}.status`;
      const kind = `missing-event-status:${status === undefined ? 'missing' : 'word'}`;
      const data = notListed(path, status, TICKET_STATUSES);
      return { path, kind, data, message: 'A status change needs the status.' };
    };
  return [
    agentHasId('missing-agent:event', 'An event of an agent needs agentId.'),
    statusOn('oldValue'),
    statusOn('newValue'),
  ];
}

export function eventPayload(statusChangeTypes: readonly string[]): Definition<EventPayload> {
  return define<EventPayload>(eventFields, eventRules(statusChangeTypes));
}
