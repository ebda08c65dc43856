/** The options of `init`. */
import type { OptionSpec } from '../../cli/options.ts';

export const INIT_OPTIONS: readonly OptionSpec[] = [
  {
    flags: '--propose',
    description: 'propose a mapping of its own even where the layout is known',
    example: 'helpdesk-import init export/ --propose',
    group: 'What to do',
  },
  {
    flags: '--yes',
    description: 'no questions: what only you can know is marked TODO',
    example: 'helpdesk-import init export/ --yes',
    group: 'What to do',
  },
  {
    flags: '--from <layout>',
    description: 'name the layout instead of detecting it',
    byDefault: 'auto',
    example: 'helpdesk-import init tickets.json --from zendesk',
    group: 'What to read',
  },
  {
    flags: '--encoding <name>',
    description: 'the encoding of text files that do not say it themselves, e.g. windows-1252',
    byDefault: 'detected',
    example: 'helpdesk-import init tickets.csv --encoding windows-1252',
    group: 'What to read',
  },
  {
    flags: '--delimiter <char>',
    description: 'what separates the cells of CSV files: , ; | or tab',
    byDefault: 'detected',
    example: "helpdesk-import init tickets.csv --delimiter ';'",
    group: 'What to read',
  },
  {
    flags: '-o, --output <file>',
    description: 'the settings file to write; a JSON schema for editors is written beside it',
    byDefault: 'helpdesk-import.yaml',
    example: 'helpdesk-import init export/ -o acme.yaml',
    group: 'What is written',
  },
  {
    flags: '--force',
    description: 'replace a settings file that is there',
    example: 'helpdesk-import init export/ --force',
    group: 'What is written',
  },
  {
    flags: '--no-color',
    description: 'no colours',
    example: 'helpdesk-import init export/ --no-color',
    group: 'The screen',
  },
];
