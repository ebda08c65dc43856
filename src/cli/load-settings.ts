import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { printable } from '../domain/printable.ts';
import { stop } from '../domain/text/stops.ts';
import { expandIdList } from '../settings/parsers.ts';
import { type ResolvedSettings, resolveSettings } from '../settings/resolve-settings.ts';
import type { Need, Settings } from '../settings/settings.ts';
import { loadSettingsFile } from '../settings/settings-file.ts';
import { SANDBOX_FOLDER } from '../settings/table/sections.ts';
import { restoreRejects } from '../source/reject-folder.ts';
import type { CommandLines } from '../view/command-line.ts';
import type { CliContext, Flags } from './context.ts';

export interface LoadedSettings extends ResolvedSettings {
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
    hint: 'Check the path that --config names, or write the file with: `helpdesk-import init <files…>`',
    pathOf,
    isRehearsal: flags['sandbox'] !== undefined,
    checkMapping: async () => (await import('../mapping/detect/builtin-layouts.ts')).checkMapping,
  });
  const resolved = resolveSettings({ flags, env: context.env, file, files, needs });
  const { settings } = resolved;
  const { selection, source } = settings;
  restoreRejects(source.files.filter((input) => input !== '-').map(pathOf));
  const mapping = await mappingWith(settings, pathOf);
  const only = selection.only && (await expandIdList(selection.only, pathOf));
  return {
    ...resolved,
    warnings: [...resolved.warnings, ...(await openToAll(settings, pathOf))],
    settings: { ...settings, mapping, selection: { ...selection, only } },
    file: file?.name,
  };
}

/** The mapping of the settings, with the fields that were typed. */
async function mappingWith({ changes, mapping, source }: Settings, pathOf: (name: string) => string) {
  if (changes.length === 0 || source.files.length === 0) return mapping;
  const { changedMapping } = await import('../commands/init/changed-mapping.ts');
  const files = source.files.map((file) => (file === '-' ? file : pathOf(file)));
  return await changedMapping({ ...source, files, mapping, changes });
}

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

export const ALL_TICKETS = 2 ** 31 - 1;

/** The named checkpoint, or that of `--checkpoint`, `--sandbox`, the settings or the default. Faults in other settings do not matter. */
export async function checkpointPath(
  named: string | undefined,
  flags: Flags,
  context: CliContext,
): Promise<string> {
  if (named !== undefined) return named;
  const { checkpoint, sandbox, config } = flags;
  if (typeof checkpoint === 'string' && sandbox === undefined) return checkpoint;
  const { settings } = await loadSettings([], { checkpoint, sandbox, config }, [], {
    ...context,
    env: {},
  });
  const path = settings.output.checkpoint;
  const local = join(dirname(path), SANDBOX_FOLDER, 'checkpoint.sqlite');
  if (sandbox === undefined && !existsSync(path) && existsSync(local))
    throw stop('sandbox-checkpoint-only', { path });
  return path;
}

/** The command that starts a sandbox again. */
export function sandboxAt(dir: string, commands: CommandLines): string {
  return commands.about('sandbox', { files: dir === SANDBOX_FOLDER ? [] : [dir] });
}
