/** `helpdesk-import map`: its flags, help and examples. */

import { type CommandSpec, shared, WHICH_CHECKPOINT } from '../../cli/command.ts';
import { option } from '../../settings/option-spec.ts';
import { TICKET_ADDRESSES } from '../links/command.ts';

export const map: CommandSpec = {
  name: 'map',
  argument: ['[checkpoints...]', 'checkpoint files; several (of shards) make the whole'],
  description: 'list old and new ids and addresses of tickets',
  group: 'After',
  options: [
    option('What to do', '--format <csv|jsonl>', 'form of the table', {
      choices: ['csv', 'jsonl'],
      byDefault: 'csv',
    }),
    ...TICKET_ADDRESSES,
    ...WHICH_CHECKPOINT,
    shared('--config', {
      description: 'settings file, which may name the checkpoint and the addresses',
    }),
  ],
  examples: [
    ['map > moved.csv', 'old and new ids and addresses'],
    ['map --format jsonl', 'the same, an object a line'],
  ],
  load: async () => (await import('./map-command.ts')).mapCommand,
};
