/**
 * Definitions of ticket, message and event (specification, 2.1 to 2.4), with the rules by actor, for checking and the sandbox. The sandbox
 * also accepts bodies without times (2.1, 2.2). Unknown fields are faults.
 */

import {
  ACTOR_TYPES,
  type AttachmentPayload,
  CONTENT_TYPES,
  type ContactRef,
  type EventPayload,
  type MessagePayload,
  TICKET_PRIORITIES,
  TICKET_STATUSES,
  type TicketPayload,
} from '../domain/payload.ts';
import { isJsonObject } from '../domain/source-file.ts';
import { isInstant, isPlainTime } from '../time/iso-time.ts';
import { readEpoch } from '../time/written-time.ts';
import {
  type Advise,
  boolean,
  type Definition,
  define,
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
import { shown } from './findings.ts';

const isFilled = (value: string): boolean => value.trim() !== '';
const notText = wrongType('string');

/** Advice for a missing value, a wrong text, and another type. */
const adviseText =
  (missing: ReturnType<Advise>, wrong: Advise): Advise =>
  (value, path) =>
    value === undefined ? missing : typeof value === 'string' ? wrong(value, path) : notText(value, path);

const unusable =
  (code: string): Advise =>
  (value, path) => {
    if (typeof value !== 'string') return notText(value, path);
    return {
      code,
      advice: `${path} is ${shown(value)}, which the API does not take; correct it in the export.`,
    };
  };

export const id = textThat(isFilled, 'Must not be empty.', unusable('invalid-id'));

/** Code of a missing time, which times.ts reports. */
export const MISSING_TIME = 'missing-time';
const adviseTime: Advise = (value, path) => {
  if (value === undefined) return { code: MISSING_TIME, advice: '' };
  if (typeof value !== 'number') return unusable('invalid-time')(value, path);
  // only unconverted times are numbers here
  const millis = readEpoch(String(value));
  const example = millis === undefined ? '2024-05-31T14:30:00Z' : new Date(millis).toISOString();
  const counted =
    millis === undefined
      ? ''
      : ' if it counts from 1970, or have it read with "mapping: { extends: native, times: { format: auto } }" in the settings';
  return {
    code: 'invalid-type',
    advice: `${path} must be a time as text, not ${shown(value)}; write "${example}"${counted}.`,
  };
};
/** A time that the service accepts. */
export const time = textThat(isInstant, 'Must be an ISO-8601 time with an offset from UTC.', adviseTime);
/** A time as sent; times.ts has checked that it exists. */
const sentTime = textThat(isPlainTime, 'Must be a time in UTC.', adviseTime);

const NO_CONTACT = {
  code: 'missing-contact',
  advice:
    'The message is of a customer but has no contact; add its e-mail address (contact.email) or a contactId.',
};
const NO_ADDRESS = {
  code: 'invalid-email',
  advice: 'The contact has no e-mail address; add it, or leave the contact out.',
};
const contact = (noAddress = NO_ADDRESS): Field<ContactRef> =>
  object({
    email: textThat(
      isEmail,
      'Must be an e-mail address.',
      adviseText(noAddress, (value) => ({
        code: 'invalid-email',
        advice: `${shown(value)} is not an e-mail address; write one address and nothing else.`,
      })),
    ),
    name: optional(text()),
  });

/** A rule over several fields. */
const rule =
  (isKept: (record: Parameters<Rule>[0]) => boolean, fault: NonNullable<ReturnType<Rule>>): Rule =>
  (record) =>
    isKept(record) ? undefined : fault;

/** `contactId` is an alternative to `contact` (2.1, 2.2). */
export const oneContact = rule(({ contact, contactId }) => contact === undefined || contactId === undefined, {
  path: 'contactId',
  code: 'contact-and-contact-id',
  message: 'Either contact or contactId, not both.',
  advice: 'contact and contactId are both there; keep one of them.',
});

export const ticketFields = {
  subject: textThat(
    isFilled,
    'Must not be empty.',
    adviseText(
      { code: 'missing-subject', advice: 'The ticket has no subject; add one to the export.' },
      () => ({ code: 'empty-subject', advice: 'The subject is empty; write one in the export.' }),
    ),
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

/** A field with a default of the service. */
export type Without<Record, Key extends keyof Record> = Omit<Record, Key> & Partial<Pick<Record, Key>>;

/** The body of `POST /tickets`, without fields from the settings. */
export const ticketPayload = define<TicketPayload>(ticketFields, [oneContact]);

const isWebAddress = (value: string): boolean => /^https?:\/\/[^\s/]/i.test(value) && URL.canParse(value);
const attachmentAdvice =
  (advice: (value: unknown) => string): Advise =>
  (value) => ({ code: 'invalid-attachment', advice: advice(value) });
const attachmentText = (name: string) =>
  text(attachmentAdvice((value) => `The ${name} of the attachment must be text, not ${shown(value)}.`));

/** 2.3. Required fields are not stated; without `url` there is nothing to attach. */
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

const agentHasId = (what: string, message: string): Rule =>
  rule(({ actorType, agentId }) => actorType !== 'agent' || agentId !== undefined, {
    path: 'agentId',
    code: 'missing-agent',
    message,
    advice: `The ${what} is of an agent but has no agentId; add the id of a team member.`,
  });

export const messageRules = [
  oneContact,
  rule(
    ({ actorType, contact, contactId }) =>
      actorType !== 'customer' || contact !== undefined || contactId !== undefined,
    { path: 'contact.email', message: 'A customer message needs contact or contactId.', ...NO_CONTACT },
  ),
  agentHasId('message', 'An agent message needs agentId.'),
  rule(
    ({ content, attachments }) =>
      typeof content !== 'string' ||
      isFilled(content) ||
      (Array.isArray(attachments) && attachments.length > 0),
    {
      path: 'content',
      code: 'empty-content',
      message: 'Must not be empty without an attachment.',
      advice: 'The message has neither content nor an attachment; fill it in, or leave the message out.',
    },
  ),
];

/** One element of the messages body. */
export const messagePayload = define<MessagePayload>(messageFields, messageRules);
/** The same for a customer: a contact without an address is no contact. */
export const customerMessagePayload = define<MessagePayload>(
  { ...messageFields, contact: optional(contact(NO_CONTACT)) },
  messageRules,
);

export const eventFields = {
  type: textThat(
    isFilled,
    'Must not be empty.',
    adviseText(
      { code: 'invalid-event-type', advice: 'The event has no type; add it, for example status_change.' },
      () => ({
        code: 'invalid-event-type',
        advice: 'The type of the event is empty; write it, for example status_change.',
      }),
    ),
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
      const status = isJsonObject(value) ? value['status'] : undefined;
      if (TICKET_STATUSES.some((known) => known === status)) return undefined;
      const path = `${side}.status`;
      const advice =
        status === undefined
          ? `A status change needs ${path}; add open, pending, resolved or closed.`
          : notListed(path, status, TICKET_STATUSES);
      return { path, code: 'missing-event-status', message: 'A status change needs the status.', advice };
    };
  return [
    agentHasId('event', 'An event of an agent needs agentId.'),
    statusOn('oldValue'),
    statusOn('newValue'),
  ];
}

/** One element of the events body. */
export function eventPayload(statusChangeTypes: readonly string[]): Definition<EventPayload> {
  return define<EventPayload>(eventFields, eventRules(statusChangeTypes));
}
