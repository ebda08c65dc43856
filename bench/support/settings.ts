/** Settings of a run over files, everything else as it is by default. */
import { givenBy, resolveSettings } from '../../src/settings/resolve-settings.ts';
import type { Settings } from '../../src/settings/settings.ts';

export function settingsFor(
  files: readonly string[],
  flags: Readonly<Record<string, string | boolean | readonly string[]>> = {},
): Settings {
  return resolveSettings({
    given: givenBy({ dryRun: true, ...flags }),
    env: {},
    file: undefined,
    files,
    needs: ['files'],
  }).settings;
}
