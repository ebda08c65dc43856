/** The options of the commands that work with the app API, and the words below them. */
import { type OptionSpec, optionsOfRun } from '../../cli/options.ts';
import { APP_API } from '../../settings/table/app-api.ts';

/** Of the commands that ask one thing. */
export const ASKING_OPTIONS: readonly OptionSpec[] = optionsOfRun([
  ['--sandbox', 'ask the local sandbox service instead of a real one'],
  '--config',
  APP_API.baseUrl,
  ['--json', 'one JSON object on standard output'],
]);

const condition = (flags: string, description: string, more: Partial<OptionSpec> = {}): OptionSpec => ({
  flags,
  description,
  group: 'What to do',
  ...more,
});

export const GATE_OPTIONS: readonly OptionSpec[] = [
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
  ...ASKING_OPTIONS,
];

export const USAGE_EVENTS_OPTIONS: readonly OptionSpec[] = optionsOfRun([
  ['--dry-run', 'read, map and check every event; send nothing'],
  ['--sandbox', 'send to the local sandbox service instead of a real one'],
  '--yes',
  ['--config', 'settings file; appApi.usageEvents in it maps columns'],
  '--encoding',
  '--delimiter',
  ['--limit', 'only the first n events'],
  APP_API.baseUrl,
  ['--max-errors', 'stop when more events than this are rejected or failed'],
  {
    flags: '--rejects <file>',
    description: "where rows that were not taken go, in the source's own columns",
    byDefault: 'helpdesk-import.usage-rejects.csv or .jsonl',
    group: 'What is written',
  },
  '--json',
]);

export function usageEventsHelp(): string {
  return `
Files: CSV, JSONL or JSON with eventName, customerId, eventId, timestamp and properties (or properties.<name>); other
  columns are mapped under appApi.usageEvents. An event without an id gets one that is made from its row. The service
  counts each event once for its id, so after any stop run the same command again.

Environment: HELPDESK_APP_URL, HELPDESK_APP_ID, HELPDESK_APP_KEY.

Exit codes: 0 done · 2 wrong usage or configuration · 3 some events rejected or failed · 4 some in doubt: run again ·
  5 key refused · 6 stopped early, run again · 130, 143 interrupted, run again`;
}

export function gateHelp(): string {
  return `
All conditions must hold. A limit with overage is never reached: more is charged.

Exit codes: 0 allowed · 3 not allowed · 2 wrong usage or configuration · 5 key refused · 6 the app API cannot be reached`;
}
