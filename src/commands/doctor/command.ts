/** `helpdesk-import doctor`: its flags, help and examples. */
import { type CommandSpec, FILES, JSON_RESULT, shared } from '../../cli/command.ts';

export const doctor: CommandSpec = {
  name: 'doctor',
  argument: FILES,
  description: 'check configuration, token, scopes, clock, disk',
  group: 'Before',
  options: [
    shared('--sandbox', { description: 'look at the local sandbox service instead of a real one' }),
    shared('--config'),
    shared('--from'),
    shared('--checkpoint', { group: 'What to read' }),
    JSON_RESULT,
  ],
  examples: [
    ['doctor', 'is everything ready?'],
    ['doctor export/', 'the files of the export too'],
  ],
  load: async () => (await import('./doctor.ts')).doctorCommand,
};
