/**
 * A layout: what the files of one kind of export look like, and how tickets come out of them. Built-in layouts and `mapping` in
 * the settings use the same language.
 */
import * as z from 'zod';
import {
  condition,
  expression,
  mainColumn,
  words as names,
  scalar,
  strict,
  text,
  timeFormats,
  unlisted,
  zone,
} from './expression.ts';

/** Contacts and people have rules of their own. */
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
  'attachments',
  'messageId',
  'inReplyToId',
  'referencesIds',
] as const;
export const EVENT_FIELDS = ['type', 'actorType', 'agentId', 'contactId', 'occurredAt'] as const;

const texts = z.array(text);

/** As a key: all cells of the row. As a column of such a table: its ID. */
export const ROW = 'row';

/** All given parts must hold. */
const recognition = strict({
  columns: texts.min(1).optional(),
  anyColumn: texts.min(1).optional(),
  absent: texts.optional(),
  minKnown: z.number().min(0).max(1).optional(),
  /** By list: the items that there are have one of these keys. */
  items: z.record(z.string(), texts.min(1)).optional(),
  file: text.optional(),
  format: z.enum(['csv', 'json']).optional(),
  /** JSON: path of the array of records, e.g. `_embedded.conversations`; `.` for the document or line itself. */
  path: names.optional(),
  /** An Airbyte or Singer stream, without its prefix. */
  stream: names.optional(),
  /** JSON: only records with one of these values; without values, with an object here. */
  where: strict({ column: z.string(), in: z.array(scalar).min(1).optional() }).optional(),
  unwrap: text.optional(),
}).refine((parts) => Object.values(parts).some((part) => part !== undefined), {
  message: 'Say how this table is known: by columns, or by a file name.',
});

const tableRule = strict({
  role: z.enum(['root', 'group', 'child', 'lookup']),
  /**
   * root, group: the external ID; child: the columns that name the ticket; lookup: how rows are found. `row` of a root: all
   * cells of the row together, if no column has that name.
   */
  key: names,
  parentKey: names.optional(),
  parent: text.optional(),
  /** Keeps the row with the greatest value here. */
  latest: names.optional(),
  recognise: z.union([recognition, z.array(recognition).min(1)]),
});

const who = {
  id: expression.optional(),
  email: expression.optional(),
  name: expression.optional(),
  role: expression.optional(),
};
/** A row of a table of people, or columns of the message. `person`: names under `people`, tried in order. */
const personRule = strict({ person: names.optional(), ...who });
/** The agent who typed a text, if `when` holds. Never the requester. */
const typistRule = strict({
  ...{ person: names.optional(), ...who },
  when: condition.optional(),
  /** Such a text was sent to the customer; others are internal. */
  sent: z.boolean().optional(),
});
const peopleTable = strict({
  table: z.string(),
  key: z.string().optional(),
  ...who,
  system: texts.optional(),
  /** People in the ticket's row, with the columns of the table. */
  within: z.array(strict({ each: expression, role: expression.optional() })).optional(),
});

const contactRule = strict({ email: expression.optional(), name: expression.optional() });
const contact = z.union([expression, contactRule]);
const statusValue = z.union([expression, strict({ status: expression })]);

