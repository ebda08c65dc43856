/** `helpdesk-import checkpoint`: its flags, help and examples. */
import { type CommandSpec, JSON_RESULT, READING, shared } from '../../cli/command.ts';

export const checkpoint: CommandSpec = {
  name: 'checkpoint',
  argument: ['<what...>', 'backup [file], or rebuild [files of the export]'],
  description: 'copy the checkpoint, or rebuild a lost one from the target',
  group: 'After',
  options: [shared('--checkpoint'), shared('--source-name'), ...READING, JSON_RESULT],
  examples: [
    ['checkpoint backup', 'copy it, also while a run is going on'],
    ['checkpoint rebuild export/', 'the checkpoint is lost, and the tickets are in the target'],
  ],
  help: () =>
    [
      'checkpoint backup [file]      a whole copy, also while a run goes on (default: <checkpoint>.backup)',
      'checkpoint rebuild [files]    rebuild a lost checkpoint from the tags of the tickets in the target;',
      '                              with the files of the export, or with --source-name; nothing is changed in the target',
    ].join('\n'),
  load: async () => (await import('./checkpoint.ts')).checkpointCommand,
};
