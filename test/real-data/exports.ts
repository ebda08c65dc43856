/**
 * The real exports that this program is proven with, and what it makes of each: one row an export. They are not part of the
 * repository (their licences differ); the tests that read them run where `../shared/data` exists.
 */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../..');
export const DATA = resolve(root, '../shared/data');
export const SETTINGS = join(root, 'fixtures/real-data');
export const hasData = existsSync(DATA);

/** A line of what `init` wrote that a person has to decide. */
export interface Edit {
  /** The line to replace, by its key; without it the line is new and stands at the end. */
  readonly key?: string;
  readonly line: string;
}

export interface RealExport {
  /** Below DATA. */
  readonly folder: string;
  /** What it is, in words. */
  readonly source: string;
  readonly edits: readonly Edit[];
  /** The layout under which the dry run goes with the settings; `export` is a mapping that `init` proposed. */
  readonly layout: string;
  /** With the settings. */
  readonly tickets: {
    readonly read: number;
    readonly good: number;
    readonly rejected: number;
    readonly left: number;
  };
  readonly messages: number;
  readonly events: number;
  /** Without any settings: rejected tickets and the errors by code; undefined where the layout is not known. */
  readonly alone:
    | { readonly rejected: number; readonly errors: Readonly<Record<string, number>> }
    | undefined;
  /** What in the data itself is odd or missing, and what became of it. */
  readonly remarks: string;
}

const decide = (key: string, value: string): Edit => ({ key, line: `${key}: ${value}` });
const ZONE_UTC = decide('timezone', 'UTC');
const FALLBACK = decide('fallbackAgent', 'agt_1');
const MADE_UP = decide('synthesize', 'customers.example.com');
const BEGINNING = decide('missingCreatedAt', '2020-01-01T00:00:00Z');

