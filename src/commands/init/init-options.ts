/** The options of `init`. */
import { type OptionSpec, optionsOfRun } from '../../cli/options.ts';
import { SETTINGS_FILE } from '../../settings/table/table.ts';

export const INIT_OPTIONS: readonly OptionSpec[] = optionsOfRun([
  {
    flags: '--propose',
    description: 'propose a new mapping even if the layout is known',
    group: 'What to do',
  },
  ...optionsOfRun([['--yes', 'ask nothing: what only you can know is marked TODO']]),
  '--from',
  '--encoding',
  '--delimiter',
  {
    flags: '-o, --output <file>',
    description: 'the settings file to write; a JSON schema for editors is written beside it',
    byDefault: SETTINGS_FILE,
    group: 'What is written',
  },
  ['--force', 'replace a settings file that is there'],
]);
