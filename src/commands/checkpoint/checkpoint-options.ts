/** The options of `checkpoint`, which has two things to do with one. */
import type { OptionSpec } from '../../cli/options.ts';
import { optionsOfRun, READING } from '../../cli/options.ts';

export const CHECKPOINT_OPTIONS: readonly OptionSpec[] = optionsOfRun([
  '--checkpoint',
  '--source-name',
  ...READING,
  ['--json', 'one JSON object on standard output'],
]);

export function checkpointHelp(): string {
  return [
    'checkpoint backup [file]      a whole copy, also while a run goes on (default: <checkpoint>.backup)',
    'checkpoint rebuild [files]    rebuild a lost checkpoint from the tags of the tickets in the target;',
    '                              with the files of the export, or with --source-name; nothing is changed in the target',
  ].join('\n');
}
