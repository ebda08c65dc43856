/** The options of `map`. */
import type { OptionSpec } from '../../cli/options.ts';
import { optionsOfRun } from '../../cli/options.ts';

export const MAP_FORMATS = ['csv', 'jsonl'] as const;
export type MapFormat = (typeof MAP_FORMATS)[number];

export const MAP_OPTIONS: readonly OptionSpec[] = optionsOfRun([
  {
    flags: `--format <${MAP_FORMATS.join('|')}>`,
    description: 'form of the table',
    byDefault: 'csv',
    group: 'What to do',
  },
  {
    flags: '--source-url <template>',
    description: 'address of a ticket in the old helpdesk, with {id} for its id there',
    byDefault: 'source.ticketUrl',
    group: 'What to do',
  },
  {
    flags: '--target-url <template>',
    description: 'address of a ticket in the new helpdesk, with {id} for its id there',
    byDefault: 'target.ticketUrl',
    group: 'What to do',
  },
  ['--checkpoint', undefined, undefined, 'What to read'],
  {
    flags: '--sandbox [dir]',
    description: 'the checkpoint of the imports into the local service',
    byDefault: 'helpdesk-import.sandbox',
    group: 'What to read',
  },
  ['--config', 'settings file, which may name the checkpoint and the addresses'],
]);
