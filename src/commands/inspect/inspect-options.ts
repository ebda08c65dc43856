/** The options of `inspect`. */
import type { OptionSpec } from '../../cli/options.ts';
import { optionsOfRun } from '../../cli/options.ts';

export const INSPECT_OPTIONS: readonly OptionSpec[] = optionsOfRun([
  ['--from', 'see whether the files fit this layout'],
  '--encoding',
  '--delimiter',
  ['--json', 'one JSON object on standard output'],
]);
