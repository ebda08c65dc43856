/**
 * A layout: what the files of one kind of export look like and how tickets, messages and events come out of them.
 * Built-in layouts and the `mapping` section of helpdesk-import.yaml are written in exactly this language.
 */
import * as z from 'zod';
import {
  condition,
  expression,
  words as names,
  scalar,
  strict,
  text,
  timeFormats,
  unlisted,
  zone,
} from './expression.ts';

/** Fields of the payloads that take an expression each; contacts and people have rules of their own. */
export const TICKET_FIELDS = [
  'subject',
  'contactId',
  'status',
  'priority',
  'tags',
  'customerId',
  'appId',
  'assignedToId',
  'createdAt',
  'resolvedAt',
  'closedAt',
  'readOnly',
  'managedBy',
  'channelId',
] as const;
export const MESSAGE_FIELDS = [
  'actorType',
  'content',
  'contentType',
  'occurredAt',
  'contactId',
  'agentId',
  'isInternal',
  'attachments',
  'messageId',
  'inReplyToId',
  'referencesIds',
] as const;
export const EVENT_FIELDS = ['type', 'actorType', 'agentId', 'contactId', 'occurredAt'] as const;

const texts = z.array(text);

/** How a table is known in a file. All parts that are given must hold. */
const recognition = strict({
  /** Columns (paths) that must be there; `a|b` is either of them. */
  columns: texts.min(1).optional(),
  /** At least one of these. */
  anyColumn: texts.min(1).optional(),
  /** None of these. */
  absent: texts.optional(),
  /** Least share of the file's columns that the layout must cover. */
  minKnown: z.number().min(0).max(1).optional(),
  /** Glob on the file name; `*` and `?`. */
  file: text.optional(),
  format: z.enum(['csv', 'json']).optional(),
  /** JSON: path of the array of records, e.g. `_embedded.conversations`; `.` for the document or line itself. */
  path: names.optional(),
  /** Name of the stream in an Airbyte or Singer envelope, without its prefix. */
  stream: names.optional(),
  /** JSON: only records with one of these values here; without values, those that have an object here. */
  where: strict({ column: z.string(), in: z.array(scalar).min(1).optional() }).optional(),
  /** JSON: path of the row's object in the record. */
  unwrap: text.optional(),
}).refine((parts) => Object.values(parts).some((part) => part !== undefined), {
  message: 'Say how this table is known: by columns, or by a file name.',
});

const tableRule = strict({
  role: z.enum(['root', 'group', 'child', 'lookup']),
  /** root, group: the external id; child: the columns that name the ticket; lookup: how rows are found. `a|b` is either. */
  key: names,
  /** child: the columns of the root that `key` matches, where it is not the external id. */
  parentKey: names.optional(),
  /** Of rows with one key keep the one with the greatest value here; several columns are compared together. */
  latest: names.optional(),
  recognise: z.union([recognition, z.array(recognition).min(1)]),
});

const who = {
  id: expression.optional(),
  email: expression.optional(),
  name: expression.optional(),
  /** `customer`, `agent` or `system`. */
  role: expression.optional(),
};
/** A person: a row of a table of people, or columns of the message. `person`: names under `people`, tried one after the other. */
const personRule = strict({ person: names.optional(), ...who });
/** A table with role `lookup`, found by its key or by `key`. */
const peopleTable = strict({
  table: z.string(),
  key: z.string().optional(),
  ...who,
  /** Objects or lists with such people in the ticket's row, with the columns of the table. */
  within: z.array(strict({ each: expression, role: expression.optional() })).optional(),
});

const contactRule = strict({ email: expression.optional(), name: expression.optional() });
const contact = z.union([expression, contactRule]);
const statusValue = z.union([expression, strict({ status: expression })]);

const placeShape = {
  /** A child or group table; without it the ticket's own row. */
  from: z.string().optional(),
  /** A list in that row, or a header that a CSV repeats; the items, or filled cells, become the scope. */
  each: expression.optional(),
  where: condition.optional(),
};
/** Where messages or events come from: rows of a table, or items of a list in the row. */
const sourceShape = {
  ...placeShape,
  /** The same rule for several of such places, one after the other: nested in the ticket, and in a table. */
  places: z.array(strict(placeShape)).min(1).optional(),
};
const sourceRule = strict(sourceShape);

const fields = <const K extends string>(keys: readonly K[]) =>
  Object.fromEntries(keys.map((key) => [key, expression.optional()])) as Record<
    K,
    z.ZodOptional<typeof expression>
  >;

const ticketRule = strict({
  ...fields(TICKET_FIELDS),
  contact: contact.optional(),
  requester: personRule.optional(),
  assignee: personRule.optional(),
});

