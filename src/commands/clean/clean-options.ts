/** The options of `clean`. */
import { type OptionSpec, optionsOfRun } from '../../cli/options.ts';

export const CLEAN_OPTIONS: readonly OptionSpec[] = optionsOfRun(
  'clean',
  [
    {
      flags: '--yes',
      description: 'remove what is listed; without it nothing is removed',
      example: 'helpdesk-import clean --yes',
      group: 'What to do',
    },
    {
      flags: '--with-checkpoint',
      description: 'remove the checkpoint too: only when the import will never be continued',
      example: 'helpdesk-import clean --with-checkpoint --yes',
      group: 'What to do',
    },
    ['--checkpoint', undefined, undefined, undefined, 'What to read'],
    ['--rejects', undefined, undefined, undefined, 'What to read'],
    ['--report', 'the HTML report', undefined, undefined, 'What to read'],
    ['--log-file', 'the log file', '--log-file import.log', undefined, 'What to read'],
    {
      flags: '--sandbox <dir>',
      description: 'the data of the local sandbox service',
      byDefault: 'helpdesk-import.sandbox',
      example: 'helpdesk-import clean --sandbox rehearsal/',
      group: 'What to read',
    },
    '--config',
    '--profile',
    '--no-color',
    ['--json', 'one JSON object on standard output', '--json'],
  ],
  false,
);
