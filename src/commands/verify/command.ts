/** `helpdesk-import verify`: its flags, help and examples. */
import { type CommandSpec, FILES, READING, shared } from '../../cli/command.ts';

export const verify: CommandSpec = {
  name: 'verify',
  argument: FILES,
  description: 'read imported tickets back and compare them with the export',
  group: 'After',
  options: [
    {
      flags: '--sample <n>',
      description: 'tickets to read back, spread evenly over the export, the same ones each time',
      byDefault: '100',
      group: 'What to do',
    },
    {
      flags: '--all',
      description: 'read every imported ticket back: three requests a ticket',
      conflicts: ['--sample'],
      group: 'What to do',
    },
    shared('--sandbox', { description: 'verify an import into the local sandbox service' }),
    ...READING,
    shared('--only'),
    shared('--checkpoint'),
    shared('--json', {
      description: 'one JSON object on standard output; everything else on standard error',
    }),
  ],
  examples: [
    ['verify export/', 'compare a sample of the tickets'],
    ['verify export/ --sample 500', 'compare 500 of them'],
    ['verify export/ --json', 'the result as one JSON object'],
  ],
  load: async () => (await import('./verify-command.ts')).verifyCommand,
};
