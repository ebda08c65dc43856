/** The options of `people`. */
import type { OptionSpec } from '../../cli/options.ts';
import { optionsOfRun } from '../../cli/options.ts';

export const PEOPLE_FILE = 'people.csv';

export const PEOPLE_OPTIONS: readonly OptionSpec[] = optionsOfRun('people', [
  '--config',
  '--profile',
  '--from',
  '--encoding',
  '--delimiter',
  {
    flags: '-o, --output <file>',
    description: 'file to write; rows that are in it already stay as they are',
    byDefault: PEOPLE_FILE,
    example: 'helpdesk-import people export/ -o people.csv',
    group: 'What is written',
  },
  '--no-color',
]);

export function peopleHelp(): string {
  return `
A row of the file says that an address is the same person's as another one, with the reason. It counts where "confirmed" is
yes: the person becomes one contact with the address under "same as", and the other addresses go into an internal note.
Nothing else is merged. Then:

  helpdesk-import run export/ --people people.csv --dry-run`;
}
