/**
 * What a ticket, a message and an event are: the bodies of the Core API, sections 2.1 to 2.4 of the specification, with the
 * rules by actor. Checking and the local service judge by the same definitions. Two forms of each: `…Body` is what the service
 * accepts (times may be left out, 2.1 and 2.2), `…Payload` is what this program sends (they are always there, in UTC).
 * Both are strict: a field that the API does not have is a fault.
 */
import {
  ACTOR_TYPES,
  type AttachmentPayload,
  CONTENT_TYPES,
  type ContactRef,
  type EventPayload,
  type MessagePayload,
  STATUS_CHANGE_TYPES,
  TICKET_PRIORITIES,
  TICKET_STATUSES,
  type TicketPayload,
} from '../domain/payload.ts';
import { isInstant, isPlainTime } from '../time/iso-time.ts';
import { readEpoch } from '../time/written-time.ts';
import {
  boolean,
  type Definition,
  define,
  defineList,
  type Field,
  list,
  notListed,
  object,
  oneOf,
  optional,
  type Rule,
  text,
  textThat,
  values,
  wholeNumber,
  wrongType,
} from './definition.ts';
import { isEmail } from './email.ts';
import { isRecord } from './fields.ts';
import { shown } from './findings.ts';

const isFilled = (value: string): boolean => value.trim() !== '';
const notText = wrongType('string');

/** A text that says something. */
const filled = (missing: { code: string; advice: string }, empty: { code: string; advice: string }) =>
  textThat(isFilled, 'Must not be empty.', (value, path) =>
    value === undefined ? missing : typeof value === 'string' ? empty : notText(value, path),
  );

const unusable = (code: string) => (value: unknown, path: string) =>
  typeof value === 'string'
    ? { code, advice: `${path} is ${shown(value)}, which the API does not take; correct it in the export.` }
    : notText(value, path);

export const id = textThat(isFilled, 'Must not be empty.', unusable('invalid-id'));

/** Code of a time that is not there: finding times reports that, or the problem that is to blame for it. */
export const MISSING_TIME = 'missing-time';
const adviseTime = (value: unknown, path: string) => {
  if (value === undefined) return { code: MISSING_TIME, advice: '' };
  if (typeof value !== 'number') return unusable('invalid-time')(value, path);
  const millis = readEpoch(String(value));
  const example = millis === undefined ? '2024-05-31T14:30:00Z' : new Date(millis).toISOString();
  // Only times that are passed on as they are come here as numbers.
  const counted =
    millis === undefined
      ? ''
      : ' if it counts from 1970, or have it read with "mapping: { extends: native, times: { format: auto } }" in the settings';
  return {
    code: 'invalid-type',
    advice: `${path} must be a time as text, not ${shown(value)}; write "${example}"${counted}.`,
  };
};
/** A time as the service accepts it. */
export const time = textThat(isInstant, 'Must be an ISO-8601 time with an offset from UTC.', adviseTime);
/** A time as it is sent. Whether there is such a day and hour was found out where it was read (times.ts). */
const sentTime = textThat(isPlainTime, 'Must be a time in UTC.', adviseTime);

const NO_ADDRESS = {
  code: 'invalid-email',
  advice: 'The contact has no e-mail address; add it, or leave the contact out.',
};
const NO_CONTACT = {
  code: 'missing-contact',
  advice:
    'The message is of a customer but has no contact; add its e-mail address (contact.email) or a contactId.',
};
const contact = (noAddress = NO_ADDRESS): Field<ContactRef> =>
  object({
    email: textThat(isEmail, 'Must be an e-mail address.', (value, path) =>
      value === undefined
        ? noAddress
        : typeof value === 'string'
          ? {
              code: 'invalid-email',
              advice: `${shown(value)} is not an e-mail address; write one address and nothing else.`,
            }
          : notText(value, path),
    ),
    name: optional(text()),
  });

