/** The options of `status`. */
import type { OptionSpec } from '../../cli/options.ts';
import { optionsOfRun } from '../../cli/options.ts';

export const STATUS_OPTIONS: readonly OptionSpec[] = optionsOfRun([
  {
    flags: '--failed',
    description: 'list the tickets that failed or were rejected, with their reasons',
    group: 'What to do',
  },
  {
    flags: '--in-doubt',
    description: 'list the tickets whose create has an unknown outcome; resolve settles them',
    group: 'What to do',
  },
  ['--checkpoint', undefined, undefined, 'What to read'],
  {
    flags: '--sandbox [dir]',
    description: 'the checkpoint of the imports into the local sandbox service',
    byDefault: 'helpdesk-import.sandbox',
    group: 'What to read',
  },
  ['--config', 'settings file, which may name the checkpoint'],
  ['--json', 'one JSON object on standard output, with every ticket of a list'],
]);
