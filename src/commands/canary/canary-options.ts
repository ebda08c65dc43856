/** The options of `canary`. */
import { type OptionSpec, optionsOfRun } from '../../cli/options.ts';

export const CANARY_OPTIONS: readonly OptionSpec[] = optionsOfRun('canary you@example.com', [
  '--config',
  ['--sandbox', 'make it in the local service'],
  '--base-url',
  '--timeout',
  ['--json', 'one JSON object on standard output'],
]);