/** `contactId` is an alternative to `contact` (2.1, 2.2). */
export const oneContact: Rule = ({ contact, contactId }) =>
  contact === undefined || contactId === undefined
    ? undefined
    : {
        path: 'contactId',
        code: 'contact-and-contact-id',
        message: 'Either contact or contactId, not both.',
        advice: 'contact and contactId are both there; keep one of them.',
      };

export const ticketFields = {
  subject: filled(
    { code: 'missing-subject', advice: 'The ticket has no subject; add one to the export.' },
    { code: 'empty-subject', advice: 'The subject is empty; write one in the export.' },
  ),
  contact: optional(contact()),
  contactId: optional(id),
  status: optional(oneOf(TICKET_STATUSES, 'invalid-status')),
  priority: optional(oneOf(TICKET_PRIORITIES, 'invalid-priority')),
  tags: optional(list(text())),
  customerId: optional(id),
  appId: optional(id),
  assignedToId: optional(id),
  createdAt: sentTime,
  resolvedAt: optional(sentTime),
  closedAt: optional(sentTime),
  readOnly: optional(boolean()),
  managedBy: optional(text()),
  channelId: optional(id),
};
export const acceptedTimes = {
  createdAt: optional(time),
  resolvedAt: optional(time),
  closedAt: optional(time),
};

/** A field that the service fills in where it is left out. */
export type Without<Record, Key extends keyof Record> = Omit<Record, Key> & Partial<Pick<Record, Key>>;

/** The body of `POST /tickets` as this program sends it, but for what the settings alone say. */
export const ticketPayload = define<TicketPayload>(ticketFields, [oneContact]);
/** The body of `POST /tickets` as the service accepts it (2.1). */
export const ticketBody = define<Without<TicketPayload, 'createdAt'>>({ ...ticketFields, ...acceptedTimes }, [
  oneContact,
]);

const isWebAddress = (value: string): boolean => /^https?:\/\/[^\s/]/i.test(value) && URL.canParse(value);
const attachmentAdvice = (advice: (value: unknown) => string) => (value: unknown) => ({
  code: 'invalid-attachment',
  advice: advice(value),
});
const attachmentText = (name: string) =>
  text(attachmentAdvice((value) => `The ${name} of the attachment must be text, not ${shown(value)}.`));

/** 2.3. Which fields are required is not shown; without `url` there is nothing to attach. */
const ATTACHMENT = {
  url: textThat(
    isWebAddress,
    'Must be an absolute http(s) URL.',
    attachmentAdvice((value) =>
      value === undefined
        ? 'The attachment has no url; add the address of the file.'
        : `${shown(value)} is not the address of a file; write it in full, beginning with https:// or http://.`,
    ),
  ),
  name: optional(attachmentText('name')),
  contentType: optional(attachmentText('contentType')),
  sizeBytes: optional(
    wholeNumber(
      attachmentAdvice(
        (value) =>
          `The size of the attachment is ${shown(value)}; write a whole number of bytes, or leave it out.`,
      ),
    ),
  ),
};
export const ATTACHMENT_FIELDS = Object.keys(ATTACHMENT);
const noAttachment = attachmentAdvice(
  (value) => `An attachment must be an object with a url, not ${shown(value)}.`,
);

const actorType = oneOf(
  ACTOR_TYPES,
  'invalid-actor',
  'actorType is missing; it must be customer, agent or system.',
);

export const messageFields = {
  id: optional(id),
  actorType,
  content: text((value, path) =>
    value === undefined
      ? {
          code: 'missing-content',
          advice: 'The message has no content; add it to the export, or leave the message out.',
        }
      : notText(value, path),
  ),
  contentType: optional(oneOf(CONTENT_TYPES, 'invalid-content-type')),
  occurredAt: sentTime,
  contact: optional(contact()),
  contactId: optional(id),
  agentId: optional(id),
  isInternal: optional(boolean()),
  attachments: optional(list(object<AttachmentPayload>(ATTACHMENT, noAttachment), noAttachment)),
  messageId: optional(id),
  inReplyToId: optional(id),
  referencesIds: optional(list(id)),
};

