/** `helpdesk-import inspect`: its flags, help and examples. */
import { type CommandSpec, JSON_RESULT, NEEDED_FILES, shared } from '../../cli/command.ts';

export const inspect: CommandSpec = {
  name: 'inspect',
  argument: NEEDED_FILES,
  description: 'what is in an export: layout, tables, columns, value counts',
  group: 'Before',
  options: [
    shared('--from', { description: 'see whether the files fit this layout' }),
    shared('--encoding'),
    shared('--delimiter'),
    JSON_RESULT,
  ],
  examples: [
    ['inspect export/', 'which layout it is, its tables, columns and values'],
    ['inspect export/ --json', 'the same as one JSON object'],
  ],
  load: async () => (await import('./inspect.ts')).inspectCommand,
};
