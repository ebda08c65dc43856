/** `helpdesk-import files`: its flags, help and examples. */
import { type CommandSpec, JSON_RESULT, READING, shared } from '../../cli/command.ts';

export const files: CommandSpec = {
  name: 'files',
  argument: ['<what...>', 'fetch, and the files of the export'],
  description: 'fetch the files of the tickets to where --files says; a run sends the new links',
  group: 'Before',
  options: [
    shared('--files'),
    shared('--sandbox', { description: 'the files of an import into the local service' }),
    ...READING,
    shared('--only'),
    shared('--checkpoint'),
    JSON_RESULT,
  ],
  examples: [['files fetch export/ --files kept', 'fetch them into a folder']],
  load: async () => (await import('./files-command.ts')).filesCommand,
};
