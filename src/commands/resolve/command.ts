/** `helpdesk-import resolve`: its flags, help and examples. */

import { type CommandSpec, JSON_RESULT, shared, WHICH_CHECKPOINT } from '../../cli/command.ts';
import { option } from '../../settings/option-spec.ts';

export const resolve: CommandSpec = {
  name: 'resolve',
  description: 'settle tickets in doubt (--adopt, --retry, --skip), or take that back (--release)',
  group: 'After',
  options: [
    option(
      'What to do',
      '--adopt <external id=ticket id>',
      'the ticket is in the target under this id; the next run sends its messages and events; may be given more than once',
      { repeat: true },
    ),
    option(
      'What to do',
      '--retry [ids]',
      'these tickets are not in the target; the next run creates them: comma-separated external ids, or @file with one per line',
    ),
    option('What to do', '--skip [ids]', 'leave these tickets out for good; written like --retry'),
    option(
      'What to do',
      '--release <ids>',
      'take back which ticket of the target these are, after a wrong --adopt or an id that is not a ticket: they are in doubt again; nothing is changed in the target; written like --retry',
    ),
    option('What to do', '--all', 'with --retry or --skip without ids: every ticket in doubt'),
    ...WHICH_CHECKPOINT,
    shared('--config'),
    JSON_RESULT,
  ],
  examples: [
    ['resolve', 'list what is in doubt'],
    ['resolve --adopt 4711=tkt_8f3a', 'it is there, under this id'],
    ['resolve --retry 4712', 'it is not there: create it with the next run'],
    ['resolve --retry @ids.txt', 'many of them: one id a line'],
    ['resolve --skip 4713', 'leave it out for good'],
    ['resolve --release 4711', 'take a wrong --adopt back'],
  ],
  load: async () => (await import('./resolve.ts')).resolveCommand,
};
