/** The options of `canary`. */
import { type OptionSpec, optionsOfRun } from '../../cli/options.ts';

export const CANARY_OPTIONS: readonly OptionSpec[] = optionsOfRun([
  '--config',
  ['--sandbox', 'make it in the local service'],
]);
