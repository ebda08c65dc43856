/** The options of `usage-events`, and the words below them. */
import type { OptionSpec } from './options.ts';

export const USAGE_EVENTS_OPTIONS: readonly OptionSpec[] = [
  {
    flags: '--dry-run',
    description: 'read, map and check every event, send nothing, change no checkpoint',
    example: 'helpdesk-import usage-events usage.csv --dry-run',
    group: 'What to do',
  },
  {
    flags: '--trial [n]',
    description:
      'send 5 to 10 telling events, then look for them in the target; a later run goes on from there',
    byDefault: '8',
    example: 'helpdesk-import usage-events usage.csv --trial',
    group: 'What to do',
  },
  {
    flags: '--sandbox [dir]',
    description: 'send to an embedded local service instead of a real one, with a checkpoint of its own',
    byDefault: 'helpdesk-import.sandbox',
    example: 'helpdesk-import usage-events usage.csv --sandbox',
    group: 'What to do',
  },
  {
    flags: '--yes',
    description: 'no questions',
    example: 'helpdesk-import usage-events usage.csv --yes',
    group: 'What to do',
  },
  {
    flags: '-c, --config <file>',
    description: 'configuration file; appApi.usageEvents in it maps columns',
    byDefault: 'helpdesk-import.yaml if there',
    example: 'helpdesk-import usage-events usage.csv -c billing.yaml',
    group: 'What to read',
  },
  {
    flags: '--encoding <name>',
    description: 'the encoding of text files that do not say it themselves, e.g. windows-1252',
    byDefault: 'detected',
    example: 'helpdesk-import usage-events usage.csv --encoding windows-1252',
    group: 'What to read',
  },
  {
    flags: '--delimiter <char>',
    description: 'what separates the cells of CSV files: , ; | or tab',
    byDefault: 'detected',
    example: "helpdesk-import usage-events usage.csv --delimiter ';'",
    group: 'What to read',
  },
  {
    flags: '--since <time>',
    description: 'only events at or after this time',
    example: 'helpdesk-import usage-events usage.csv --since 2024-01-01T00:00:00Z',
    group: 'What to read',
  },
  {
    flags: '--until <time>',
    description: 'only events before this time',
    example: 'helpdesk-import usage-events usage.csv --until 2025-01-01T00:00:00Z',
    group: 'What to read',
  },
  {
    flags: '--only <ids>',
    description: 'only these events: event ids with commas between, or @file with one a line',
    example: 'helpdesk-import usage-events usage.csv --only evt-1,evt-2',
    group: 'What to read',
  },
  {
    flags: '--limit <n>',
    description: 'only the first n events of what is selected otherwise; of list: the newest n (default: 50)',
    example: 'helpdesk-import usage-events list --limit 20',
    group: 'What to read',
  },
  {
    flags: '--shard <i/n>',
    description: 'this process takes its part of the customers, i from 1',
    example: 'helpdesk-import usage-events usage.csv --shard 2/4',
    group: 'What to read',
  },
  {
    flags: '--customer <id>',
    description: 'with list: only events of this customer',
    example: 'helpdesk-import usage-events list --customer shop-1',
    group: 'What to read',
  },
  {
    flags: '--event <name>',
    description: 'with list: only events of this name',
    example: 'helpdesk-import usage-events list --event order_created',
    group: 'What to read',
  },
  {
    flags: '--app-url <url>',
    description: 'address of the app API',
    byDefault: 'HELPDESK_APP_URL, appApi.baseUrl',
    example: 'helpdesk-import usage-events usage.csv --app-url https://appapi.example.com',
    group: 'Where to send it',
  },
  {
    flags: '--checkpoint <file>',
    description: 'the SQLite checkpoint of usage events',
    byDefault: 'helpdesk-import.usage.sqlite',
    example: 'helpdesk-import usage-events usage.csv --checkpoint acme-usage.sqlite',
    group: 'Where to send it',
  },
  {
    flags: '--events-per-request <n>',
    description: 'events in one request; with 1 each event goes alone, without a list',
    byDefault: '100',
    example: 'helpdesk-import usage-events usage.csv --events-per-request 1',
    group: 'How to send it',
  },
  {
    flags: '--concurrency <n|auto>',
    description: 'requests in flight',
    byDefault: 'auto',
    example: 'helpdesk-import usage-events usage.csv --concurrency 4',
    group: 'How to send it',
  },
  {
    flags: '--rate <n/seconds>',
    description:
      'request budget; may be given more than once; never more than n requests in any window of that length, repeats included; given at all, it replaces both defaults',
    byDefault: '1000/60 and 5000/300',
    example: 'helpdesk-import usage-events usage.csv --rate 250/5',
    group: 'How to send it',
    repeat: true,
  },
  {
    flags: '--timeout <seconds>',
    description: 'a request without an answer by then is sent again',
    byDefault: '30',
    example: 'helpdesk-import usage-events usage.csv --timeout 60',
    group: 'How to send it',
  },
  {
    flags: '--max-errors <n|n%>',
    description: 'stop when more events than this are rejected or failed',
    byDefault: 'none',
    example: 'helpdesk-import usage-events usage.csv --max-errors 5%',
    group: 'How to send it',
  },
  {
    flags: '--rejects <dir>',
    description: "where rejected and failed events go, in the source's own columns",
    byDefault: 'helpdesk-import.usage-rejects/',
    example: 'helpdesk-import usage-events usage.csv --rejects left-over/',
    group: 'What is written',
  },
  {
    flags: '--json',
    description: 'one JSON object on standard output; everything else on standard error',
    example: 'helpdesk-import usage-events usage.csv --json > summary.json',
    group: 'What is written',
  },
  {
    flags: '--max-problems <n>',
    description: 'rows of problems in the JSON summary',
    byDefault: '1000',
    example: 'helpdesk-import usage-events usage.csv --dry-run --json --max-problems 50000',
    group: 'What is written',
  },
  {
    flags: '--quiet',
    description: 'only the verdict, the counts and the errors',
    example: 'helpdesk-import usage-events usage.csv --quiet',
    group: 'The screen',
  },
  {
    flags: '--verbose',
    description: 'every request, retry and wait',
    example: 'helpdesk-import usage-events usage.csv --verbose',
    group: 'The screen',
  },
  {
    flags: '--no-color',
    description: 'no colours',
    example: 'helpdesk-import usage-events usage.csv --no-color',
    group: 'The screen',
  },
  {
    flags: '--no-progress',
    description: 'plain lines instead of a line that moves',
    example: 'helpdesk-import usage-events usage.csv --no-progress',
    group: 'The screen',
  },
];

/** What stands below the options. */
export function usageEventsHelp(): string {
  return `
Files: CSV, JSONL or JSON with eventName, customerId, eventId, timestamp and properties (or properties.<name>); other
  columns are mapped under appApi.usageEvents. An event without an id gets one that is made from its row, so that sending
  it again counts once.

List: helpdesk-import usage-events list [--customer <id>] [--event <name>] shows the newest events, where the target
  offers it. A file called list is named ./list.

Environment: HELPDESK_APP_URL, HELPDESK_APP_ID, HELPDESK_APP_KEY.

Exit codes: 0 done · 2 wrong usage or configuration · 3 some events rejected or failed · 4 some in doubt: run again ·
  5 key refused · 6 stopped early, run again to resume · 130, 143 interrupted, run again to resume`;
}
