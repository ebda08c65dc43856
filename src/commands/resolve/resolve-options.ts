/** The options of `resolve`. */
import type { OptionSpec } from '../../cli/options.ts';
import { optionsOfRun } from '../../cli/options.ts';

export const RESOLVE_OPTIONS: readonly OptionSpec[] = optionsOfRun([
  {
    flags: '--adopt <external id=ticket id>',
    description:
      'the ticket is in the target under this id; the next run sends its messages and events; may be given more than once',
    group: 'What to do',
    repeat: true,
  },
  {
    flags: '--retry [ids]',
    description:
      'these tickets are not in the target; the next run creates them: comma-separated external ids, or @file with one per line',
    group: 'What to do',
  },
  {
    flags: '--skip [ids]',
    description: 'leave these tickets out for good; written like --retry',
    group: 'What to do',
  },
  {
    flags: '--release [ids]',
    description:
      'take back which ticket of the target these are, after a wrong --adopt or an id that is not a ticket: they are in doubt again; nothing is changed in the target; written like --retry',
    group: 'What to do',
  },
  {
    flags: '--all',
    description: 'with --retry or --skip without ids: every ticket in doubt',
    group: 'What to do',
  },
  ['--checkpoint', undefined, undefined, 'What to read'],
  {
    flags: '--sandbox [dir]',
    description: 'the checkpoint of the imports into the local sandbox service',
    byDefault: 'helpdesk-import.sandbox',
    group: 'What to read',
  },
  '--config',
  ['--json', 'one JSON object on standard output'],
]);
