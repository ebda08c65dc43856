/**
 * Bodies of the Core API, built from the fields by which an export is checked. `stated`: the specification (2.1 to 2.4), for `--strict`.
 * `deployed`: also the fields of a deployed service (public facts).
 */
import { z } from 'zod';
import { type Definition, define, defineList, list, optional } from '../../check/definition.ts';
import {
  acceptedTimes,
  eventFields,
  eventRules,
  id,
  messageFields,
  messageRules,
  oneContact,
  ticketFields,
  time,
  type Without,
} from '../../check/payloads.ts';
import {
  type EventPayload,
  type MessagePayload,
  STATUS_CHANGE_TYPES,
  type TicketPayload,
} from '../../domain/payload.ts';

function schemaOf<Body>(definition: Definition<Body>): z.ZodType<Body> {
  return z.unknown().transform((value, context): Body => {
    const judged = definition.judge(value);
    if ('record' in judged) return judged.record;
    for (const { path, message } of judged.faults)
      context.addIssue({ code: 'custom', message, path: keysOf(path) });
    return z.NEVER;
  });
}

/** `[1].contact.email` as a zod path. */
function keysOf(path: string): (string | number)[] {
  return (path.match(/[^.[\]]+/g) ?? []).map((key) => (/^\d+$/.test(key) ? Number(key) : key));
}

type StatedTicket = Without<Omit<TicketPayload, 'channelId' | 'contactIds'>, 'createdAt'>;
export type TicketBody = StatedTicket & {
  channelId?: string;
  contactIds?: string[];
  lastMessageAt?: string;
  updatedAt?: string;
};
export type TicketChanges = Partial<Omit<TicketBody, 'createdAt' | 'resolvedAt' | 'closedAt' | 'contactIds'>>;
export type MessageBody = Without<MessagePayload, 'occurredAt' | 'actorType'>;
export type EventBody = Without<EventPayload, 'occurredAt'>;

const { channelId, ...statedTicket } = { ...ticketFields, ...acceptedTimes };
const known = {
  channelId,
  contactIds: optional(list(id)),
  lastMessageAt: optional(time),
  updatedAt: optional(time),
};
const { createdAt: _, resolvedAt: _r, closedAt: _c, ...changeable } = statedTicket;
const { contactIds: _ids, ...knownChangeable } = known;

const { contactId: _contactId, ...statedEvent } = { ...eventFields, occurredAt: optional(time) };
const aboutEvents = eventRules(STATUS_CHANGE_TYPES);
const deployedEvent = define<EventBody>({ ...eventFields, occurredAt: optional(time) }, aboutEvents);

const {
  id: _id,
  messageId,
  inReplyToId,
  referencesIds,
  ...statedMessage
} = {
  ...messageFields,
  occurredAt: optional(time),
};
const deployedMessage = define<MessageBody>(
  {
    id: messageFields.id,
    ...statedMessage,
    messageId,
    inReplyToId,
    referencesIds,
    actorType: optional(messageFields.actorType),
  },
  messageRules,
);

export interface CoreBodies {
  readonly ticket: z.ZodType<TicketBody>;
  readonly messages: z.ZodType<MessageBody[]>;
  readonly events: z.ZodType<EventBody[]>;
}

export const stated: CoreBodies = {
  ticket: schemaOf<TicketBody>(define<StatedTicket>(statedTicket, [oneContact])),
  messages: schemaOf<MessageBody[]>(
    defineList(
      define<
        Omit<Without<MessagePayload, 'occurredAt'>, 'id' | 'messageId' | 'inReplyToId' | 'referencesIds'>
      >(statedMessage, messageRules),
    ),
  ),
  events: schemaOf<EventBody[]>(defineList(define<Omit<EventBody, 'contactId'>>(statedEvent, aboutEvents))),
};

export const deployed: CoreBodies = {
  ticket: schemaOf(define<TicketBody>({ ...statedTicket, ...known }, [oneContact])),
  messages: schemaOf(defineList(deployedMessage)),
  events: schemaOf(defineList(deployedEvent)),
};

export const ticketChanges = schemaOf(
  define<TicketChanges>({ ...changeable, ...knownChangeable, subject: optional(ticketFields.subject) }, [
    oneContact,
  ]),
);
