/** The options of `undo`. */
import { type OptionSpec, optionsOfRun } from '../../cli/options.ts';

export const UNDO_OPTIONS: readonly OptionSpec[] = optionsOfRun([
  {
    flags: '--run <tag>',
    description: 'the tag of the run, as its summary and its tickets show it',
    group: 'What to do',
    carried: true,
  },
  {
    flags: '--dry-run',
    description: 'read its tickets and say what would become of each; nothing is changed',
    group: 'What to do',
  },
  ['--yes', 'do not ask; needed where there is no terminal to ask in'],
  ['--sandbox', 'the imports into the local service'],
  '--config',
  '--checkpoint',
  ['--json', 'one JSON object on standard output'],
]);

export function undoHelp(): string {
  return [
    'The service cannot delete tickets. So a ticket of the run that shows what was imported and nothing else is closed, loses its messages',
    'to one internal note that says so, and gets the tag import-undone; its id can be imported again. Its subject and its history stay.',
    'Tickets in which anybody wrote or changed something since, and those that cannot be judged, are listed and stay as they are.',
    'Each is read right before it is changed. If an undo is stopped, run it again.',
  ].join('\n');
}
