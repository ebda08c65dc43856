import { accessSync, constants, existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { AppError } from '../domain/errors.ts';
import { printable } from '../domain/printable.ts';
import type { PlannedSettings, Sending } from '../import/options.ts';
import { isDatabaseFile, isPlan, readPlanMeta } from '../plan/plan-file.ts';
import { expandIdList } from '../settings/parsers.ts';
import { type ResolvedSettings, resolveSettings } from '../settings/resolve-settings.ts';
import type { Need, Settings } from '../settings/settings.ts';
import { loadSettingsFile } from '../settings/settings-file.ts';
import { SANDBOX_FOLDER } from '../settings/table/sections.ts';
import { ALL_SETTINGS, type NamedSetting } from '../settings/table/table.ts';
import { rejectFoldersOf, restoreRejects } from '../source/reject-folder.ts';
import { version } from '../version.ts';
import type { CliContext, Flags } from './context.ts';
import { requireOutput } from './output-file.ts';

export interface LoadedSettings extends ResolvedSettings {
  readonly folder: string;
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
    isRehearsal: flags['sandbox'] !== undefined,
    checkMapping: async () => (await import('../mapping/detect/builtin-layouts.ts')).checkMapping,
  });
  const resolved = withPlan(
    resolveSettings({
      flags,
      env: context.env,
      file,
      files,
      needs,
    }),
  );
  const { settings } = resolved;
  const { selection, source } = settings;
  restoreRejects(source.files.filter((input) => input !== '-').map(pathOf));
  const only = selection.only && (await expandIdList(selection.only, pathOf));
  return {
    ...resolved,
    warnings: [...resolved.warnings, ...(await openToAll(settings, pathOf))],
    settings: { ...settings, selection: { ...selection, only } },
    folder: file === undefined ? context.cwd : dirname(pathOf(file.name)),
    file: file?.name,
  };
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

/** Throws AppError `usage`. */
export function withKeptPlan(settings: Settings, path: string): Settings {
  const { mode, plan, source, output } = settings;
  const refuse = (message: string) => new AppError('usage', message);
  if (mode !== 'dry-run')
    throw refuse('--plan has an effect only with --dry-run: add --dry-run, or leave it out.');
  if (plan?.run !== undefined) throw refuse(`${plan.run} is a plan already: run it, or leave --plan out.`);
  if (path === '-') throw refuse('A plan is a file: name one with --plan.');
  if (rejectFoldersOf(source.files).length > 0)
    throw refuse('A plan is made of an export, not of a folder of rejects: import the rejects with run.');
  const others = [...source.files, output.checkpoint, output.report].flatMap((other) => other ?? []);
  if (others.some((other) => resolve(other) === resolve(path)))
    throw refuse(`--plan is ${path}, which is another file of this run: name another one.`);
  requireOutput({ path, name: `The plan ${path}`, isOurs: isPlan, isDatabase: true });
  requireWritable(dirname(resolve(path)), path);
  return { ...settings, plan: { keep: path } };
}

function requireWritable(folder: string, path: string): void {
  try {
    accessSync(folder, constants.W_OK);
  } catch (cause) {
    throw new AppError('usage', `The folder of ${path} cannot be written.`, {
      hint: 'Name a file in another folder.',
      cause,
    });
  }
}

const OF_RUN = ['files', 'ticketUrl', 'allowUnreadableRows'];
const OF_TICKETS = ['tag', 'subject', 'channelId', 'statusChangeType', 'readOnly', 'managedBy'];

/** Throws AppError `usage` for no plan, and for settings that would map tickets otherwise. */
export function withPlan<R extends ResolvedSettings>(resolved: R): R {
  const { settings } = resolved;
  const { files } = settings.source;
  const path = files.find((file) => file !== '-' && isDatabaseFile(file));
  if (path === undefined) return resolved;
  const { settings: planned } = readPlanMeta(path, version()).sending as Sending;
  if (files.length > 1) throw new AppError('usage', `A plan is run alone: name ${path}, and no other file.`);
  refuseOthers(resolved, planned, path);
  const { source, target, ...own } = planned;
  return {
    ...resolved,
    settings: {
      ...settings,
      ...own,
      source: { ...settings.source, ...source },
      target: { ...settings.target, ...target },
      plan: { run: path },
    },
  };
}

function refuseOthers({ settings, origins }: ResolvedSettings, planned: PlannedSettings, path: string): void {
  const shaping = ALL_SETTINGS.filter(isOfPlan);
  const flag = shaping.find(({ name }) => origins[name]?.from === 'flag');
  if (flag !== undefined)
    throw new AppError(
      'usage',
      `${origins[flag.name]?.where} cannot change the plan ${path}, whose tickets are mapped: leave it out, or make a new plan.`,
    );
  const others = shaping.filter(
    (setting) =>
      origins[setting.name] !== undefined &&
      comparable(setting, valueIn(settings, setting)) !== comparable(setting, valueIn(planned, setting)),
  );
  const names = others.map(({ name }) => name);
  if (settings.mapping !== undefined && JSON.stringify(settings.mapping) !== JSON.stringify(planned.mapping))
    names.push('mapping');
  if (names.length > 0)
    throw new AppError(
      'usage',
      `The settings differ from those of the plan ${path} (${names.join(', ')}): make a new plan with them, or run this one with the settings that it was made with.`,
    );
}

function isOfPlan({ section, key, name }: NamedSetting): boolean {
  if (section === 'source') return !OF_RUN.includes(key);
  if (section === 'target') return OF_TICKETS.includes(key);
  return section === 'people' || name === 'unmapped';
}

function valueIn(settings: Settings | PlannedSettings, { section, key }: NamedSetting): unknown {
  const part: unknown = section === 'task' ? settings : Reflect.get(settings, section);
  return Reflect.get(part as object, key);
}

/** Files may be in another folder on another machine. */
function comparable({ isPath }: NamedSetting, value: unknown): string | undefined {
  return JSON.stringify(isPath === true && typeof value === 'string' ? basename(value) : value);
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
    throw new AppError('checkpoint', `There is no checkpoint at ${path}.`, {
      hint: 'There is one of imports into the local sandbox service: add --sandbox.',
    });
  return path;
}
