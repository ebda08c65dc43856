import type { CheckRules } from '../check/rules.ts';
import type { Clock } from '../domain/clock.ts';
import type { Settings } from '../settings/settings.ts';
import type { OpenedSource } from './import-job.ts';

/** The rules for checking, from the settings and the files of the export. Without `sourceName` no ticket is marked with its identity. */
export function checkRules(
  { target, source: reading, unmapped }: Settings,
  source: OpenedSource,
  clock: Clock,
  sourceName?: () => string,
  runTag?: string,
): CheckRules {
  return {
    ...reading,
    ...target,
    unmapped,
    fileName: (ref) => source.nameOf(ref),
    now: clock.now,
    sourceName: target.identityTag ? sourceName : undefined,
    runTag,
    people: source.people,
  };
}
