/** `helpdesk-import canary`: its flags, help and examples. */
import { type CommandSpec, shared } from '../../cli/command.ts';

export const canary: CommandSpec = {
  name: 'canary',
  argument: ['<address>', 'e-mail address of your own'],
  description: 'make one ticket for your own address, to see whether the helpdesk mails customers',
  group: 'Before',
  options: [shared('--config'), shared('--sandbox', { description: 'make it in the local service' })],
  examples: [['canary you@example.com', 'then look into your mailbox']],
  load: async () => (await import('./canary-command.ts')).canaryCommand,
};
