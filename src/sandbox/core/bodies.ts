/**
 * Bodies of the Core API. A strict service takes the fields of the specification (2.1 to 2.4), others also those of a deployed
 * service (public facts).
 */
import { z } from 'zod';
import { type Definition, define, defineList, type Rule } from '../../check/definition.ts';
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

export interface CoreBodies {
  readonly ticket: z.ZodType<TicketBody>;
  readonly messages: z.ZodType<MessageBody[]>;
  readonly events: z.ZodType<EventBody[]>;
}

const stated =
  (name: string, isNamed: boolean): Rule =>
  (record) => {
    if ((record[name] === undefined) !== isNamed) return undefined;
    const message = isNamed ? 'Required.' : 'The specification does not name this field.';
    return { path: name, code: 'specification', message, advice: '' };
  };

export function coreBodies(strict: boolean): CoreBodies {
  const unnamed = (...names: string[]) => (strict ? names.map((name) => stated(name, false)) : []);
  const times = { occurredAt: time.optional() };
  const message = { ...messageFields, ...times, actorType: messageFields.actorType.optional() };
  return {
    ticket: schemaOf(
      define<TicketBody>({ ...ticketFields, ...acceptedTimes }, [oneContact, ...unnamed('channelId')]),
    ),
    messages: schemaOf(
      defineList(
        define<MessageBody>(message, [
          ...messageRules,
          ...unnamed('id', 'messageId', 'inReplyToId', 'referencesIds'),
          ...(strict ? [stated('actorType', true)] : []),
        ]),
      ),
    ),
    events: schemaOf(
      defineList(
        define<EventBody>({ ...eventFields, ...times }, [
          ...eventRules(STATUS_CHANGE_TYPES),
          ...unnamed('contactId'),
        ]),
      ),
    ),
  };
}

const { createdAt, resolvedAt, closedAt, ...changeable } = ticketFields;

export const ticketChanges = schemaOf(
  define<TicketChanges>({ ...changeable, subject: ticketFields.subject.optional() }, [oneContact]),
);
