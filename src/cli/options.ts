/**
 * The options of `run`, as one table: commander, the reference in the docs and the test that compares them with the
 * contract all read it. Values stay text here; settings/ turns them into numbers and complains about all at once.
 */
export interface OptionSpec {
  /** As commander takes it: `-c, --config <file>`. */
  readonly flags: string;
  readonly description: string;
  /** What happens when it is not given, in words. */
  readonly byDefault?: string;
  readonly example?: string;
  readonly group: OptionGroup;
  /** May be given more than once. */
  readonly repeat?: boolean;
  /** Says what an import is about, whatever its group: it goes along to other commands (typed-command.ts). */
  readonly carried?: true;
}

/** `-c, --config <file>` → `--config` */
export function longFlag(flags: string): string {
  return /--[a-z-]+/.exec(flags)?.[0] ?? '';
}

export const OPTION_GROUPS = [
  'What to do',
  'What to read',
  'Where to send it',
  'How to send it',
  'What is written',
  'The screen',
] as const;
export type OptionGroup = (typeof OPTION_GROUPS)[number];

export const RUN_OPTIONS: readonly OptionSpec[] = [
  {
    flags: '--dry-run',
    description:
      'read, map and validate everything, send nothing, change no checkpoint; report every problem, not the first',
    example: 'helpdesk-import run export.jsonl --dry-run',
    group: 'What to do',
  },
  {
    flags: '--trial [n]',
    description:
      'import 5 to 10 tickets, chosen to be the most telling ones, then check them; a later run goes on from there',
    byDefault: '8',
    example: 'helpdesk-import run export.jsonl --trial',
    group: 'What to do',
  },
  {
    flags: '--sandbox [dir]',
    description: 'import into an embedded local service instead of a real one, with a checkpoint of its own',
    byDefault: 'helpdesk-import.sandbox',
    example: 'helpdesk-import run export.jsonl --sandbox',
    group: 'What to do',
    carried: true,
  },
  {
    flags: '--serve',
    description: 'with --sandbox: keep the service open after the run, to look at the tickets, until Ctrl-C',
    example: 'helpdesk-import run export.jsonl --sandbox --serve',
    group: 'What to do',
  },
  {
    flags: '--explain <id>',
    description:
      'for one ticket: every field of every payload with the file, line, column and rule it came from',
    example: 'helpdesk-import run export.jsonl --explain 4711',
    group: 'What to do',
  },
  {
    flags: '--delta',
    description: 'bring in what is new or has new messages since the last run',
    example: 'helpdesk-import run export-of-today.jsonl --delta',
    group: 'What to do',
    carried: true,
  },
  {
    flags: '--replace-messages',
    description: "with --delta, where the target can't be read: replace threads all the same",
    example: 'helpdesk-import run export-of-today.jsonl --delta --replace-messages',
    group: 'What to do',
    carried: true,
  },
  {
    flags: '--yes',
    description: 'no questions',
    example: 'helpdesk-import run export.jsonl --yes',
    group: 'What to do',
  },
  {
    flags: '-c, --config <file>',
    description: 'configuration file',
    byDefault: 'helpdesk-import.yaml if there',
    example: 'helpdesk-import run export.jsonl -c zendesk.yaml',
    group: 'What to read',
  },
  {
    flags: '--from <layout>',
    description: 'name the layout instead of detecting it',
    byDefault: 'auto',
    example: 'helpdesk-import run tickets.json --from zendesk',
    group: 'What to read',
  },
  {
    flags: '--source-name <name>',
    description:
      'what this source is called in the tags of its tickets: a second brand needs a name of its own',
    byDefault: 'the platform of the layout',
    example: 'helpdesk-import run brand-b.json --source-name brand-b',
    group: 'What to read',
  },
  {
    flags: '--encoding <name>',
    description: 'the encoding of text files that do not say it themselves, e.g. windows-1252',
    byDefault: 'detected',
    example: 'helpdesk-import run tickets.csv --encoding windows-1252',
    group: 'What to read',
  },
  {
    flags: '--delimiter <char>',
    description: 'what separates the cells of CSV files: , ; | or tab',
    byDefault: 'detected',
    example: "helpdesk-import run tickets.csv --delimiter ';'",
    group: 'What to read',
  },
  {
    flags: '--since <time>',
    description: 'only tickets created at or after this time',
    example: 'helpdesk-import run export.jsonl --since 2024-01-01T00:00:00Z',
    group: 'What to read',
  },
  {
    flags: '--until <time>',
    description: 'only tickets created before this time',
    example: 'helpdesk-import run export.jsonl --until 2025-01-01T00:00:00Z',
    group: 'What to read',
  },
  {
    flags: '--only <ids>',
    description: 'only these tickets: external ids with commas between, or @file with one a line',
    example: 'helpdesk-import run export.jsonl --only 4711,4712',
    group: 'What to read',
  },
  {
    flags: '--limit <n>',
    description: 'only the first n tickets of what is selected otherwise',
    example: 'helpdesk-import run export.jsonl --limit 500',
    group: 'What to read',
  },
  {
    flags: '--shard <i/n>',
    description: 'this process takes its part of the export, i from 1',
    example: 'helpdesk-import run export.jsonl --shard 2/4',
    group: 'What to read',
  },
  {
    flags: '--base-url <url>',
    description: 'the target',
    byDefault: 'HELPDESK_BASE_URL, target.baseUrl',
    example: 'helpdesk-import run export.jsonl --base-url https://helpdesk.example.com',
    group: 'Where to send it',
  },
  {
    flags: '--checkpoint <file>',
    description: 'the SQLite checkpoint',
    byDefault: 'helpdesk-import.checkpoint.sqlite',
    example: 'helpdesk-import run export.jsonl --checkpoint acme.sqlite',
    group: 'Where to send it',
  },
  {
    flags: '--batch-size <n>',
    description: 'tickets per batch (50 to 100 recommended; others warn)',
    byDefault: '100',
    example: 'helpdesk-import run export.jsonl --batch-size 50',
    group: 'How to send it',
  },
  {
    flags: '--concurrency <n|auto>',
    description: 'tickets in flight',
    byDefault: 'auto',
    example: 'helpdesk-import run export.jsonl --concurrency 8',
    group: 'How to send it',
  },
  {
    flags: '--rate <n/seconds>',
    description:
      'request budget; may be given more than once; never more than n requests in any window of that length, reads and retries included; given at all, it replaces both defaults',
    byDefault: '1000/60 and 5000/300',
    example: 'helpdesk-import run export.jsonl --rate 250/5 --rate 1000/60',
    group: 'How to send it',
    repeat: true,
  },
  {
    flags: '--timeout <seconds>',
    description: 'a request without an answer by then has an unknown outcome',
    byDefault: '30',
    example: 'helpdesk-import run export.jsonl --timeout 60',
    group: 'How to send it',
  },
  {
    flags: '--max-errors <n|n%>',
    description: 'stop when more tickets than this are rejected or failed',
    byDefault: 'none',
    example: 'helpdesk-import run export.jsonl --max-errors 5%',
    group: 'How to send it',
  },
  {
    flags: '--on-in-doubt <hold|lookup|retry>',
    description: 'what to do with a create whose outcome is unknown',
    byDefault: "lookup, and hold where the target can't be read",
    example: 'helpdesk-import run export.jsonl --on-in-doubt hold',
    group: 'How to send it',
  },
  {
    flags: '--check-attachments',
    description:
      'ask for the headers of every attachment (bounded HEAD requests); a trial always checks its own',
    example: 'helpdesk-import run export.jsonl --dry-run --check-attachments',
    group: 'How to send it',
  },
  {
    flags: '--rejects <dir>',
    description: "where rejected and failed tickets go, in the source's own columns",
    byDefault: 'helpdesk-import.rejects/',
    example: 'helpdesk-import run export.jsonl --rejects left-over/',
    group: 'What is written',
    carried: true,
  },
  {
    flags: '--report <file>',
    description: 'HTML report',
    example: 'helpdesk-import run export.jsonl --report report.html',
    group: 'What is written',
  },
  {
    flags: '--redact',
    description:
      'hide personal data in the report, and in problems on the screen and in --json: addresses, names, subjects, messages, quoted values',
    example: 'helpdesk-import run export.jsonl --dry-run --report report.html --redact',
    group: 'What is written',
  },
  {
    flags: '--json',
    description: 'one JSON summary on standard output; everything else on standard error',
    example: 'helpdesk-import run export.jsonl --json > summary.json',
    group: 'What is written',
  },
  {
    flags: '--max-problems <n>',
    description: 'rows of problems in the JSON summary and the report',
    byDefault: '1000',
    example: 'helpdesk-import run export.jsonl --dry-run --json --max-problems 50000',
    group: 'What is written',
  },
  {
    flags: '--quiet',
    description: 'only the verdict, the counts and the errors',
    example: 'helpdesk-import run export.jsonl --quiet',
    group: 'The screen',
  },
  {
    flags: '--verbose',
    description: 'every request, retry and wait',
    example: 'helpdesk-import run export.jsonl --verbose',
    group: 'The screen',
  },
  {
    flags: '--no-color',
    description: 'no colours',
    example: 'helpdesk-import run export.jsonl --no-color',
    group: 'The screen',
  },
  {
    flags: '--no-progress',
    description: 'plain lines instead of the bar',
    example: 'helpdesk-import run export.jsonl --no-progress',
    group: 'The screen',
  },
];
