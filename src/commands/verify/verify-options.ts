/** The options of `verify`: those of `run` that say what to read and where, and how much is read back. */
import type { OptionSpec } from '../../cli/options.ts';
import { optionsOfRun, READING } from '../../cli/options.ts';

const SHARED = [...READING, '--only', '--checkpoint'];

export const VERIFY_OPTIONS: readonly OptionSpec[] = [
  {
    flags: '--sample <n>',
    description: 'tickets to read back, spread evenly over the export, the same ones each time',
    byDefault: '100',
    group: 'What to do',
  },
  {
    flags: '--all',
    description: 'read every imported ticket back: three requests a ticket',
    group: 'What to do',
  },
  {
    flags: '--sandbox [dir]',
    description: 'verify an import into the local sandbox service',
    byDefault: 'helpdesk-import.sandbox',
    group: 'What to do',
    carried: true,
  },
  ...optionsOfRun(SHARED),
  {
    flags: '--json',
    description: 'one JSON object on standard output; everything else on standard error',
    group: 'What is written',
  },
];
