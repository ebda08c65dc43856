/**
 * The bodies of the Core API as schemas: sections 2.1 to 2.4 of the specification, complete, with the rules by actor.
 * Two forms of each: `…Body` is what the service accepts (times may be left out, 2.1 and 2.2), `…Payload` is what this
 * program sends (they are always there). Both are strict: a field that the API does not have is an issue.
 *
 * Rules beyond one field carry the code of a problem in `params.problem`; they are judged even where single fields are
 * wrong, so that one look at a record tells everything.
 */
import { z } from 'zod';
import {
  ACTOR_TYPES,
  CONTENT_TYPES,
  type EventPayload,
  type MessagePayload,
  STATUS_CHANGE_TYPES,
  TICKET_PRIORITIES,
  TICKET_STATUSES,
  type TicketPayload,
} from '../domain/payload.ts';
import { isInstant } from '../time/iso-time.ts';
import { isEmail } from './email.ts';

/** A rule over several fields that a record breaks. */
interface Breach {
  readonly problem: string;
  /** The field to correct, with dots. */
  readonly path: string;
  readonly message: string;
}

/** Fields as they come: each of them may be wrong or missing. */
interface Fields {
  readonly type?: unknown;
  readonly actorType?: unknown;
  readonly contact?: unknown;
  readonly contactId?: unknown;
  readonly agentId?: unknown;
  readonly content?: unknown;
  readonly attachments?: unknown;
  readonly oldValue?: unknown;
  readonly newValue?: unknown;
}
type Rule = (value: Fields) => readonly Breach[];

const NO_BREACH: readonly Breach[] = [];

/**
 * An object with exactly these fields and a rule over them. Good values take a compiled path; all others the plain one,
 * which tells of the rule too where single fields are wrong (zod leaves that out unless `when` says otherwise, and does
 * not compile `when`).
 */
function body<Shape extends z.core.$ZodLooseShape>(shape: Shape, rule: Rule) {
  const object = z.strictObject(shape);
  const compileQuick = () => z.compile(object.refine((value) => rule(value) === NO_BREACH));
  /** Compiled when first needed: a command that checks nothing does not wait for it. */
  let quick: ReturnType<typeof compileQuick> | undefined;
  const thorough = object.superRefine(
    (value, context) => {
      for (const { problem, path, message } of rule(value))
        context.addIssue({ code: 'custom', path: path.split('.'), ...named(problem, message) });
    },
    { when: (payload) => isRecord(payload.value) },
  );
  return z.withParser(thorough, (input) => {
    quick ??= compileQuick();
    const result = quick.safeParse(input);
    return result.success ? result.data : z.INVALID;
  });
}

const named = (problem: string, message: string) => ({ message, params: { problem } });

const time = z
  .string()
  .refine(isInstant, named('invalid-time', 'Must be an ISO-8601 time with an offset from UTC.'));
const id = z.string().refine(isFilled, named('invalid-id', 'Must not be empty.'));
const email = z.string().refine(isEmail, named('invalid-email', 'Must be an e-mail address.'));
const contact = z.strictObject({ email, name: z.string().exactOptional() });

const ticketShape = {
  subject: z.string().refine(isFilled, named('empty-subject', 'Must not be empty.')),
  contact: contact.exactOptional(),
  contactId: id.exactOptional(),
  status: z.enum(TICKET_STATUSES).exactOptional(),
  priority: z.enum(TICKET_PRIORITIES).exactOptional(),
  tags: z.array(z.string()).exactOptional(),
  customerId: id.exactOptional(),
  appId: id.exactOptional(),
  assignedToId: id.exactOptional(),
  createdAt: time,
  resolvedAt: time.exactOptional(),
  closedAt: time.exactOptional(),
  readOnly: z.boolean().exactOptional(),
  managedBy: z.string().exactOptional(),
};

/** The body of `POST /tickets` as this program sends it. */
export const ticketPayload = body(ticketShape, oneContact);
/** The body of `POST /tickets` as the service accepts it (2.1). */
export const ticketBody = body({ ...ticketShape, createdAt: time.exactOptional() }, oneContact);

/** 2.3. Which fields are required is not shown; without `url` there is nothing to attach. */
const attachment = z.strictObject({
  url: z.string().refine(isWebAddress, named('invalid-attachment', 'Must be an absolute http(s) URL.')),
  name: z.string().exactOptional(),
  contentType: z.string().exactOptional(),
  sizeBytes: z.int().nonnegative().exactOptional(),
});

const messageShape = {
  id: id.exactOptional(),
  actorType: z.enum(ACTOR_TYPES),
  content: z.string(),
  contentType: z.enum(CONTENT_TYPES).exactOptional(),
  occurredAt: time,
  contact: contact.exactOptional(),
  contactId: id.exactOptional(),
  agentId: id.exactOptional(),
  isInternal: z.boolean().exactOptional(),
  attachments: z.array(attachment).exactOptional(),
  messageId: id.exactOptional(),
  inReplyToId: id.exactOptional(),
  referencesIds: z.array(id).exactOptional(),
};

