/** The options of `doctor`. */
import type { OptionSpec } from '../../cli/options.ts';

export const DOCTOR_OPTIONS: readonly OptionSpec[] = [
  {
    flags: '--attachments',
    description: "with an export: ask each host of its attachments for one file's headers",
    example: 'helpdesk-import doctor export.jsonl --attachments',
    group: 'What to do',
  },
  {
    flags: '--sandbox [dir]',
    description: 'look at the embedded local service instead of a real one',
    byDefault: 'helpdesk-import.sandbox',
    example: 'helpdesk-import doctor --sandbox',
    group: 'What to do',
    carried: true,
  },
  {
    flags: '-c, --config <file>',
    description: 'configuration file',
    byDefault: 'helpdesk-import.yaml if there',
    example: 'helpdesk-import doctor -c zendesk.yaml',
    group: 'What to read',
  },
  {
    flags: '--from <layout>',
    description: 'name the layout instead of detecting it',
    byDefault: 'auto',
    example: 'helpdesk-import doctor tickets.json --from zendesk',
    group: 'What to read',
  },
  {
    flags: '--checkpoint <file>',
    description: 'the SQLite checkpoint',
    byDefault: 'helpdesk-import.checkpoint.sqlite',
    example: 'helpdesk-import doctor --checkpoint acme.sqlite',
    group: 'What to read',
  },
  {
    flags: '--base-url <url>',
    description: 'the target',
    byDefault: 'HELPDESK_BASE_URL, target.baseUrl',
    example: 'helpdesk-import doctor --base-url https://helpdesk.example.com',
    group: 'Where to send it',
  },
  {
    flags: '--rate <n/seconds>',
    description: 'the request budget that a run would have, to be compared with what the target names',
    byDefault: '1000/60 and 5000/300',
    example: 'helpdesk-import doctor --rate 250/5',
    group: 'How to send it',
    repeat: true,
  },
  {
    flags: '--timeout <seconds>',
    description: 'how long an answer may take',
    byDefault: '30',
    example: 'helpdesk-import doctor --timeout 5',
    group: 'How to send it',
  },
  {
    flags: '--json',
    description: 'one JSON object on standard output',
    example: 'helpdesk-import doctor --json',
    group: 'What is written',
  },
  {
    flags: '--no-color',
    description: 'no colours',
    example: 'helpdesk-import doctor --no-color',
    group: 'The screen',
  },
];
