import { accessSync, constants } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { AppError } from '../domain/errors.ts';
import type { PlannedSettings, Sending } from '../import/options.ts';
import { isDatabaseFile, isPlan, readPlanMeta } from '../plan/plan-file.ts';
import { rejectFoldersOf } from '../rejects/reject-folder.ts';
import type { ResolvedSettings } from '../settings/resolve-settings.ts';
import type { Settings } from '../settings/settings.ts';
import { ALL_SETTINGS, type NamedSetting } from '../settings/table/table.ts';
import { version } from '../version.ts';
import { requireOutput } from './output-file.ts';

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
