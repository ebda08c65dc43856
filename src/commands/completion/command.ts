/** `helpdesk-import completion`: its flags, help and examples. */
import type { CommandSpec } from '../../cli/command.ts';

export const completion: CommandSpec = {
  name: 'completion',
  argument: ['<shell>', 'bash, zsh or fish'],
  description: 'print the completion script of a shell',
  group: 'Tools',
  options: [],
  examples: [['completion bash', 'load it with: source <(helpdesk-import completion bash)']],
  load: async () => (await import('./completion.ts')).completionCommand,
};
