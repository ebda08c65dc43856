/** The options of `verify`: those of `run` that say what to read and where, and how much is read back. */
import type { OptionSpec } from '../../cli/options.ts';
import { optionsOfRun, READING } from '../../cli/options.ts';

const SHARED = [
  ...READING,
  '--base-url',
  '--checkpoint',
  '--concurrency',
  '--rate',
  '--timeout',
  '--quiet',
  '--verbose',
  '--no-progress',
];

export const VERIFY_OPTIONS: readonly OptionSpec[] = [
  {
    flags: '--sample <n>',
    description: 'tickets to read back, spread evenly over the export, the same ones each time',
    byDefault: '100',
    example: 'helpdesk-import verify export.jsonl --sample 500',
    group: 'What to do',
  },
  {
    flags: '--all',
    description: 'read every imported ticket back: three requests a ticket',
    example: 'helpdesk-import verify export.jsonl --all',
    group: 'What to do',
  },
  {
    flags: '--sandbox [dir]',
    description: 'verify an import into the local sandbox service',
    byDefault: 'helpdesk-import.sandbox',
    example: 'helpdesk-import verify export.jsonl --sandbox',
    group: 'What to do',
    carried: true,
  },
  ...optionsOfRun('verify', SHARED),
  {
    flags: '--json',
    description: 'one JSON object on standard output; everything else on standard error',
    example: 'helpdesk-import verify export.jsonl --json',
    group: 'What is written',
  },
];
