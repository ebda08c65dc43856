/** The options of `files`: where they go, and which tickets are meant. */
import { type OptionSpec, optionsOfRun, READING } from '../../cli/options.ts';

export const FILES_OPTIONS: readonly OptionSpec[] = optionsOfRun([
  '--files',
  ['--sandbox', 'the files of an import into the local service'],
  ...READING,
  '--only',
  '--checkpoint',
  ['--json', 'one JSON object on standard output'],
]);
