import type { Mutant } from './mutant.ts';
import { OF_CHECKPOINT } from './of-checkpoint.ts';
import { OF_EXPORT } from './of-export.ts';
import { OF_IDENTITY } from './of-identity.ts';
import { OF_PUSH } from './of-push.ts';
import { OF_TARGET } from './of-target.ts';

export const MUTANTS: readonly Mutant[] = [
  ...OF_PUSH,
  ...OF_IDENTITY,
  ...OF_CHECKPOINT,
  ...OF_TARGET,
  ...OF_EXPORT,
];
