/** `helpdesk-import status`: its flags, help and examples. */

import { type CommandSpec, shared, WHICH_CHECKPOINT } from '../../cli/command.ts';
import { option } from '../../settings/option-spec.ts';

export const status: CommandSpec = {
  name: 'status',
  argument: ['[checkpoints...]', 'checkpoint files; several (of shards) are added up'],
  description: 'what the checkpoint holds',
  group: 'After',
  options: [
    option('What to do', '--failed', 'list the tickets that failed or were rejected, with their reasons'),
    option(
      'What to do',
      '--in-doubt',
      'list the tickets whose create has an unknown outcome; resolve settles them',
    ),
    ...WHICH_CHECKPOINT,
    shared('--config', { description: 'settings file, which may name the checkpoint' }),
    shared('--json', {
      description: 'one JSON object on standard output, with every ticket of a list',
    }),
  ],
  examples: [
    ['status', 'how far the import is, and what to do next'],
    ['status --failed', 'list the tickets that failed, with the reasons'],
    ['status 1.sqlite 2.sqlite', 'the sum of several shards'],
  ],
  load: async () => (await import('./status.ts')).statusCommand,
};