const messageRule = strict({
  ...sourceShape,
  ...fields(MESSAGE_FIELDS),
  contact: contact.optional(),
  author: personRule.optional(),
  /**
   * `unless-repeated`: dropped when the first other message says the same. `unless-first`: as well when that was written
   * with the ticket, for platforms whose description is the first message. `if-no-other`: only if the ticket has no message.
   */
  use: z.enum(['always', 'unless-repeated', 'unless-first', 'if-no-other']).optional(),
  /**
   * Identifies a message: of messages with the same value only the first counts. For exports that have a
   * message twice, such as nested in its ticket and in a table, or in two answers of an API. Empty: it counts.
   */
  once: expression.optional(),
  /** Keep a message without content and attachments, for checking to reject. Default false: it is skipped. */
  keepEmpty: z.boolean().optional(),
});

const eventRule = strict({
  ...sourceShape,
  ...fields(EVENT_FIELDS),
  oldValue: statusValue.optional(),
  newValue: statusValue.optional(),
  actor: personRule.optional(),
  /** Identifies an event of its rule: of events with the same value only the first counts. Empty: it counts. */
  once: expression.optional(),
  /** Sort by time, take the old value from the row before where it is absent, drop rows that change nothing. */
  history: z.boolean().optional(),
  /** With `history`: the status before the first row, which then is a change and not the creation. */
  initial: expression.optional(),
});

const excludeRule = strict({ when: condition, reason: text });
const valueMap = strict({
  values: z.record(z.string(), z.union([scalar, z.null()])),
  unlisted: unlisted.optional(),
});

export const layoutShape = {
  name: z.string().regex(/^[a-z0-9][a-z0-9-]*$/, 'A name has lowercase letters, digits and hyphens.'),
  title: text,
  /** Name of the layout that this one changes. */
  extends: z.string().optional(),
  /** Fits many exports: used only if no other layout fits better. */
  generic: z.boolean().optional(),
  tables: z.record(z.string(), tableRule),
  /** Other names of a column (other languages, other versions). */
  aliases: z.record(z.string(), z.array(z.string())).optional(),
  /** Texts that mean an empty cell, e.g. `?` or `NULL`. */
  nulls: z.array(z.string()).optional(),
  maps: z.record(z.string(), valueMap).optional(),
  people: z.record(z.string(), peopleTable).optional(),
  /** People whose ids are agent ids of the target already: their names are shown in the preview, and change nothing that is sent. */
  team: z.string().optional(),
  /** Domains whose addresses are the team's: their messages are agents' where nothing else says who wrote. */
  agentDomains: texts.optional(),
  /** Who wrote a message, where nothing else says it. Default: unknown, a problem. */
  otherAuthors: z.enum(['customer', 'agent', 'system', 'unknown']).optional(),
  times: strict({
    zone: zone.optional(),
    format: timeFormats.optional(),
    pass: z.boolean().optional(),
  }).optional(),
  ticket: ticketRule,
  messages: z.array(messageRule).optional(),
  events: z.array(eventRule).optional(),
  exclude: z.array(excludeRule).optional(),
  /** How many messages the export says a ticket has, and where they are: a ticket with fewer is named. */
  declares: strict({ messages: expression, in: z.array(strict(placeShape)).min(1) }).optional(),
  /** Columns that are known to say nothing worth carrying over; `*` at the end matches the rest. */
  ignore: texts.optional(),
  /** Unmapped columns are fields that the API does not have (native). */
  unknownFields: z.boolean().optional(),
  /** A module with functions for what this language cannot say. */
  transform: z.string().optional(),
};

/** A whole layout, as a file of src/mapping/platforms has it. */
export const layoutSchema = strict(layoutShape);

/** The `mapping` section of helpdesk-import.yaml: a whole layout, or changes to the one that it extends. */
export const mappingSchema = strict({
  ...layoutShape,
  name: layoutShape.name.optional(),
  title: layoutShape.title.optional(),
  tables: z.record(z.string(), tableRule.partial()).optional(),
  ticket: ticketRule.optional(),
});

export type Recognition = z.output<typeof recognition>;
export type TableRule = z.output<typeof tableRule>;
export type PersonRule = z.output<typeof personRule>;
export type PeopleTable = z.output<typeof peopleTable>;
export type ContactRule = z.output<typeof contactRule>;
export type TicketField = (typeof TICKET_FIELDS)[number];
export type TicketRule = z.output<typeof ticketRule>;
export type SourceRule = z.output<typeof sourceRule>;
export type MessageRule = z.output<typeof messageRule>;
export type EventRule = z.output<typeof eventRule>;
export type LayoutPatch = z.output<typeof mappingSchema>;
export type Layout = z.output<typeof layoutSchema> & {
  /** Not written but found: columns that the user's own rules name. One that no file has is probably mistyped. */
  ownColumns?: readonly { readonly table: string; readonly column: string }[] | undefined;
};

/** The table of the tickets. */
export function rootTableOf({ tables }: Pick<Layout, 'tables'>): string {
  return Object.keys(tables).find((name) => ['root', 'group'].includes(tables[name]?.role ?? '')) ?? '';
}
