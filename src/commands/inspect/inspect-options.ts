/** The options of `inspect`. */
import type { OptionSpec } from '../../cli/options.ts';

export const INSPECT_OPTIONS: readonly OptionSpec[] = [
  {
    flags: '--full',
    description: 'read every row; without it a sample from the beginning of each large file',
    example: 'helpdesk-import inspect export/ --full',
    group: 'What to do',
  },
  {
    flags: '--from <layout>',
    description: 'see whether the files fit this layout',
    byDefault: 'auto',
    example: 'helpdesk-import inspect tickets.json --from zendesk',
    group: 'What to read',
  },
  {
    flags: '--encoding <name>',
    description: 'the encoding of text files that do not say it themselves, e.g. windows-1252',
    byDefault: 'detected',
    example: 'helpdesk-import inspect tickets.csv --encoding windows-1252',
    group: 'What to read',
  },
  {
    flags: '--delimiter <char>',
    description: 'what separates the cells of CSV files: , ; | or tab',
    byDefault: 'detected',
    example: "helpdesk-import inspect tickets.csv --delimiter ';'",
    group: 'What to read',
  },
  {
    flags: '--json',
    description: 'one JSON object on standard output',
    example: 'helpdesk-import inspect export/ --json > inspection.json',
    group: 'What is written',
  },
  {
    flags: '--no-color',
    description: 'no colours',
    example: 'helpdesk-import inspect export/ --no-color',
    group: 'The screen',
  },
];
