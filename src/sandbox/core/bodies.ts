/** Bodies of the Core API, of the specification (2.1 to 2.4) and of a deployed service (public facts). Other fields are refused. */
import { z } from 'zod';
import { type Definition, define, defineList } from '../../check/definition.ts';
import {
  acceptedTimes,
  eventFields,
  eventRules,
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
      context.addIssue({ code: 'custom', message, path: [path] });
    return z.NEVER;
  });
}

export type TicketBody = Without<TicketPayload, 'createdAt'>;
export type TicketChanges = Partial<Omit<TicketBody, 'createdAt' | 'resolvedAt' | 'closedAt'>>;
export type MessageBody = Without<MessagePayload, 'occurredAt' | 'actorType'>;
export type EventBody = Without<EventPayload, 'occurredAt'>;

const times = { occurredAt: time.optional() };

export const ticketBody = schemaOf(define<TicketBody>({ ...ticketFields, ...acceptedTimes }, [oneContact]));

export const messageBodies = schemaOf(
  defineList(
    define<MessageBody>(
      { ...messageFields, ...times, actorType: messageFields.actorType.optional() },
      messageRules,
    ),
  ),
);

export const eventBodies = schemaOf(
  defineList(define<EventBody>({ ...eventFields, ...times }, eventRules(STATUS_CHANGE_TYPES))),
);

const { createdAt, resolvedAt, closedAt, ...changeable } = ticketFields;

export const ticketChanges = schemaOf(
  define<TicketChanges>({ ...changeable, subject: ticketFields.subject.optional() }, [oneContact]),
);
