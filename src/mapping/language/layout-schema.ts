/** The schema of layouts and of the `mapping` section; what its words mean stands at the types in layout.ts. */
import * as z from 'zod';
import { condition, expression, unlisted } from './expression-schema.ts';
import { EVENT_FIELDS, MESSAGE_FIELDS, type PersonRule, type Recognition, TICKET_FIELDS } from './layout.ts';
import { strict } from './strict-object.ts';

export type * from './layout.ts';

const names = z.union([z.string().min(1), z.array(z.string().min(1)).min(1)]);
const globs = z.array(z.string().min(1));
const scalar = z.union([z.string(), z.number(), z.boolean()]);

const recognition: z.ZodType<Recognition> = strict({
  columns: z.array(z.string().min(1)).min(1).optional(),
  anyColumn: z.array(z.string().min(1)).min(1).optional(),
  absent: z.array(z.string().min(1)).optional(),
  minKnown: z.number().min(0).max(1).optional(),
  file: z.string().min(1).optional(),
  format: z.enum(['csv', 'json']).optional(),
  path: names.optional(),
  stream: names.optional(),
  where: strict({ column: z.string(), in: z.array(scalar).min(1) }).optional(),
  unwrap: z.string().min(1).optional(),
});

const tableShape = {
  role: z.enum(['root', 'group', 'child', 'lookup']),
  key: names,
  parentKey: names.optional(),
  latest: z.string().min(1).optional(),
  required: z.boolean().optional(),
  recognise: z.union([recognition, z.array(recognition).min(1)]),
};

const person: z.ZodType<PersonRule> = strict({
  person: names.optional(),
  id: expression.optional(),
  email: expression.optional(),
  name: expression.optional(),
  role: expression.optional(),
});

const contact = z.union([expression, strict({ email: expression.optional(), name: expression.optional() })]);

const statusValue = z.union([expression, strict({ status: expression })]);

const placeShape = {
  from: z.string().optional(),
  each: expression.optional(),
  columns: z.string().optional(),
  parts: strict({ by: z.string().min(1), names: z.array(z.string()).min(1) }).optional(),
  where: condition.optional(),
};
const sourceShape = { ...placeShape, places: z.array(strict(placeShape)).min(1).optional() };

const fields = <const K extends string>(keys: readonly K[]) =>
  Object.fromEntries(keys.map((key) => [key, expression.optional()])) as Record<
    K,
    z.ZodOptional<typeof expression>
  >;

export const layoutShape = {
  name: z.string().regex(/^[a-z0-9][a-z0-9-]*$/, 'A name is of small letters, digits and hyphens.'),
  title: z.string().min(1),
  extends: z.string().optional(),
  generic: z.boolean().optional(),
  tables: z.record(z.string(), strict(tableShape)),
  aliases: z.record(z.string(), z.array(z.string())).optional(),
  nulls: z.array(z.string()).optional(),
  maps: z
    .record(
      z.string(),
      strict({ values: z.record(z.string(), z.union([scalar, z.null()])), unlisted: unlisted.optional() }),
    )
    .optional(),
  people: z
    .record(
      z.string(),
      strict({
        table: z.string(),
        key: z.string().optional(),
        id: expression.optional(),
        email: expression.optional(),
        name: expression.optional(),
        role: expression.optional(),
      }),
    )
    .optional(),
  team: z.string().optional(),
  agentDomains: z.array(z.string().min(1)).optional(),
  otherAuthors: z.enum(['customer', 'agent', 'system', 'unknown']).optional(),
  times: strict({
    zone: z.string().optional(),
    dayFirst: z.boolean().optional(),
    format: names.optional(),
    pass: z.boolean().optional(),
  }).optional(),
  ticket: strict({
    ...fields(TICKET_FIELDS),
    contact: contact.optional(),
    requester: person.optional(),
    assignee: person.optional(),
  }),
  messages: z
    .array(
      strict({
        ...sourceShape,
        ...fields(MESSAGE_FIELDS),
        contact: contact.optional(),
        author: person.optional(),
        use: z.enum(['always', 'unless-repeated', 'if-no-other']).optional(),
        once: expression.optional(),
        keepEmpty: z.boolean().optional(),
      }),
    )
    .optional(),
  events: z
    .array(
      strict({
        ...sourceShape,
        ...fields(EVENT_FIELDS),
        oldValue: statusValue.optional(),
        newValue: statusValue.optional(),
        actor: person.optional(),
        once: expression.optional(),
        history: z.boolean().optional(),
        initial: expression.optional(),
      }),
    )
    .optional(),
  exclude: z.array(strict({ when: condition, reason: z.string().min(1) })).optional(),
  ignore: globs.optional(),
  notHeld: z.array(strict({ what: z.string(), column: expression, from: z.string().optional() })).optional(),
  unknownFields: z.boolean().optional(),
  transform: z.string().optional(),
};

/** A whole layout, as a file of src/mapping/platforms has it. */
export const layoutSchema = strict(layoutShape);

/** The `mapping` section of helpdesk-import.yaml: a whole layout, or changes to the one that it extends. */
export const mappingSchema = strict({
  ...layoutShape,
  name: layoutShape.name.optional(),
  title: layoutShape.title.optional(),
  tables: z.record(z.string(), strict(tableShape).partial()).optional(),
  ticket: layoutShape.ticket.optional(),
});
