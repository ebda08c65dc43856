/** `helpdesk-import billing …`: flags, help and examples of the commands that use the app API. */
import { type CommandSpec, JSON_RESULT, NEEDED_FILES, shared } from '../../cli/command.ts';
import { type OptionSpec, option } from '../../settings/option-spec.ts';
import { ALL_SETTINGS, optionOf } from '../../settings/table/table.ts';

const APP_URL: readonly OptionSpec[] = ALL_SETTINGS.filter(({ section }) => section === 'appApi').flatMap(
  (setting) => optionOf(setting) ?? [],
);

/** Of the commands that ask one thing. */
const ASKING: readonly OptionSpec[] = [
  shared('--sandbox', { description: 'ask the local sandbox service instead of a real one' }),
  shared('--config'),
  ...APP_URL,
  JSON_RESULT,
];

const condition = (flags: string, description: string, more: Partial<OptionSpec> = {}): OptionSpec => ({
  flags,
  description,
  group: 'What to do',
  ...more,
});

const GATE_OPTIONS: readonly OptionSpec[] = [
  condition(
    '--feature <name>',
    'the feature is on, or its limit is not reached; may be given more than once',
    {
      repeat: true,
    },
  ),
  condition(
    '--count <n|metric>',
    'how much of a limit is used: a number, or a usage metric such as seats or orders.last30Days',
    { byDefault: '0' },
  ),
  condition(
    '--plan <names>',
    'the plan is one of these, by id or name, comma-separated; the subscription must be active or in a trial, unless --status says otherwise',
  ),
  condition(
    '--status <words>',
    'the subscription status is one of these: active, trialing, canceled, frozen, none',
  ),
  condition(
    '--usage <comparison>',
    "a usage metric compared with a number by < <= = != >= >; its window behind a dot: 'orders.last30Days < 100'; may be given more than once",
    { repeat: true },
  ),
  ...ASKING,
];

const USAGE_EVENTS_OPTIONS: readonly OptionSpec[] = [
  shared('--dry-run', { description: 'read, map and check every event; send nothing' }),
  shared('--sandbox', { description: 'send to the local sandbox service instead of a real one' }),
  shared('--yes'),
  shared('--config', { description: 'settings file; appApi.usageEvents in it maps columns' }),
  shared('--encoding'),
  shared('--delimiter'),
  shared('--limit', { description: 'only the first n events' }),
  ...APP_URL,
  shared('--max-errors', { description: 'stop when more events than this are rejected or failed' }),
  option(
    'What is written',
    '--rejects <file>',
    "where rows that were not taken go, in the source's own columns",
    { byDefault: 'helpdesk-import.usage-rejects.csv or .jsonl' },
  ),
  shared('--json'),
];

function usageEventsHelp(): string {
  return `
Files: CSV, JSONL or JSON with eventName, customerId, eventId, timestamp and properties (or properties.<name>); other
  columns are mapped under appApi.usageEvents. An event without an id gets one that is made from its row. The service
  counts each event once for its id, so after any stop run the same command again.

Environment: HELPDESK_APP_URL, HELPDESK_APP_ID, HELPDESK_APP_KEY.

Exit codes: 0 done · 2 wrong usage or configuration · 3 some events rejected or failed · 4 some in doubt: run again ·
  5 key refused · 6 stopped early, run again · 130, 143 interrupted, run again`;
}

function gateHelp(): string {
  return `
All conditions must hold. A limit with overage is never reached: more is charged.

Exit codes: 0 allowed · 3 not allowed · 2 wrong usage or configuration · 5 key refused · 6 the app API cannot be reached`;
}

export const usageEvents: CommandSpec = {
  name: 'usage-events',
  parent: 'billing',
  argument: NEEDED_FILES,
  description: 'send usage events from CSV, JSON or JSONL to the app API',
  group: 'Billing data',
  options: USAGE_EVENTS_OPTIONS,
  examples: [
    ['billing usage-events events.csv --dry-run', 'check them; nothing is sent'],
    ['billing usage-events events.csv', 'send them'],
  ],
  help: usageEventsHelp,
  load: async () => (await import('./usage-events.ts')).usageEventsCommand,
};

export const customer: CommandSpec = {
  name: 'customer',
  parent: 'billing',
  argument: ['<id>', 'id of the customer'],
  description: 'subscription status, plan, features and usage of a customer',
  group: 'Billing data',
  options: ASKING,
  examples: [['billing customer shop-1', 'plan, features and usage of a customer']],
  load: async () => (await import('./customer.ts')).customerCommand,
};

export const usage: CommandSpec = {
  name: 'usage',
  parent: 'billing',
  argument: ['[customer]', 'id of a customer'],
  description: 'usage metrics',
  group: 'Billing data',
  options: ASKING,
  examples: [
    ['billing usage', 'the metrics of the app'],
    ['billing usage shop-1', 'what a customer has used'],
  ],
  load: async () => (await import('./customer.ts')).usageCommand,
};

export const gate: CommandSpec = {
  name: 'gate',
  parent: 'billing',
  argument: ['<customer>', 'id of the customer'],
  description: 'may the customer use it? exit 0 when allowed, 3 when not, with the reason',
  group: 'Billing data',
  options: GATE_OPTIONS,
  examples: [['billing gate shop-1 --feature exports', 'may the customer use it?']],
  help: gateHelp,
  load: async () => (await import('./customer.ts')).gateCommand,
};
