/**
 * The settings of a plan: what shapes its tickets is the plan's own. A run of it brings the rest: where the tickets go, how fast, which
 * of them, and what is written.
 */
import { basename } from 'node:path';
import { AppError } from '../domain/errors.ts';
import type { LossReport } from '../domain/survey.ts';
import type { Detection } from '../mapping/detect/detect.ts';
import { isDatabaseFile, readPlanMeta } from '../plan/plan-file.ts';
import type { ResolvedSettings } from '../settings/resolve-settings.ts';
import type { Settings } from '../settings/settings.ts';
import { ALL_SETTINGS, type NamedSetting } from '../settings/table/table.ts';
import { version } from '../version.ts';

/** Of the source: what does not say how it is read. */
const OF_RUN = ['files', 'ticketUrl', 'allowUnreadableRows'];
/** Of the target: what every ticket is sent with. */
const OF_TICKETS = [
  'tag',
  'subject',
  'channelId',
  'identityTag',
  'statusChangeType',
  'readOnly',
  'managedBy',
];

type PlannedSettings = Pick<Settings, 'people' | 'unmapped' | 'mapping'> & {
  readonly source: Partial<Settings['source']>;
  readonly target: Partial<Settings['target']>;
};

/** What sending needs besides tickets and rows. */
export interface Sending {
  readonly settings: PlannedSettings;
  readonly detection: Detection;
  /** The user named the source. */
  readonly isSourceNamed: boolean;
  readonly people:
    | { readonly file: string; readonly pairs: readonly (readonly [string, string])[] }
    | undefined;
  /** Ids of agents, by what the export calls them. */
  readonly agents: Readonly<Record<string, string>>;
  readonly loss: LossReport;
}

/** Those of a plan. */
export function plannedSettings({ source, target, people, unmapped, mapping }: Settings): PlannedSettings {
  const { files, ticketUrl, allowUnreadableRows, ...reading } = source;
  const { baseUrl, apiPath, ticketUrl: _, messageIds, ...tickets } = target;
  return { source: reading, target: tickets, people, unmapped, mapping };
}

/**
 * Where a plan is named instead of an export: the settings with those of the plan. Throws AppError `usage` for what is no plan, and for
 * settings that would map the tickets otherwise.
 */
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
