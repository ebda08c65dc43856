/** The options of `report`. */
import type { OptionSpec } from '../../cli/options.ts';
import { optionsOfRun, READING } from '../../cli/options.ts';

/** Where the report goes unless `--output` says otherwise. */
export const REPORT_FILE = 'helpdesk-import.report.html';

export const REPORT_OPTIONS: readonly OptionSpec[] = [
  {
    flags: '--checkpoint <file>',
    description:
      'the SQLite checkpoint; may be given more than once: the checkpoints of all shards make the whole',
    byDefault: 'helpdesk-import.checkpoint.sqlite',
    group: 'What to read',
    repeat: true,
  },
  {
    flags: '--sandbox [dir]',
    description: 'the checkpoint of the imports into the local sandbox service',
    byDefault: 'helpdesk-import.sandbox',
    group: 'What to read',
  },
  ...optionsOfRun(READING),
  {
    flags: '-o, --output <file>',
    description: 'the HTML file to write',
    byDefault: REPORT_FILE,
    group: 'What is written',
  },
  ...optionsOfRun(['--force']),
  {
    flags: '--redact',
    description: 'hide personal data: addresses, names, subjects, messages, quoted values',
    group: 'What is written',
  },
];
