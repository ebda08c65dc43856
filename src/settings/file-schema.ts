/**
 * The settings file, `helpdesk-import.yaml`: every key is optional. The descriptions are the reference documentation and
 * the hover texts of editors; both are generated from here. Values that have a spelling of their own (a rate, a share)
 * are only typed here and read by the same parsers as the flags, so that both complain in the same words.
 */
import { z } from 'zod';
import { APP_API_DEFAULTS, MISSING_TIMESTAMPS } from './app-api-settings.ts';
import { CUSTOMER_EVENTS, DEFAULTS, IN_DOUBT_POLICIES, MESSAGE_IDS, MISSING_TIMES } from './settings.ts';

const text = (description: string, meta: Record<string, unknown> = {}) =>
  z
    .string()
    .meta({ description, ...meta })
    .optional();
const flag = (description: string, meta: Record<string, unknown> = {}) =>
  z
    .boolean()
    .meta({ description, ...meta })
    .optional();
const amount = (description: string, meta: Record<string, unknown> = {}) =>
  z
    .union([z.number(), z.string()])
    .meta({ description, ...meta })
    .optional();
const texts = (description: string, meta: Record<string, unknown> = {}) =>
  z
    .union([z.string(), z.array(z.string())])
    .meta({ description, ...meta })
    .optional();

const target = z.strictObject({
  baseUrl: text('Address of the helpdesk service.', { examples: ['https://helpdesk.example.com'] }),
  apiPath: text('Path of the Core API below the address.', { default: DEFAULTS.apiPath }),
  tag: text('Tag that every imported ticket carries; an empty text turns it off.', { default: DEFAULTS.tag }),
  sourceTag: text('A further tag of your own with the external id in it: {id} stands for the id.', {
    examples: ['source:{id}'],
  }),
  identityTag: z
    .enum(['on', 'off'])
    .meta({
      description:
        'Every ticket carries a tag of its own (zendesk-1041) and one of its source (from-zendesk), by which it is found again without doubt. "off" leaves them out: more creates of unknown outcome are then held for a person, and a lost checkpoint cannot be rebuilt.',
      default: 'on',
    })
    .optional(),
  statusChangeType: text('Name of the event type for a status change.', {
    default: DEFAULTS.statusChangeType,
    examples: ['status_change', 'status_changed'],
  }),
  readOnly: flag('Imported tickets cannot be edited in the service; their source of truth stays elsewhere.'),
  managedBy: text('Name of the external system that owns the tickets.', { examples: ['Zendesk'] }),
  eventsAppend: flag(
    'Whether the service adds events to those it has (`true`) or replaces them (`false`). Where it is not set, events whose outcome is unknown are sent again only when a read shows that none of them arrived.',
  ),
  messageIds: z
    .enum(MESSAGE_IDS)
    .meta({
      description:
        'Whether messages carry the ids of their mails (messageId, inReplyToId, referencesIds), or ids made of the source where the export has none: a delta recognises them by these, and a late reply to an old mail finds its ticket. "auto" tries with the first ticket and goes on where the service keeps them.',
      default: 'auto',
    })
    .optional(),
  customerEvents: z
    .enum(CUSTOMER_EVENTS)
    .meta({
      description:
        'A customer\'s event in the history without a contact id, which some services refuse: "reject" the ticket, or "send" the event as it is.',
      default: DEFAULTS.customerEvents,
    })
    .optional(),
});

const source = z.strictObject({
  name: text(
    'What this source is called in the tags of its tickets: lower case letters, digits, "-", "_" and ".". By default the platform of the layout; a second brand, or an import that begins anew each time, needs a name of its own.',
    { examples: ['zendesk', 'brand-b'] },
  ),
  files: texts('Files or folders of the export, relative to this file.', { examples: [['export/']] }),
  from: text('Name of the layout, instead of detecting it.', { examples: ['native', 'zendesk'] }),
  encoding: text('Encoding of text files that do not say it themselves.', { examples: ['windows-1252'] }),
  delimiter: text('What separates the cells of CSV files: one character, or comma, semicolon, tab, pipe.'),
  timezone: text('Time zone of times that do not say theirs.', { examples: ['Europe/Berlin', 'UTC'] }),
  dayFirst: flag('03/04/2024 is 3 April (true) or March 4 (false), where the export itself leaves it open.'),
  missingTimes: z
    .enum(MISSING_TIMES)
    .meta({
      description:
        'A message or event without a time: "reject" its ticket, or let it take the time of its "ticket" or of the "previous" one.',
      default: DEFAULTS.missingTimes,
    })
    .optional(),
  missingCreatedAt: text(
    'Creation time of tickets that have none and whose messages have none; they are rejected otherwise.',
    {
      examples: ['2020-01-01T00:00:00Z'],
    },
  ),
});

