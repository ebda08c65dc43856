import { z } from 'zod';
import { MISSING_TIMES } from '../../domain/limits.ts';
import { UNMAPPED } from '../../domain/snapshot.ts';
import { option, optional, withDefault } from '../option-spec.ts';
import {
  amount,
  bad,
  durationInSeconds,
  good,
  nonEmpty,
  type Parsed,
  parseDelimiter,
  parseIdList,
  parseMaxErrors,
  parsePeriod,
  parseRate,
  parseServiceUrl,
  parseSourceName,
  parseSubject,
  parseTicketUrl,
  parseTimeZone,
  quoted,
  text,
  texts,
  wholeNumber,
} from '../parsers.ts';

export const SOURCE = z.object({
  files: optional(texts(nonEmpty), {
    description: 'Files or folders of the export, relative to this file.',
    examples: [['export/']],
    isPath: true,
  }),
  from: optional(text(nonEmpty), {
    description: 'Name of the layout, instead of detecting it.',
    examples: ['native', 'zendesk'],
    flag: option('What to read', '--from <layout>', 'name of the layout', { byDefault: 'detected' }),
  }),
  name: optional(text(parseSourceName), {
    description:
      'What this source is called in the tags of its tickets: lowercase letters, digits, "-", "_" and ".". By default the platform of the layout; a second brand, or an import that starts over each time, needs its own name.',
    examples: ['zendesk', 'brand-b'],
  }),
  ticketUrl: optional(text(parseTicketUrl), {
    description:
      'Address of a ticket in the old helpdesk: {id} is replaced by its id there. For `helpdesk-import links`, and for files without a host.',
    examples: ['https://acme.zendesk.com/agent/tickets/{id}'],
  }),
  encoding: optional(text(nonEmpty), {
    description: 'Encoding of files that are neither UTF-8 nor UTF-16.',
    examples: ['windows-1252'],
  }),
  delimiter: optional(text(parseDelimiter), {
    description: 'What separates the cells of CSV files: one character, or comma, semicolon, tab, pipe.',
  }),
  skipLines: optional(amount(wholeNumber(1)), {
    description: 'Lines before the header of each CSV file, such as a title, that are left out.',
    examples: [2],
  }),
  header: optional(z.union([z.boolean(), texts(nonEmpty)]).transform(columnsIn), {
    description:
      'For CSV files without a header: the names of their columns in order, or false for column 1, column 2 and so on.',
    examples: ['ID,Subject,Text,Status,Created,Email', false],
  }),
  allowUnreadableRows: optional(z.boolean(), {
    description:
      'Import tickets without the rows of theirs that cannot be read. By default such rows stop a run.',
  }),
  /** Read before all other times. */
  timezone: optional(text(parseTimeZone), {
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
  missingCreatedAt: optional(text(aTime), {
    description:
      'Creation time of tickets without one, if their messages have no time either. Without it they are rejected.',
    examples: ['2020-01-01T00:00:00Z'],
  }),
});

/** Read once `source.timezone` is known. */
export const SELECTION = z.object({
  since: optional(text(nonEmpty), {
    flag: option('What to read', '--since <time>', 'only tickets created at or after this time', {
      advanced: true,
    }),
  }),
  until: optional(text(nonEmpty), {
    flag: option('What to read', '--until <time>', 'only tickets created before this time', {
      advanced: true,
    }),
  }),
  /** `@file` names a file of IDs. */
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
  fallbackAgent: optional(
    id.transform((agent) => agent || undefined),
    {
      description: 'Agent id for agents of the source that are not listed, such as those who left.',
    },
  ),
  customersWithoutEmail: withDefault(
    z.union([z.literal('reject'), z.strictObject({ synthesize: z.string() })]),
    'reject',
    {
      description:
        'A customer without an e-mail address: "reject" the ticket, or "synthesize" an address under a domain of yours; a whole address stands for all of them.',
      examples: ['reject', { synthesize: 'customers.example.com' }],
    },
  ),
});

export const REVIEW = z.object({
  unmapped: withDefault(z.enum(UNMAPPED), 'note', {
    description:
      'Columns and fields that no rule uses and that have a value: "note" keeps what a person would read of them in an internal note at the end of the ticket, "drop" leaves them out.',
    examples: ['drop'],
  }),
});

export const SANDBOX_FOLDER = 'helpdesk-import.sandbox';
/** With the same address a checkpoint stays valid. */
export const SANDBOX_PORT = 4180;
export const REPORT_FILE = 'helpdesk-import.report.html';

export const TASK_SWITCHES = z.object({
  dryRun: withDefault(z.boolean(), false, {
    flag: option('What to do', '-n, --dry-run', 'check everything, report every problem, send nothing'),
  }),
  serve: withDefault(z.boolean(), false, {
    flag: option(
      'What to do',
      '--serve',
      'afterwards show pages in the browser, until Ctrl-C: with --trial, the tickets to compare and sign; with --sandbox, the inbox',
    ),
  }),
  delta: withDefault(z.boolean(), false, {
    flag: option('What to do', '--delta', 'import changes since the last run: tickets, messages, statuses'),
  }),
  yes: withDefault(z.boolean(), false, { flag: option('What to do', '-y, --yes', 'ask no questions') }),
});

export const OUTPUT_SWITCHES = z.object({
  redact: withDefault(z.boolean(), false, {
    flag: option(
      'What is written',
      '--redact',
      'hide personal data in the report, in problems and in --json: addresses, names, subjects, messages, quoted values',
      { advanced: true },
    ),
  }),
  json: withDefault(z.boolean(), false, {
    flag: option(
      'What is written',
      '--json',
      'print one JSON object; everything else goes to standard error',
    ),
  }),
  quiet: withDefault(z.boolean(), false, {
    flag: option('Display', '-q, --quiet', 'print only the verdict, the counts and the errors'),
  }),
  verbose: withDefault(z.boolean(), false, {
    flag: option('Display', '-v, --verbose', 'print every request, retry and wait', { advanced: true }),
  }),
});

export const TASK = z.object({
  failOn: optional(z.enum(['lost']), {
    flag: option('What to do', '--fail-on <what>', 'lost: exit with 3 if anything is lost, for CI'),
  }),
  trial: optional(amount(wholeNumber(5, 10)), {
    flag: option('What to do', '--trial [n]', 'import 5 to 10 representative tickets, then check them', {
      byDefault: '8',
    }),
    alone: '8',
  }),
  sandbox: optional(text(nonEmpty), {
    flag: option('What to do', '--sandbox [dir]', 'import into a local service, with its own checkpoint', {
      byDefault: SANDBOX_FOLDER,
    }),
    alone: SANDBOX_FOLDER,
  }),
});

export const RUN = z.object({
  batchSize: withDefault(amount(wholeNumber(1, 10_000)), 100, {
    description: 'Tickets in flight at once, at most; never more than 16. 50 to 100 is recommended.',
  }),
  /** All apply at once; empty: no budget (sandbox). */
  rate: withDefault(texts(parseRate), ['1000/60', '5000/300'], {
    description:
      'Request budgets as requests/seconds; all of them hold in any window. Given, they replace the defaults.',
    examples: [['1000/60']],
    inSandbox: { default: [] },
  }),
  timeout: withDefault(amount(durationInSeconds(0.5, 86_400)), 30, {
    description:
      'Seconds after which a request without an answer has an unknown outcome. A create is looked for until half as long again has passed.',
  }),
  maxErrors: optional(amount(parseMaxErrors), {
    description: 'Stop when more tickets than this are rejected or failed: a number or a share.',
    examples: [50, '5%'],
  }),
});

export const OUTPUT = z.object({
  checkpoint: withDefault(text(nonEmpty), 'helpdesk-import.checkpoint.sqlite', {
    description: 'The checkpoint file, relative to this file.',
    flag: option('Where to send it', '--checkpoint <file>', 'SQLite checkpoint file'),
    isPath: true,
    inSandbox: { default: 'checkpoint.sqlite' },
  }),
  rejects: withDefault(text(nonEmpty), 'helpdesk-import.rejects', {
    description: 'Folder for rejected and failed tickets, relative to this file.',
    isPath: true,
    inSandbox: { default: 'rejects' },
  }),
  report: optional(text(nonEmpty), {
    description: 'HTML report to write, relative to this file.',
    flag: option('What is written', '--report <file>', 'write an HTML report'),
    isPath: true,
  }),
});

export const TARGET = z.object({
  /** Absent in a dry run and for the sandbox. */
  baseUrl: optional(text(parseServiceUrl), {
    description:
      'Address of the helpdesk. A version at its end, such as /v1, is the path of its Core API; otherwise that is /api/core/v1 below it.',
    examples: ['https://helpdesk.example.com'],
    env: 'HELPDESK_BASE_URL',
    flag: option(
      'Where to send it',
      '--base-url <url>',
      'address of the helpdesk; http to another machine must be typed here',
      {
        byDefault: 'HELPDESK_BASE_URL',
        conflicts: ['--sandbox'],
      },
    ),
    inSandbox: 'default',
  }),
  tag: withDefault(
    text((tag) => good(tag.trim())),
    'imported',
    { description: 'Tag that every imported ticket carries; an empty text turns it off.' },
  ),
  subject: optional(text(parseSubject), {
    description:
      'How subjects are written, for those who look for old numbers there: {subject} is replaced by the subject, {id} by the id in the source.',
    examples: ['"{subject} [#{id}]"'],
  }),
  channelId: optional(text(nonEmpty), {
    description:
      'Id of the channel for tickets without one in the export or mapping; it decides how replies leave, and the helpdesk chooses one if it is not set. `helpdesk-import doctor` lists them.',
    examples: ['chn_email'],
  }),
  statusChangeType: withDefault(text(nonEmpty), 'status_change', {
    description: 'Name of the event type for a status change.',
    examples: ['status_change', 'status_changed'],
  }),
  readOnly: optional(z.boolean(), {
    description: 'Imported tickets cannot be edited in the service; their source of truth stays elsewhere.',
  }),
  managedBy: optional(text(nonEmpty), {
    description: 'Name of the external system that owns the tickets.',
    examples: ['Zendesk'],
  }),
});

/** A folder, or the helpdesk. */
export type FilesPlace = string | { readonly kind: 'target' };

export const FILES = z.object({
  to: optional(text(parsePlace), {
    description:
      'Where the files of the tickets are copied, so that they outlive the old account: a folder, or "target" for the helpdesk itself. Links in messages then lead there.',
    examples: ['kept', 'target'],
    flag: option('Where to send it', '--files <where>', 'import the files too: to a folder, or target'),
    isPath: true,
  }),
  publicUrl: optional(text(parseServiceUrl), {
    description: 'Address under which a web server or bucket shows the folder.',
    examples: ['https://files.example.com/helpdesk'],
  }),
  missing: withDefault(z.enum(['keep', 'note', 'reject']), 'keep', {
    description:
      'A file that cannot be fetched: "keep" its old link, "note" its name in the message as well, or "reject" the ticket.',
  }),
  hosts: optional(texts(parseHost), {
    description:
      'Hosts of the old helpdesk: links to files there are kept too, and they may be in your own network. Hosts of attachments on the internet and of credentials need not be named.',
    examples: [['acme.zendesk.com', '*.zdusercontent.com']],
  }),
});

export const APP_API = z.object({
  baseUrl: optional(text(parseServiceUrl), {
    description: 'Address of the app API.',
    examples: ['https://appapi.example.com'],
    env: 'HELPDESK_APP_URL',
    inSandbox: 'default',
  }),
  appIdHeader: withDefault(text(headerName), 'X-Mantle-App-Id', {
    description: 'Name of the header that names the app.',
    inSandbox: 'default',
  }),
  apiKeyHeader: withDefault(text(headerName), 'X-Mantle-App-Api-Key', {
    description: 'Name of the header with the key of the app.',
    inSandbox: 'default',
  }),
});

function parsePlace(text: string): Parsed<FilesPlace> {
  const where = text.trim();
  if (where === '') return bad('must not be empty');
  if (where === 'target') return good<FilesPlace>({ kind: 'target' });
  if (/^[a-z][a-z\d+.-]+:\/\//i.test(where))
    return bad(
      `must be a folder or target, not ${quoted(where)}; for a bucket name a folder, set files.publicUrl, and copy the folder with "rclone copy" or "aws s3 sync"`,
    );
  return good<FilesPlace>(where);
}

function parseHost(text: string): Parsed<string> {
  const host = text.trim().toLowerCase();
  return /^(?:\*\.)?[a-z\d.-]+(?::\d+)?$/.test(host)
    ? good(host)
    : bad(`must be the name of a host, not ${quoted(text)}`);
}

/** Kept as written: its zone may be another setting. */
function aTime(text: string): Parsed<string> {
  const parsed = parsePeriod(text, 'UTC');
  return 'problem' in parsed ? parsed : good(text);
}

/** `ID,Subject` is two names. */
function columnsIn(header: boolean | readonly string[]): boolean | readonly string[] {
  if (typeof header === 'boolean' || header.length !== 1) return header;
  return header[0]?.split(',').map((name) => name.trim()) ?? [];
}

function headerName(text: string): Parsed<string> {
  const name = text.trim();
  if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name)) return bad(`must be the name of a header, not ${quoted(text)}`);
  if (/^(host|content-type|content-length|accept|connection|user-agent)$/i.test(name))
    return bad(`must not be ${name}, which is sent for another purpose`);
  return good(name);
}