const customerHasContact: Rule = ({ actorType, contact, contactId }) =>
  actorType !== 'customer' || contact !== undefined || contactId !== undefined
    ? undefined
    : {
        path: 'contact.email',
        code: NO_CONTACT.code,
        message: 'A customer message needs contact or contactId.',
        advice: NO_CONTACT.advice,
      };

const agentHasId =
  (what: string, message: string): Rule =>
  ({ actorType, agentId }) =>
    actorType !== 'agent' || agentId !== undefined
      ? undefined
      : {
          path: 'agentId',
          code: 'missing-agent',
          message,
          advice: `The ${what} is of an agent but has no agentId; add the id of a team member.`,
        };

const saysSomething: Rule = ({ content, attachments }) =>
  typeof content !== 'string' || isFilled(content) || (Array.isArray(attachments) && attachments.length > 0)
    ? undefined
    : {
        path: 'content',
        code: 'empty-content',
        message: 'Must not be empty without an attachment.',
        advice: 'The message has neither content nor an attachment; fill it in, or leave the message out.',
      };

export const messageRules = [
  oneContact,
  customerHasContact,
  agentHasId('message', 'An agent message needs agentId.'),
  saysSomething,
];

/** One element of the messages body as this program sends it. */
export const messagePayload = define<MessagePayload>(messageFields, messageRules);
/** The same of a customer, where a contact without an address is told as no contact. */
export const customerMessagePayload = define<MessagePayload>(
  { ...messageFields, contact: optional(contact(NO_CONTACT)) },
  messageRules,
);
/** The body of `PUT /tickets/{id}/messages` as the service accepts it (2.2, 4.2). */
export const messagesBody = defineList(
  define<Without<MessagePayload, 'occurredAt'>>(
    { ...messageFields, occurredAt: optional(time) },
    messageRules,
  ),
);

export const eventFields = {
  type: filled(
    { code: 'invalid-event-type', advice: 'The event has no type; add it, for example status_change.' },
    {
      code: 'invalid-event-type',
      advice: 'The type of the event is empty; write it, for example status_change.',
    },
  ),
  oldValue: optional(values()),
  newValue: optional(values()),
  actorType,
  agentId: optional(id),
  contactId: optional(id),
  occurredAt: sentTime,
};

/** `statusChangeTypes`: the types whose values must hold statuses. */
export function eventRules(statusChangeTypes: readonly string[]): Rule[] {
  const statusOn =
    (side: 'oldValue' | 'newValue'): Rule =>
    (record) => {
      if (!statusChangeTypes.includes(record['type'] as string)) return undefined;
      const value = record[side];
      const status = isRecord(value) ? value['status'] : undefined;
      if (isStatus(status)) return undefined;
      const path = `${side}.status`;
      return {
        path,
        code: 'missing-event-status',
        message: 'A status change needs the status.',
        advice:
          status === undefined
            ? `A status change needs ${path}; add open, pending, resolved or closed.`
            : notListed(path, status, TICKET_STATUSES),
      };
    };
  return [
    agentHasId('event', 'An event of an agent needs agentId.'),
    statusOn('oldValue'),
    statusOn('newValue'),
  ];
}

const isStatus = (value: unknown): boolean => TICKET_STATUSES.some((status) => status === value);

/** One element of the events body as this program sends it. */
export function eventPayload(statusChangeTypes: readonly string[]): Definition<EventPayload> {
  return define<EventPayload>(eventFields, eventRules(statusChangeTypes));
}

/** The body of `PUT /tickets/{id}/events` as the service accepts it (2.4, 4.3). */
export const eventsBody = defineList(
  define<Without<EventPayload, 'occurredAt'>>(
    { ...eventFields, occurredAt: optional(time) },
    eventRules(STATUS_CHANGE_TYPES),
  ),
);
