/** The options of `doctor`. */
import type { OptionSpec } from '../../cli/options.ts';
import { optionsOfRun } from '../../cli/options.ts';

export const DOCTOR_OPTIONS: readonly OptionSpec[] = optionsOfRun([
  {
    flags: '--attachments',
    description: "with an export: ask each host of its attachments for one file's headers",
    group: 'What to do',
  },
  ['--sandbox', 'look at the local sandbox service instead of a real one'],
  '--config',
  '--from',
  ['--checkpoint', undefined, undefined, 'What to read'],
  ['--json', 'one JSON object on standard output'],
]);
