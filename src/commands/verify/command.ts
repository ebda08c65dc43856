/** `helpdesk-import verify`: its flags, help and examples. */

import { type CommandSpec, FILES, READING, shared } from '../../cli/command.ts';
import { option } from '../../settings/option-spec.ts';

export const verify: CommandSpec = {
  name: 'verify',
  argument: FILES,
  description: 'read imported tickets back and compare them with the export',
  group: 'After',
  options: [
    option(
      'What to do',
      '--sample <n>',
      'tickets to read back, spread evenly over the export, the same ones each time',
      { byDefault: '100' },
    ),
    option('What to do', '--all', 'read every imported ticket back: three requests a ticket', {
      conflicts: ['--sample'],
    }),
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
