/** The options of `links`: those of `run` that say what to read and where, and the addresses of tickets. */
import type { OptionSpec } from '../../cli/options.ts';
import { optionsOfRun, READING } from '../../cli/options.ts';

export const LINKS_OPTIONS: readonly OptionSpec[] = optionsOfRun([
  {
    flags: '--source-url <template>',
    description: 'address of a ticket in the old helpdesk, with {id} for its id there',
    byDefault: 'source.ticketUrl',
    group: 'What to do',
    carried: true,
  },
  {
    flags: '--target-url <template>',
    description: 'address of a ticket in the new helpdesk, with {id} for its id there',
    byDefault: 'target.ticketUrl',
    group: 'What to do',
    carried: true,
  },
  ['--sandbox', 'the messages of an import into the local service'],
  '--yes',
  ...READING,
  '--only',
  '--checkpoint',
  '--json',
]);

export function linksHelp(): string {
  return [
    'Addresses of imported tickets are rewritten. Edits that people made in the new helpdesk stay. Give the files of the export, as for run.',
  ].join('\n');
}