const placeShape = {
  from: z.string().optional(),
  each: expression.optional(),
  where: condition.optional(),
};
const sourceShape = {
  ...placeShape,
  /** One rule for several places, in order. */
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

const visibility = z.union([
  z.boolean(),
  z.literal('unknown'),
  strict({
    ...condition.shape,
    /** With `in`: words known to be internal. A word in neither list is internal too, and reported. */
    internal: z.array(scalar).min(1).optional(),
  }).superRefine((value, context) => {
    const { internal, ...rest } = value;
    const complain = (message: string) => context.addIssue({ code: 'custom', message });
    const checked = condition.safeParse(rest);
    for (const { message } of checked.error?.issues ?? []) complain(message);
    if (internal !== undefined && (rest.column === undefined || rest.in === undefined))
      complain('`internal` goes with `column` and `in`: {column: …, in: [public words], internal: [words]}.');
  }),
]);

const messageRule = strict({
  ...sourceShape,
  ...fields(MESSAGE_FIELDS),
  public: visibility.optional(),
  /**
   * Recipients, then copies: what the team sent to no one on the customer's side is internal. If the recipients are unknown,
   * nothing is concluded.
   */
  to: z.union([expression, z.array(expression).min(1)]).optional(),
  leaveOut: condition.optional(),
  /** An agent who typed the text in place of the author: on the phone, or for a customer. The first that fits. */
  typedBy: z.union([typistRule, z.array(typistRule)]).optional(),
  /** The text is only the beginning of the message; `whole`: the request that has all of it. */
  shortened: strict({ when: condition, whole: text }).optional(),
  /** Replaced by `public`; named in an error. */
  isInternal: z.unknown().optional(),
  contact: contact.optional(),
  author: personRule.optional(),
  /**
   * Dropped as `unless-repeated` if the first other message says the same; `unless-first` also if that was written with the
   * ticket; `if-no-other` with any message. Default: if it says the same within a minute.
   */
  use: z.enum(['always', 'unless-repeated', 'unless-first', 'if-no-other']).optional(),
  /** The first message with a value counts: exports have some twice, nested and in a table. Empty: it counts. */
  once: expression.optional(),
  /** Keeps messages without content, for checking to reject. */
  keepEmpty: z.boolean().optional(),
});

/** Fields of a rule for messages; null takes one away. */
const messageChange = strict(
  Object.fromEntries(
    Object.entries(messageRule.shape).map(([field, schema]) => [field, z.nullable(schema as z.ZodType)]),
  ),
).partial();

const eventRule = strict({
  ...sourceShape,
  ...fields(EVENT_FIELDS),
  oldValue: statusValue.optional(),
  newValue: statusValue.optional(),
  actor: personRule.optional(),
  once: expression.optional(),
  /** Sorts by time, takes old values from the row before, drops rows that change nothing. */
  history: z.boolean().optional(),
  /** With `history`: the status before the first row. */
  initial: expression.optional(),
});

const meaning = z.enum(['public', 'internal', 'leave out', 'keep']);
const excludeRule = strict({ when: condition, reason: text });
const valueMap = strict({
  values: z.record(z.string(), z.union([scalar, z.null()])),
  unlisted: unlisted.optional(),
});

export const layoutShape = {
  name: z.string().regex(/^[a-z0-9][a-z0-9-]*$/, 'A name has lowercase letters, digits and hyphens.'),
  title: text,
  extends: z.string().optional(),
  tables: z.record(z.string(), tableRule),
  aliases: z.record(z.string(), z.array(z.string())).optional(),
  nulls: z.array(z.string()).optional(),
  maps: z.record(z.string(), valueMap).optional(),
  people: z.record(z.string(), peopleTable).optional(),
  /** People whose IDs are agent IDs of the helpdesk; their names are only shown. */
  team: z.string().optional(),
  /** Addresses of agents, if nothing else says who wrote. */
  agentDomains: texts.optional(),
  /** If nothing else says who wrote. Default: unknown, a problem. */
  otherAuthors: z.enum(['customer', 'agent', 'system', 'unknown']).optional(),
  times: strict({
    zone: zone.optional(),
    /** The zone counts only if the tickets have this column. */
    zoneWith: text.optional(),
    format: timeFormats.optional(),
    pass: z.boolean().optional(),
  }).optional(),
  ticket: ticketRule,
  messages: z.array(messageRule).optional(),
  events: z.array(eventRule).optional(),
  exclude: z.array(excludeRule).optional(),
  /** Words for visibility and exclusion; or the meaning of a place that does not say it. */
  words: z
    .record(z.string(), z.union([z.enum(['public', 'internal']), z.record(z.string(), meaning)]))
    .optional(),
  /** Messages that the export counts itself. `says`: tickets without them in one sentence, for one and for several. */
  claims: z
    .array(
      strict({
        messages: expression,
        in: z.array(strict(placeShape)).min(1),
        says: z.tuple([text, text]).optional(),
      }),
    )
    .optional(),
  /** A list that the API cuts: with this many items a ticket may have more. */
  embeds: strict({ list: expression, most: z.number().int() }).optional(),
  /** Left out by the person's own word. `*` at the end matches the rest. */
  ignore: texts.optional(),
  /** By table: addresses, numbers and bookkeeping of the old platform. A name covers all below it. */
  technical: z.record(z.string(), texts).optional(),
  /** By table: a column and its copy, which is kept if its words differ. */
  same: z.record(z.string(), z.record(z.string(), text)).optional(),
  /** The note shows these IDs by the names of a lookup table. */
  names: z.array(strict({ column: text, table: z.string(), name: text, as: text.optional() })).optional(),
  unknownFields: z.boolean().optional(),
};

export const layoutSchema = strict(layoutShape);

/** The `mapping` section of helpdesk-import.yaml: a whole layout, or changes to the one that it extends. */
export const mappingSchema = strict({
  ...layoutShape,
  name: layoutShape.name.optional(),
  title: layoutShape.title.optional(),
  tables: z.record(z.string(), tableRule.partial()).optional(),
  ticket: ticketRule.optional(),
  /** By place: only these fields of the extended layout's rules change. */
  messages: z.union([z.array(messageRule), z.record(z.string(), messageChange.nullable())]).optional(),
});

export type Recognition = z.output<typeof recognition>;
export type TableRule = z.output<typeof tableRule>;
export type PersonRule = z.output<typeof personRule>;
export type TypistRule = z.output<typeof typistRule>;
export type PeopleTable = z.output<typeof peopleTable>;
export type ContactRule = z.output<typeof contactRule>;
export type TicketField = (typeof TICKET_FIELDS)[number];
export type SourceRule = z.output<typeof sourceRule>;
export type MessageRule = z.output<typeof messageRule>;
export type Visibility = z.output<typeof visibility>;
export type EventRule = z.output<typeof eventRule>;
export type LayoutPatch = z.output<typeof mappingSchema>;
export type Layout = z.output<typeof layoutSchema> & {
  /** Columns that the user's rules name: one that no file has is probably mistyped. */
  ownColumns?: readonly { readonly table: string; readonly column: string }[] | undefined;
  /** The user's rules alone, without `extends`. */
  isOwn?: boolean | undefined;
  /** No person has seen its rules. */
  isProposed?: boolean | undefined;
  /** Columns under `words` that no rule asks. */
  unasked?: readonly string[] | undefined;
};

/**
 * Rules for messages by the table and the list that they read: `comments`, `tickets.comments`, and `comments#2` for the
 * second of a place.
 */
export function messagesByPlace(layout: Pick<Layout, 'tables' | 'messages'>): Map<string, MessageRule> {
  const counts = new Map<string, number>();
  return new Map(
    (layout.messages ?? []).map((rule) => {
      const { from = rootTableOf(layout), each } = rule;
      const place = [from, mainColumn(each)].filter((part) => part !== '').join('.');
      const count = (counts.get(place) ?? 0) + 1;
      counts.set(place, count);
      return [count === 1 ? place : `${place}#${count}`, rule];
    }),
  );
}

/** A change at a place that has no rule is a rule. */
export function changedMessages(
  layout: Pick<Layout, 'tables' | 'messages'>,
  changes: Readonly<Record<string, unknown>>,
): Map<string, MessageRule> {
  const rules = messagesByPlace(layout);
  for (const [place, change] of Object.entries(changes)) {
    const changed = Object.entries({ ...rules.get(place), ...(change as object) });
    const rule = Object.fromEntries(changed.filter(([, value]) => value !== null && value !== undefined));
    if (change === null) rules.delete(place);
    else rules.set(place, rule as unknown as MessageRule);
  }
  return rules;
}

export function rootTableOf({ tables }: Pick<Layout, 'tables'>): string {
  return Object.keys(tables).find((name) => ['root', 'group'].includes(tables[name]?.role ?? '')) ?? '';
}
