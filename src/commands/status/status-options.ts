/** The options of `status`. */
import type { OptionSpec } from '../../cli/options.ts';
import { optionsOfRun } from '../../cli/options.ts';

export const STATUS_OPTIONS: readonly OptionSpec[] = optionsOfRun(
  'status',
  [
    {
      flags: '--failed',
      description: 'list the tickets that failed or were rejected, with their reasons',
      example: 'helpdesk-import status --failed',
      group: 'What to do',
    },
    {
      flags: '--in-doubt',
      description: 'list the tickets whose create has an unknown outcome; resolve settles them',
      example: 'helpdesk-import status --in-doubt',
      group: 'What to do',
    },
    {
      flags: '--limit <n>',
      description: 'tickets that a list shows',
      byDefault: '50',
      example: 'helpdesk-import status --failed --limit 500',
      group: 'What to do',
    },
    ['--checkpoint', undefined, undefined, undefined, 'What to read'],
    {
      flags: '--sandbox [dir]',
      description: 'the checkpoint of the imports into the local sandbox service',
      byDefault: 'helpdesk-import.sandbox',
      example: 'helpdesk-import status --sandbox',
      group: 'What to read',
    },
    ['--config', 'settings file, which may name the checkpoint'],
    ['--json', 'one JSON object on standard output', '--json'],
  ],
  false,
);
