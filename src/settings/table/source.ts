import { z } from 'zod';
import { MISSING_TIMES } from '../../domain/limits.ts';
import { UNMAPPED } from '../../domain/snapshot.ts';
import { option, optional, withDefault } from '../option-spec.ts';
import * as parse from '../parsers.ts';

export const SOURCE = z.object({
  files: optional(parse.texts(parse.nonEmpty), {
    description: 'Files or folders of the export, relative to this file.',
    examples: [['export/']],
    isPath: true,
  }),
  from: optional(parse.text(parse.nonEmpty), {
    description: 'Name of the layout, instead of detecting it.',
    examples: ['native', 'zendesk'],
    flag: option('What to read', '--from <layout>', 'name of the layout', { byDefault: 'detected' }),
  }),
  name: optional(parse.text(parse.parseSourceName), {
    description:
      'What this source is called in the tags of its tickets: lowercase letters, digits, "-", "_" and ".". By default the platform of the layout; a second brand, or an import that starts over each time, needs its own name.',
    examples: ['zendesk', 'brand-b'],
  }),
  ticketUrl: optional(parse.text(parse.parseTicketUrl), {
    description:
      'Address of a ticket in the old helpdesk: {id} is replaced by its id there. For helpdesk-import links.',
    examples: ['https://acme.zendesk.com/agent/tickets/{id}'],
  }),
  encoding: optional(parse.text(parse.nonEmpty), {
    description: 'Encoding of files that are neither UTF-8 nor UTF-16.',
    examples: ['windows-1252'],
  }),
  delimiter: optional(parse.text(parse.parseDelimiter), {
    description: 'What separates the cells of CSV files: one character, or comma, semicolon, tab, pipe.',
  }),
  skipLines: optional(parse.amount(parse.wholeNumber(1)), {
    description: 'Lines before the header of each CSV file, such as a title, that are left out.',
    examples: [2],
  }),
  allowUnreadableRows: optional(z.boolean(), {
    description:
      'Import tickets without the rows of theirs that cannot be read. By default such rows stop a run.',
  }),
  /** Read before all other times. */
  timezone: optional(parse.text(parse.parseTimeZone), {
    description: 'Time zone of times that do not state one.',
    examples: ['Europe/Berlin', 'UTC'],
  }),
  dayFirst: optional(z.boolean(), {
    description: '03/04/2024 is 3 April (true) or March 4 (false), if the export leaves it open.',
  }),
  missingTimes: withDefault(z.enum(MISSING_TIMES), 'reject', {
    description:
      'A message or event without a time: "reject" its ticket, or let it take the time of the "previous" one.',
  }),
  missingCreatedAt: optional(parse.text(parse.nonEmpty), {
    description:
      'Creation time of tickets without one, if their messages have no time either. Without it they are rejected.',
    examples: ['2020-01-01T00:00:00Z'],
  }),
});

/** Read once `source.timezone` is known. */
export const SELECTION = z.object({
  since: optional(parse.text(parse.nonEmpty), {
    flag: option('What to read', '--since <time>', 'only tickets created at or after this time', {
      advanced: true,
    }),
  }),
  until: optional(parse.text(parse.nonEmpty), {
    flag: option('What to read', '--until <time>', 'only tickets created before this time', {
      advanced: true,
    }),
  }),
  /** `@file` names a file of IDs. */
  only: optional(parse.text(parse.parseIdList), {
    flag: option(
      'What to read',
      '--only <ids>',
      'only these tickets: comma-separated ids, or @file with one per line',
    ),
  }),
  limit: optional(parse.amount(parse.wholeNumber(1)), {
    flag: option('What to read', '--limit <n>', 'only the first n of the selected tickets', {
      advanced: true,
    }),
  }),
});

const id = z.union([z.number(), z.string()]).transform(String);

export const PEOPLE = z.object({
  agents: optional(z.union([z.string(), z.record(z.string(), id)]), {
    description:
      "Agents of the source and their ids in the helpdesk: the source's id or e-mail address, and the agent id; or the name of a CSV file with both.",
    examples: [{ 'ana@example.com': 'agt_01' }, 'agents.csv'],
    isPath: true,
  }),
  people: optional(z.string(), {
    description:
      "A CSV with the columns address and same_as: the addresses of a row are one person's and come in as one contact, with the other addresses in an internal note.",
    examples: ['people.csv'],
    isPath: true,
  }),
  fallbackAgent: optional(id, {
    description: 'Agent id for agents of the source that are not listed, such as those who left.',
  }),
  customersWithoutEmail: withDefault(
    z.union([z.literal('reject'), z.strictObject({ synthesize: z.string() })]),
    'reject',
    {
      description:
        'A customer without an e-mail address: "reject" the ticket, or "synthesize" an address under a domain of yours.',
      examples: ['reject', { synthesize: 'customers.example.com' }],
    },
  ),
});

export const REVIEW = z.object({
  unmapped: withDefault(z.enum(UNMAPPED), 'drop', {
    description:
      'Columns and fields that no rule uses and that have a value: "note" keeps what a person would read of them in an internal note at the end of the ticket, "drop" leaves them out.',
    examples: ['note'],
  }),
});
