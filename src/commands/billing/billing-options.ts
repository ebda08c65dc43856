/** The options of the commands that speak with the app API, and the words below them. */
import { type OptionSpec, optionsOfRun } from '../../cli/options.ts';
import { APP_API } from '../../settings/table/app-api.ts';

/** Those of commands that ask one thing. */
const ASKING: readonly OptionSpec[] = optionsOfRun([
  ['--sandbox', 'ask the local sandbox service instead of a real one'],
  '--config',
  APP_API.baseUrl,
  ['--json', 'one JSON object on standard output'],
]);

export const CUSTOMER_OPTIONS = ASKING;
export const USAGE_OPTIONS = ASKING;

export const GATE_OPTIONS: readonly OptionSpec[] = [
  {
    flags: '--feature <name>',
    description: 'the feature is on, or its limit is not reached; may be given more than once',
    group: 'What to do',
    repeat: true,
  },
  {
    flags: '--count <n|metric>',
    description:
      'how much of a limit is used: a number, or a usage metric such as seats or orders.last30Days',
    byDefault: '0',
    group: 'What to do',
  },
  {
    flags: '--plan <names>',
    description:
      'the plan is one of these, by id or name, comma-separated; the subscription must be active or in a trial, unless --status says otherwise',
    group: 'What to do',
  },
  {
    flags: '--status <words>',
    description: 'the subscription status is one of these: active, trialing, canceled, frozen, none',
    group: 'What to do',
  },
  {
    flags: '--usage <comparison>',
    description:
      "a usage metric compared with a number by < <= = != >= >; its window behind a dot: 'orders.last30Days < 100'; may be given more than once",
    group: 'What to do',
    repeat: true,
  },
  ...ASKING,
  {
    flags: '--quiet',
    description: 'no words, only the exit code',
    group: 'Display',
  },
];

export const USAGE_EVENTS_OPTIONS: readonly OptionSpec[] = optionsOfRun([
  ['--dry-run', 'read, map and check every event, send nothing, change no checkpoint'],
  [
    '--trial',
    'send 5 to 10 representative events, then look for them in the target; a later run goes on from there',
  ],
  ['--sandbox', 'send to the local sandbox service instead of a real one, with its own checkpoint'],
  '--yes',
  ['--config', 'settings file; appApi.usageEvents in it maps columns'],
  '--encoding',
  '--delimiter',
  ['--limit', 'only the first n events of what is selected otherwise; of list: the newest n (default: 50)'],
  {
    flags: '--customer <id>',
    description: 'with list: only events of this customer',
    group: 'What to read',
  },
  {
    flags: '--event <name>',
    description: 'with list: only events of this name',
    group: 'What to read',
  },
  APP_API.baseUrl,
  APP_API.checkpoint,
  ['--max-errors', 'stop when more events than this are rejected or failed'],
  APP_API.rejects,
  '--json',
  '--quiet',
]);

/** What stands below the options. */
export function usageEventsHelp(): string {
  return `
Files: CSV, JSONL or JSON with eventName, customerId, eventId, timestamp and properties (or properties.<name>); other
  columns are mapped under appApi.usageEvents. An event without an id gets one that is made from its row, so that sending
  it again counts once.

List: helpdesk-import billing usage-events list [--customer <id>] [--event <name>] shows the newest events, where the target
  offers it. A file called list is named ./list.

Environment: HELPDESK_APP_URL, HELPDESK_APP_ID, HELPDESK_APP_KEY.

Exit codes: 0 done · 2 wrong usage or configuration · 3 some events rejected or failed · 4 some in doubt: run again ·
  5 key refused · 6 stopped early, run again to resume · 130, 143 interrupted, run again to resume`;
}

export function gateHelp(): string {
  return `
All conditions must hold. A limit with overage is never reached: what goes beyond it is charged.

Exit codes: 0 allowed · 3 not allowed · 2 wrong usage or configuration · 5 key refused · 6 the app API cannot be reached`;
}
