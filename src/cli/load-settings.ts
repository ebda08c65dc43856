/** Flags, environment and file become Settings; complaints stop the command. */
import { stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { printable } from '../domain/printable.ts';
import { withPlan } from '../import/plan-settings.ts';
import { expandIdList } from '../settings/parsers.ts';
import { givenBy, type ResolvedSettings, resolveSettings } from '../settings/resolve-settings.ts';
import type { Need, Settings } from '../settings/settings.ts';
import { loadSettingsFile } from '../settings/settings-file.ts';
import type { CliContext, Flags } from './context.ts';

export interface LoadedSettings extends ResolvedSettings {
  /** Folder of the settings file, or the current one. */
  readonly folder: string;
  /** The settings file as the user named it, if any. */
  readonly file: string | undefined;
}

export async function loadSettings(
  files: readonly string[],
  flags: Flags,
  needs: readonly Need[],
  context: CliContext,
): Promise<LoadedSettings> {
  const pathOf = (name: string) => resolve(context.cwd, name);
  const { config: named } = flags;
  const file = await loadSettingsFile(typeof named === 'string' ? named : undefined, {
    hint: 'Check the path that --config names, or write the file with: helpdesk-import init <files…>',
    pathOf,
    checks: async () => {
      const { checkMapping } = await import('../import/mapping-checks.ts');
      const { checkUsageEvents } = await import('../billing/usage-mapping-language.ts');
      return { mapping: checkMapping, usageEvents: checkUsageEvents };
    },
  });
  const resolved = withPlan(
    resolveSettings({
      given: givenBy(flags),
      env: context.env,
      file,
      files,
      needs,
    }),
  );
  const { settings } = resolved;
  const { selection } = settings;
  const only = selection.only && (await expandIdList(selection.only, pathOf));
  return {
    ...resolved,
    warnings: [...resolved.warnings, ...(await openToAll(settings, pathOf))],
    settings: { ...settings, selection: { ...selection, only } },
    folder: file === undefined ? context.cwd : dirname(pathOf(file.name)),
    file: file?.name,
  };
}

/** Token files that everybody on the machine can read. */
async function openToAll({ credentials }: Settings, pathOf: (name: string) => string): Promise<string[]> {
  const file =
    credentials?.kind === 'token-file'
      ? credentials.path
      : credentials?.kind === 'oauth'
        ? credentials.refreshTokenFile
        : undefined;
  if (file === undefined || process.platform === 'win32') return [];
  const found = await stat(pathOf(file)).catch(() => undefined);
  if (found === undefined || (found.mode & 0o004) === 0) return [];
  return [`Everybody on this machine can read ${printable(file)}, which holds a token: chmod 600 it.`];
}
