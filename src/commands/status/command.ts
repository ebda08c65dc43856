/** `helpdesk-import status`: its flags, help and examples. */
import { type CommandSpec, shared, WHICH_CHECKPOINT } from '../../cli/command.ts';

export const status: CommandSpec = {
  name: 'status',
  argument: ['[checkpoints...]', 'checkpoint files; several (of shards) are added up'],
  description: 'what the checkpoint holds',
  group: 'After',
  options: [
    {
      flags: '--failed',
      description: 'list the tickets that failed or were rejected, with their reasons',
      group: 'What to do',
    },
    {
      flags: '--in-doubt',
      description: 'list the tickets whose create has an unknown outcome; resolve settles them',
      group: 'What to do',
    },
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