export const REAL_EXPORTS: readonly RealExport[] = [
  {
    folder: 'abcd_dialogues_json',
    source: 'Dialogues of a shop, nested JSON',
    edits: [BEGINNING, FALLBACK, MADE_UP, { key: '- each', line: '- each: original' }],
    layout: 'export',
    tickets: { read: 3, good: 3, rejected: 0, left: 0 },
    messages: 72,
    events: 0,
    alone: undefined,
    remarks: 'No times, subjects or statuses: messages keep their order, the first words become the subject.',
  },
  {
    folder: 'chat_import_template_tsv',
    source: 'Template of a chat product, a row a message',
    edits: [MADE_UP],
    layout: 'export',
    tickets: { read: 2, good: 2, rejected: 0, left: 0 },
    messages: 5,
    events: 0,
    alone: { rejected: 2, errors: { 'missing-contact': 3 } },
    remarks: 'Customers have no address and no name.',
  },
  {
    folder: 'ecommerce_db_dump_tables',
    source: 'Database dump of a shop, three tables',
    edits: [ZONE_UTC, decide('VENDOR', 'agent')],
    layout: 'export',
    tickets: { read: 1000, good: 1000, rejected: 0, left: 0 },
    messages: 1000,
    events: 0,
    alone: undefined,
    remarks:
      '382 tickets have no messages; 336 messages were sent before their ticket was created. The password column is not read.',
  },
  {
    folder: 'freshdesk_api_json/v1',
    source: 'Freshdesk, API v1',
    edits: [FALLBACK, MADE_UP],
    layout: 'freshdesk-v1',
    tickets: { read: 1, good: 1, rejected: 0, left: 0 },
    messages: 2,
    events: 0,
    alone: { rejected: 1, errors: { 'missing-contact': 1, 'missing-agent': 1 } },
    remarks: '',
  },
  {
    folder: 'freshdesk_api_json/v2',
    source: 'Freshdesk, API v2',
    edits: [MADE_UP],
    layout: 'freshdesk',
    tickets: { read: 1, good: 1, rejected: 0, left: 0 },
    messages: 3,
    events: 0,
    alone: { rejected: 1, errors: { 'missing-contact': 1 } },
    remarks: 'Five files hold one ticket; duplicates count once. One message is older than its ticket.',
  },
  {
    folder: 'github_issues_fivetran_tables',
    source: 'GitHub issues, tables of a warehouse',
    edits: [MADE_UP],
    layout: 'github-issues',
    tickets: { read: 197, good: 30, rejected: 0, left: 167 },
    messages: 65,
    events: 16,
    alone: { rejected: 30, errors: { 'missing-contact': 65 } },
    remarks:
      '167 pull requests are left out; 246 rows belong to missing issues; users have no address; 14 issues were closed before they were created.',
  },
  {
    folder: 'gorgias_api_json',
    source: 'Gorgias, API',
    edits: [],
    layout: 'gorgias',
    tickets: { read: 2, good: 2, rejected: 0, left: 0 },
    messages: 7,
    events: 0,
    alone: { rejected: 0, errors: {} },
    remarks: '',
  },
  {
    folder: 'helpscout_v2_json',
    source: 'Help Scout, API v2',
    edits: [],
    layout: 'helpscout',
    tickets: { read: 3, good: 3, rejected: 0, left: 0 },
    messages: 3,
    events: 0,
    alone: { rejected: 0, errors: {} },
    remarks: 'One file of threads names no conversation.',
  },
  {
    folder: 'hubspot_api_json',
    source: 'HubSpot, API',
    edits: [MADE_UP],
    layout: 'hubspot',
    tickets: { read: 22, good: 22, rejected: 0, left: 0 },
    messages: 13,
    events: 0,
    alone: { rejected: 13, errors: { 'missing-contact': 13 } },
    remarks: 'The export names no requesters; 9 tickets have no text.',
  },
  {
    folder: 'hubspot_fivetran_tables',
    source: 'HubSpot, tables of a warehouse',
    edits: [
      MADE_UP,
      { key: '1626129', line: '"1626129": open' },
      { key: '1706266', line: '"1706266": open' },
      { key: '7970058', line: '"7970058": open' },
    ],
    layout: 'hubspot-tables',
    tickets: { read: 25, good: 25, rejected: 0, left: 0 },
    messages: 25,
    events: 0,
    alone: { rejected: 25, errors: { 'missing-contact': 25, 'unmapped-value': 24 } },
    remarks: 'The stages of 24 tickets are missing; contacts and engagements belong to missing tickets.',
  },
  {
    folder: 'jira_api_json',
    source: 'Jira, API',
    edits: [],
    layout: 'jira',
    tickets: { read: 16, good: 16, rejected: 0, left: 0 },
    messages: 1,
    events: 0,
    alone: { rejected: 0, errors: {} },
    remarks: '15 of 16 issues have no text; one changelog does not name its issue.',
  },
  {
    folder: 'jira_csv_export_en',
    source: 'Jira, CSV export',
    edits: [ZONE_UTC, FALLBACK, MADE_UP],
    layout: 'jira-csv',
    tickets: { read: 22, good: 22, rejected: 0, left: 0 },
    messages: 20,
    events: 0,
    alone: { rejected: 22, errors: { 'time-without-zone': 52, 'missing-agent': 17, 'missing-contact': 3 } },
    remarks: '13 issues have no text; people have no addresses.',
  },
  {
    folder: 'jira_fivetran_tables',
    source: 'Jira, tables of a warehouse',
    edits: [FALLBACK, MADE_UP, { key: '10003', line: '"10003": open' }],
    layout: 'jira-tables',
    tickets: { read: 4, good: 4, rejected: 0, left: 0 },
    messages: 4,
    events: 0,
    alone: { rejected: 4, errors: { 'missing-contact': 2, 'unmapped-value': 2, 'missing-agent': 2 } },
    remarks: 'One status is missing; 3 comments belong to missing issues.',
  },
  {
    folder: 'jira_fivetran_tables/unified_rag',
    source: 'Jira, tables of a warehouse (a smaller copy)',
    edits: [FALLBACK, MADE_UP, { key: '10003', line: '"10003": open' }],
    layout: 'jira-tables',
    tickets: { read: 3, good: 3, rejected: 0, left: 0 },
    messages: 4,
    events: 0,
    alone: { rejected: 3, errors: { 'missing-agent': 3, 'unmapped-value': 2, 'missing-contact': 1 } },
    remarks: 'One status is missing.',
  },
  {
    folder: 'kaggle_customer_support_tickets',
    source: 'A CSV with a row a ticket',
    edits: [ZONE_UTC, BEGINNING, FALLBACK],
    layout: 'export',
    tickets: { read: 8469, good: 8469, rejected: 0, left: 0 },
    messages: 11238,
    events: 0,
    alone: { rejected: 8469, errors: { 'missing-time': 19707, 'missing-agent': 2769 } },
    remarks: 'No creation times: 5,700 tickets get the configured one, the others their resolution time.',
  },
  {
    folder: 'nyc311_service_requests',
    source: 'A city’s service requests, a row a request',
    edits: [decide('timezone', 'America/New_York'), FALLBACK, MADE_UP, decide('Email Sent', 'closed')],
    layout: 'export',
    tickets: { read: 1000, good: 1000, rejected: 0, left: 0 },
    messages: 1931,
    events: 0,
    alone: undefined,
    remarks:
      'No names or addresses: tickets have no contact. 41 answers and 10 closing times are older than their request.',
  },
  {
    folder: 'salesforce_cases_api_json',
    source: 'Salesforce, cases by SOQL',
    edits: [],
    layout: 'salesforce',
    tickets: { read: 26, good: 26, rejected: 0, left: 0 },
    messages: 0,
    events: 0,
    alone: { rejected: 0, errors: {} },
    remarks: 'No contacts, no texts; 23 cases were closed before they were created.',
  },
  {
    folder: 'servicenow_fivetran_tables',
    source: 'ServiceNow, tables of a warehouse',
    edits: [MADE_UP],
    layout: 'servicenow',
    tickets: { read: 1, good: 1, rejected: 0, left: 0 },
    messages: 1,
    events: 0,
    alone: { rejected: 1, errors: { 'missing-contact': 1 } },
    remarks: '',
  },
  {
    folder: 'servicenow_uci_event_log',
    source: 'ServiceNow, a row an update',
    edits: [ZONE_UTC],
    layout: 'servicenow-log',
    tickets: { read: 890, good: 890, rejected: 0, left: 0 },
    messages: 0,
    events: 2189,
    alone: { rejected: 890, errors: { 'time-without-zone': 4830 } },
    remarks: 'No texts, subjects or people: tickets have their history only.',
  },
  {
    folder: 'twitter_care_dialogs_json',
    source: 'Conversations on Twitter, nested JSON',
    edits: [FALLBACK, MADE_UP],
    layout: 'export',
    tickets: { read: 120, good: 120, rejected: 0, left: 0 },
    messages: 154,
    events: 0,
    alone: undefined,
    remarks: '',
  },
  {
    folder: 'ubuntu_dialogue_messages',
    source: 'Chat logs, a row a message',
    edits: [FALLBACK, MADE_UP, decide('otherAuthors', 'agent')],
    layout: 'export',
    tickets: { read: 3333, good: 3333, rejected: 0, left: 0 },
    messages: 9997,
    events: 0,
    alone: undefined,
    remarks: '2 rows have no text; 36 rows are older than the first of their conversation.',
  },
  {
    folder: 'zendesk_airbyte_ndjson',
    source: 'Zendesk, Airbyte stream',
    edits: [],
    layout: 'zendesk',
    tickets: { read: 14, good: 14, rejected: 0, left: 0 },
    messages: 14,
    events: 0,
    alone: { rejected: 0, errors: {} },
    remarks: '',
  },
  {
    folder: 'zendesk_fivetran_tables',
    source: 'Zendesk, tables of a warehouse',
    edits: [MADE_UP],
    layout: 'zendesk-tables',
    tickets: { read: 10, good: 8, rejected: 0, left: 2 },
    messages: 8,
    events: 8,
    alone: { rejected: 7, errors: { 'missing-contact': 7 } },
    remarks:
      '2 deleted tickets. All comments and half of the history belong to missing tickets; most requesters are missing.',
  },
  {
    folder: 'zendesk_fivetran_tables/joined',
    source: 'Zendesk, tables of a warehouse (comments that join)',
    edits: [MADE_UP, decide('otherAuthors', 'agent'), { line: 'fallbackAgent: agt_1' }],
    layout: 'zendesk-tables',
    tickets: { read: 10, good: 7, rejected: 0, left: 3 },
    messages: 23,
    events: 0,
    alone: { rejected: 7, errors: { 'unknown-author': 16, 'missing-contact': 7 } },
    remarks: '3 deleted tickets; most authors are missing. One comment belongs to no ticket.',
  },
  {
    folder: 'zohodesk_api_json',
    source: 'Zoho Desk, API',
    edits: [],
    layout: 'zohodesk',
    tickets: { read: 7, good: 7, rejected: 0, left: 0 },
    messages: 2,
    events: 0,
    alone: { rejected: 0, errors: {} },
    remarks: 'The threads name no ticket; 5 tickets have no description.',
  },
];

/** Name of an export's settings file. */
export function settingsFile({ folder }: RealExport): string {
  return join(SETTINGS, `${folder.replaceAll('/', '.')}.yaml`);
}