/** One element of the messages body as this program sends it. */
export const messagePayload = body(messageShape, messageRule);
/** The body of `PUT /tickets/{id}/messages` as the service accepts it (2.2, 4.2). */
export const messagesBody = z.array(body({ ...messageShape, occurredAt: time.exactOptional() }, messageRule));

export interface EventSchemaRules {
  /** The types whose values must hold statuses. */
  readonly statusChangeTypes: readonly string[];
  /** Whether the event of a customer must say which contact it was (public facts; the specification is silent). */
  readonly customerNeedsContactId: boolean;
}

const eventShape = {
  type: z.string().refine(isFilled, named('invalid-event-type', 'Must not be empty.')),
  oldValue: z.record(z.string(), z.unknown()).exactOptional(),
  newValue: z.record(z.string(), z.unknown()).exactOptional(),
  actorType: z.enum(ACTOR_TYPES),
  agentId: id.exactOptional(),
  contactId: id.exactOptional(),
  occurredAt: time,
};

/** One element of the events body as this program sends it. */
export function eventPayloadSchema(rules: EventSchemaRules) {
  return body(eventShape, eventRule(rules));
}

/** What a ticket and its records must be to be sent. */
export interface PayloadSchemas {
  readonly ticket: z.ZodType<TicketPayload>;
  readonly message: z.ZodType<MessagePayload>;
  readonly event: z.ZodType<EventPayload>;
}

export function payloadSchemas(rules: EventSchemaRules): PayloadSchemas {
  return { ticket: ticketPayload, message: messagePayload, event: eventPayloadSchema(rules) };
}

/** The body of `PUT /tickets/{id}/events` as the service accepts it (2.4, 4.3). */
export const eventsBody = z.array(
  body(
    { ...eventShape, occurredAt: time.exactOptional() },
    eventRule({ statusChangeTypes: STATUS_CHANGE_TYPES, customerNeedsContactId: false }),
  ),
);

/** The breaches, or `NO_BREACH` itself: good records, which are nearly all, allocate nothing. */
function breaches(...found: readonly (Breach | undefined)[]): readonly Breach[] {
  const real = found.filter((breach) => breach !== undefined);
  return real.length === 0 ? NO_BREACH : real;
}

function breach(broken: boolean, problem: string, path: string, message: string): Breach | undefined {
  return broken ? { problem, path, message } : undefined;
}

/** `contactId` is an alternative to `contact` (2.1, 2.2). */
function bothContacts({ contact, contactId }: Fields): Breach | undefined {
  return breach(
    contact !== undefined && contactId !== undefined,
    'contact-and-contact-id',
    'contactId',
    'Either contact or contactId, not both.',
  );
}

function oneContact(value: Fields): readonly Breach[] {
  return breaches(bothContacts(value));
}

function messageRule(value: Fields): readonly Breach[] {
  const { actorType, content, attachments } = value;
  const attached = Array.isArray(attachments) && attachments.length > 0;
  return breaches(
    bothContacts(value),
    breach(
      actorType === 'customer' && value.contact === undefined && value.contactId === undefined,
      'missing-contact',
      'contact.email',
      'A customer message needs contact or contactId.',
    ),
    breach(
      actorType === 'agent' && value.agentId === undefined,
      'missing-agent',
      'agentId',
      'An agent message needs agentId.',
    ),
    breach(
      typeof content === 'string' && !attached && !isFilled(content),
      'empty-content',
      'content',
      'Must not be empty without an attachment.',
    ),
  );
}

function eventRule(rules: EventSchemaRules): Rule {
  return (value) => {
    const { type, actorType } = value;
    const isStatusChange = typeof type === 'string' && rules.statusChangeTypes.includes(type);
    return breaches(
      breach(
        actorType === 'agent' && value.agentId === undefined,
        'missing-agent',
        'agentId',
        'An event of an agent needs agentId.',
      ),
      breach(
        rules.customerNeedsContactId && actorType === 'customer' && value.contactId === undefined,
        'missing-contact',
        'contactId',
        'An event of a customer needs contactId.',
      ),
      ...(['oldValue', 'newValue'] as const).map((key) =>
        breach(
          isStatusChange && !isStatusValue(value[key]),
          'missing-event-status',
          `${key}.status`,
          'A status change needs the status.',
        ),
      ),
    );
  };
}

function isStatusValue(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const status: unknown = value['status'];
  return TICKET_STATUSES.some((known) => known === status);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isFilled(text: string): boolean {
  return text.trim() !== '';
}

function isWebAddress(text: string): boolean {
  return /^https?:\/\/[^\s/]/i.test(text) && URL.canParse(text);
}
