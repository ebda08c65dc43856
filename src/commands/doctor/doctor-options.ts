/** The options of `doctor`. */
import type { OptionSpec } from '../../cli/options.ts';
import { optionsOfRun } from '../../cli/options.ts';

export const DOCTOR_OPTIONS: readonly OptionSpec[] = optionsOfRun(
  'doctor',
  [
    {
      flags: '--attachments',
      description: "with an export: ask each host of its attachments for one file's headers",
      example: 'helpdesk-import doctor export.jsonl --attachments',
      group: 'What to do',
    },
    ['--sandbox', 'look at the local sandbox service instead of a real one'],
    '--config',
    ['--from', undefined, 'tickets.json --from zendesk'],
    ['--checkpoint', undefined, undefined, undefined, 'What to read'],
    '--base-url',
    [
      '--rate',
      'the request budget that a run would have, to be compared with what the target names',
      '--rate 250/5',
    ],
    ['--timeout', 'how long an answer may take', '--timeout 5'],
    ['--json', 'one JSON object on standard output', '--json'],
  ],
  false,
);
