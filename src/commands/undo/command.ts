/** `helpdesk-import undo`: its flags, help and examples. */

import { type CommandSpec, JSON_RESULT, shared } from '../../cli/command.ts';
import { option } from '../../settings/option-spec.ts';

export const undo: CommandSpec = {
  name: 'undo',
  description: 'undo a run: close and empty the tickets nobody has edited since; look first with --dry-run',
  group: 'After',
  options: [
    option('What to do', '--run <tag>', 'the tag of the run, as its summary and its tickets show it', {
      carried: true,
    }),
    option(
      'What to do',
      '--dry-run',
      'read its tickets and say what would become of each; nothing is changed',
    ),
    shared('--yes', { description: 'do not ask; needed where there is no terminal to ask in' }),
    shared('--sandbox', { description: 'the imports into the local service' }),
    shared('--config'),
    shared('--checkpoint'),
    JSON_RESULT,
  ],
  examples: [
    ['undo --run run-20261122-205507 --dry-run', 'what would become of each ticket'],
    ['undo --run run-20261122-205507', 'take the run back'],
  ],
  help: () =>
    [
      'The service cannot delete tickets. So a ticket of the run that shows what was imported and nothing else is closed, loses its messages',
      'to one internal note that says so, and gets the tag import-undone; its id can be imported again. Its subject and its history stay.',
      'Tickets that people edited since, and those that cannot be judged, are listed and not changed.',
      'Each is read right before it is changed. If an undo is stopped, run it again.',
    ].join('\n'),
  load: async () => (await import('./undo.ts')).undoCommand,
};