const run = z.strictObject({
  batchSize: amount('Tickets per batch; 50 to 100 is recommended.', { default: DEFAULTS.batchSize }),
  concurrency: amount('Tickets in flight: a number, or auto to find what the service takes.', {
    default: DEFAULTS.concurrency,
  }),
  rate: texts(
    'Request budgets as requests/seconds; all of them hold in any window. Given, they replace the defaults.',
    {
      default: DEFAULTS.rates.map(({ requests, seconds }) => `${requests}/${seconds}`),
      examples: [['1000/60']],
    },
  ),
  timeout: amount('Seconds after which a request without an answer has an unknown outcome.', {
    default: DEFAULTS.timeoutSeconds,
  }),
  maxErrors: amount('Stop when more tickets than this are rejected or failed: a number or a share.', {
    examples: [50, '5%'],
  }),
  onInDoubt: z
    .enum(IN_DOUBT_POLICIES)
    .meta({
      description:
        'A create whose outcome is unknown: "lookup" in the target (held where it cannot be read), "hold" it for a person, or "retry" it, which may create it twice.',
      default: DEFAULTS.onInDoubt,
    })
    .optional(),
  doubtMargin: amount(
    'Seconds beyond the time-out for which a create without an answer may still be carried out by the service; only then can a ticket be known not to exist.',
    { default: DEFAULTS.doubtMarginSeconds },
  ),
  giveUpAfter: amount('Seconds (or 10m, 1h) that the service may be down before the run stops.', {
    default: DEFAULTS.giveUpAfterSeconds,
  }),
  checkpoint: text('The checkpoint file, relative to this file.', { default: DEFAULTS.checkpoint }),
  rejects: text('Folder for rejected and failed tickets, relative to this file.', {
    default: DEFAULTS.rejects,
  }),
  report: text('HTML report to write, relative to this file.'),
  maxProblems: amount('Rows of problems in the JSON summary and the report.', {
    default: DEFAULTS.maxProblems,
  }),
  checkAttachments: flag("Ask for every attachment's headers, to see whether it can be reached.", {
    default: false,
  }),
  allowPrivateHosts: flag('Also ask for attachments on private and loopback addresses.', { default: false }),
});

const appApi = z.strictObject({
  baseUrl: text('Address of the app API.', { examples: ['https://appapi.example.com'] }),
  apiPath: text('Path of the app API below its address.', { default: APP_API_DEFAULTS.apiPath }),
  usageEventsPath: text('Path of usage events below that one.', {
    default: APP_API_DEFAULTS.usageEventsPath,
  }),
  customerPath: text('Path of a customer below that one.', { default: APP_API_DEFAULTS.customerPath }),
  usagePath: text('Path of usage metrics below that one.', { default: APP_API_DEFAULTS.usagePath }),
  appIdHeader: text('Name of the header that names the app.', { default: APP_API_DEFAULTS.appIdHeader }),
  apiKeyHeader: text('Name of the header with the key of the app.', {
    default: APP_API_DEFAULTS.apiKeyHeader,
  }),
  eventsPerRequest: amount('Usage events in one request; with 1 each event goes alone, without a list.', {
    default: APP_API_DEFAULTS.eventsPerRequest,
  }),
  missingTimestamp: z
    .enum(MISSING_TIMESTAMPS)
    .meta({
      description:
        'A usage event without a time: "reject" it, or "send" it as it is, so that it counts from now on.',
      default: APP_API_DEFAULTS.missingTimestamp,
    })
    .optional(),
  checkpoint: text('The checkpoint of usage events, relative to this file.', {
    default: APP_API_DEFAULTS.checkpoint,
  }),
  rejects: text('Folder for rejected and failed usage events, relative to this file.', {
    default: APP_API_DEFAULTS.rejects,
  }),
  usageEvents: z
    .record(z.string(), z.unknown())
    .meta({
      description: 'How a row becomes a usage event, in the language of mappings (see docs/billing-data.md).',
    })
    .optional(),
});

const customersWithoutEmail = z
  .union([z.literal('reject'), z.strictObject({ synthesize: z.string() })])
  .meta({
    description:
      'A customer without an e-mail address: "reject" the ticket, or "synthesize" an address under a domain of yours.',
    default: 'reject',
    examples: ['reject', { synthesize: 'customers.example.com' }],
  })
  .optional();

/** The whole file; `mapping` is the schema of the section of that name, which the layouts' language defines. */
export function settingsFileSchema(mapping: z.ZodType = z.unknown()) {
  return z.strictObject({
    target: target.meta({ description: 'The helpdesk service that tickets are imported into.' }).optional(),
    source: source.meta({ description: 'The export and how to read it.' }).optional(),
    run: run.meta({ description: 'How the run goes.' }).optional(),
    agents: z
      .union([z.string(), z.record(z.string(), z.union([z.string(), z.number()]))])
      .meta({
        description:
          "Agents of the source and their ids in the target: the source's id or e-mail address, and the agent id; or the name of a CSV file with both.",
        examples: [{ 'ana@example.com': 'agt_01' }, 'agents.csv'],
      })
      .optional(),
    fallbackAgent: z
      .union([z.string(), z.number()])
      .meta({ description: 'Agent id for agents of the source that are not listed, such as those who left.' })
      .optional(),
    customersWithoutEmail,
    appApi: appApi.meta({ description: 'The app API: usage events, customers, usage metrics.' }).optional(),
    confirm: z
      .record(z.string(), z.boolean())
      .meta({
        description:
          'Findings about a proposed mapping that you have looked at: `true` says that it is right as it is. With this section, the graver of the others stop a run before anything is sent.',
        examples: [{ 'few-requesters': true }],
      })
      .optional(),
    mapping: mapping.optional(),
  });
}

export type FileSettings = z.infer<ReturnType<typeof settingsFileSchema>>;

/** A JSON schema of the file, for editors. */
export function settingsJsonSchema(mapping?: z.ZodType): Record<string, unknown> {
  return {
    ...z.toJSONSchema(settingsFileSchema(mapping), {
      io: 'input',
      target: 'draft-07',
      unrepresentable: 'any',
    }),
    title: 'Settings of helpdesk-import',
  };
}
