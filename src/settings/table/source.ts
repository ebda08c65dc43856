/** Settings of the export: reading, selection, people. */

import { z } from 'zod';
import { MISSING_TIMES } from '../../domain/limits.ts';
import { UNMAPPED } from '../../domain/unmapped.ts';
import { option, optional, withDefault } from '../option-spec.ts';
import {
  amount,
  nonEmpty,
  parseDelimiter,
  parseIdList,
  parseSourceName,
  parseTicketUrl,
  parseTimeZone,
  text,
  texts,
  wholeNumber,
} from '../parsers.ts';

export const SOURCE = z.object({
  /** As the user named them; `-` is standard input. */
  files: optional(texts(nonEmpty), {
    description: 'Files or folders of the export, relative to this file.',
    examples: [['export/']],
    isPath: true,
  }),
  /** The layout; default: detected. */
  from: optional(text(nonEmpty), {
    description: 'Name of the layout, instead of detecting it.',
    examples: ['native', 'zendesk'],
    flag: option('What to read', '--from <layout>', 'name of the layout', { byDefault: 'detected' }),
  }),
  /** Name of the source in tags; default: by the layout. */
  name: optional(text(parseSourceName), {
    description:
      'What this source is called in the tags of its tickets: lowercase letters, digits, "-", "_" and ".". By default the platform of the layout; a second brand, or an import that starts over each time, needs its own name.',
    examples: ['zendesk', 'brand-b'],
    flag: option(
      'What to read',
      '--source-name <name>',
      'name of this source in the tags of its tickets; a second brand needs its own',
      { advanced: true, byDefault: 'the platform of the layout' },
    ),
    env: 'HELPDESK_SOURCE_NAME',
  }),
  /** Address of a ticket, with `{id}`. */
  ticketUrl: optional(text(parseTicketUrl), {
    description:
      'Address of a ticket in the old helpdesk: {id} is replaced by its id there. For helpdesk-import map and links.',
    examples: ['https://acme.zendesk.com/agent/tickets/{id}'],
  }),
  encoding: optional(text(nonEmpty), {
    description: 'Encoding of files that are neither UTF-8 nor UTF-16.',
    examples: ['windows-1252'],
    flag: option(
      'What to read',
      '--encoding <name>',
      'encoding of files that are neither UTF-8 nor UTF-16, e.g. windows-1252',
      { advanced: true, byDefault: 'UTF-8 or UTF-16' },
    ),
  }),
  delimiter: optional(text(parseDelimiter), {
    description: 'What separates the cells of CSV files: one character, or comma, semicolon, tab, pipe.',
    flag: option('What to read', '--delimiter <char>', 'separator of the cells of CSV files: , ; | or tab', {
      advanced: true,
      byDefault: 'detected',
    }),
  }),
  skipLines: optional(amount(wholeNumber(1)), {
    description: 'Lines before the header of each CSV file, such as a title, that are left out.',
    examples: [2],
    flag: option(
      'What to read',
      '--skip-lines <n>',
      'leave out so many lines before the header of each CSV file',
      { advanced: true },
    ),
  }),
  allowUnreadableRows: optional(z.boolean(), {
    description:
      'Import tickets without the rows of theirs that cannot be read. By default such rows stop a run.',
    flag: option(
      'What to read',
      '--allow-unreadable-rows',
      'import tickets without the rows of theirs that cannot be read, instead of stopping',
      { advanced: true },
    ),
  }),
  /** Zone of times without a zone. Read before all other times. */
  timezone: optional(text(parseTimeZone), {
    description: 'Time zone of times that do not state one.',
    examples: ['Europe/Berlin', 'UTC'],
  }),
  /** For ambiguous dates such as 03/04/2024. */
  dayFirst: optional(z.boolean(), {
    description: '03/04/2024 is 3 April (true) or March 4 (false), where the export itself leaves it open.',
  }),
  missingTimes: withDefault(z.enum(MISSING_TIMES), 'reject', {
    description:
      'A message or event without a time: "reject" its ticket, or let it take the time of the "previous" one.',
  }),
  /** `createdAt` of a ticket without any time. */
  missingCreatedAt: optional(text(nonEmpty), {
    description:
      'Creation time of tickets without one, if their messages have no time either. Without it they are rejected.',
    examples: ['2020-01-01T00:00:00Z'],
  }),
});

/** Times without a zone are in `source.timezone`, so they are read once that is known, and a shard by the environment. */
export const SELECTION = z.object({
  /** Created at or after. */
  since: optional(text(nonEmpty), {
    flag: option('What to read', '--since <time>', 'only tickets created at or after this time', {
      advanced: true,
    }),
    option: 'since',
  }),
  /** Created before; a whole day is included. */
  until: optional(text(nonEmpty), {
    flag: option('What to read', '--until <time>', 'only tickets created before this time', {
      advanced: true,
    }),
    option: 'until',
  }),
  /** External IDs; `@file` names a file of IDs (expandIdList). */
  only: optional(text(parseIdList), {
    flag: option(
      'What to read',
      '--only <ids>',
      'only these tickets: comma-separated ids, or @file with one per line',
    ),
  }),
  limit: optional(amount(wholeNumber(1)), {
    flag: option('What to read', '--limit <n>', 'only the first n of the selected tickets', {
      advanced: true,
    }),
    option: 'limit',
  }),
  shard: optional(text(nonEmpty), {
    flag: option(
      'What to read',
      '--shard <i/n>',
      'import only part i of n of the export; each part in its own process',
      { advanced: true },
    ),
    option: 'shard',
  }),
});

const id = z.union([z.number(), z.string()]).transform(String);

export const PEOPLE = z.object({
  /** Source ID or e-mail → agent ID, or a CSV file with these. */
  agents: optional(z.union([z.string(), z.record(z.string(), id)]), {
    description:
      "Agents of the source and their ids in the target: the source's id or e-mail address, and the agent id; or the name of a CSV file with both.",
    examples: [{ 'ana@example.com': 'agt_01' }, 'agents.csv'],
    isPath: true,
  }),
  /** Addresses of one person. */
  people: optional(z.string(), {
    description:
      "A CSV with the columns address and same_as: the addresses of a row are one person's and come in as one contact, with the other addresses in an internal note.",
    examples: ['people.csv'],
    isPath: true,
    option: 'people',
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
  /** What happens to unmapped values. */
  unmapped: withDefault(z.enum(UNMAPPED), 'drop', {
    description:
      'Columns and fields that no rule uses and that have a value: "note" keeps what a person would read of them in an internal note at the end of the ticket, "drop" leaves them out.',
    examples: ['note'],
    option: 'unmapped',
  }),
});
