/**
 * Flags or options of the library, environment, settings file and defaults become Settings. All complaints are shown together.
 */
import { join } from 'node:path';
import type { Rate, Shard } from '../domain/limits.ts';
import { appKeysIn, credentialsIn, type GivenCredentials, readCredentials, variable } from './credentials.ts';
import { attributeOf, type Flags, longFlag } from './option-spec.ts';
import { type Parsed, parsePeriod, parseShard } from './parsers.ts';
import { type Complaint, configurationError, pathText, sentencesOf, valueAt } from './sentences.ts';
import { brokenRules, type Need, type Settings, unwise } from './settings.ts';
import type { SettingsFile } from './settings-file.ts';
import { ALL_SETTINGS, type AllValues, type NamedSetting, SWITCHES } from './table/table.ts';

/** Values for this run, from flags or options of the library. */
export interface Given {
  /** As typed; undefined if not given. */
  value(setting: NamedSetting): unknown;
  /** Its name there: `--since`, `since`. */
  nameOf(setting: NamedSetting): string;
}

export function givenBy(flags: Flags): Given {
  const flagOf = ({ flag }: NamedSetting) => longFlag(flag?.flags ?? '');
  return {
    value: (setting) => flags[attributeOf(flagOf(setting))],
    nameOf: (setting) => flagOf(setting) || setting.name,
  };
}

export interface ResolveInputs {
  readonly given: Given;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly file?: SettingsFile | undefined;
  /** The command's arguments. */
  readonly files?: readonly string[];
  /** Replaces those of the environment. */
  readonly credentials?: GivenCredentials | undefined;
  /** What the command requires. A dry run needs neither target nor credentials; the sandbox has its own. */
  readonly needs?: readonly Need[];
}

/** Where a setting was given; absent for defaults. */
interface Origin {
  readonly from: 'flag' | 'environment' | 'file';
  /** `--rate`, `HELPDESK_BASE_URL`, `helpdesk-import.yaml`. */
  readonly where: string;
}

export interface ResolvedSettings {
  readonly settings: Settings;
  /** By the name of the setting. */
  readonly origins: Readonly<Record<string, Origin>>;
  readonly warnings: readonly string[];
}

/** Throws AppError `configuration` with all complaints. */
export function resolveSettings(inputs: ResolveInputs): ResolvedSettings {
  const { given, env, file, files = [], needs = [] } = inputs;
  const isAppApi = needs.includes('appApi');
  const { values, origins, complaints, complain } = readAll(inputs, isAppApi);
  const { task, selection, target, source, run, output, people } = values;
  const { trial, dryRun, ...rest } = task;
  const isAlone = task.sandbox !== undefined;
  // The app API has its own keys: a wrong token of the Core API does not matter.
  const credentials =
    isAlone || isAppApi ? undefined : readCredentials(inputs.credentials ?? credentialsIn(env));
  const app = isAppApi && !isAlone ? appKeysIn(env) : undefined;
  const later = <T>(name: string, text: string | undefined, read: (text: string) => Parsed<T>) => {
    const parsed = text === undefined ? undefined : read(text);
    if (parsed !== undefined && 'problem' in parsed) complain(name, `${parsed.problem}.`);
    return parsed !== undefined && 'value' in parsed ? parsed.value : undefined;
  };
  const period = (name: string, text: string | undefined) =>
    later(name, text, (written) => parsePeriod(written, source.timezone));
  const shard = later('shard', selection.shard, (text) => parseShard(text, env));
  const missingCreatedAt = period('source.missingCreatedAt', source.missingCreatedAt)?.begin;
  const since = period('since', selection.since)?.begin;
  const until = period('until', selection.until)?.end;
  const rejectsAsked = origins['run.rejects']?.from === 'flag';
  const settings: Settings = {
    ...rest,
    mode: dryRun ? 'dry-run' : trial === undefined ? 'run' : 'trial',
    trialSize: trial ?? 8,
    target: withoutPath(target),
    selection: { ...selection, since, until, shard },
    people,
    files: values.files,
    source: {
      ...source,
      files: files.length > 0 ? files : (source.files ?? []),
      missingCreatedAt: missingCreatedAt === undefined ? undefined : new Date(missingCreatedAt).toISOString(),
    },
    run: { ...run, rate: shardShare(run.rate, shard), giveUpAfter: Math.min(600, 20 * run.timeout) },
    output: {
      ...output,
      rejects:
        shard === undefined || rejectsAsked
          ? output.rejects
          : `${output.rejects.replace(/(?<![/\\])[/\\]+$/, '')}-${shard.index}-of-${shard.count}`,
      rejectsAsked,
    },
    ...(credentials?.credentials && { credentials: credentials.credentials }),
    appApi: isAppApi ? { ...values.appApi, keys: app?.keys } : undefined,
    mapping: file?.value.mapping,
  };
  const all = [
    ...(file?.complaints ?? []),
    ...complaints,
    ...(credentials?.complaints ?? []),
    ...(app?.complaints ?? []),
  ];
  const asked = {
    is: (name: string) => [undefined, false].every((none) => given.value(settingOf(name)) !== none),
    nameOf: (name: string) => given.nameOf(settingOf(name)),
  };
  // A missing address or token may have been given and be wrong.
  const checked = needs.filter((need) => all.length === 0 || need === 'files');
  const complained = [...all, ...brokenRules(settings, asked, checked).map((message) => ({ message }))];
  if (complained.length > 0) throw configurationError(complained);
  return { settings, origins, warnings: [...(credentials?.warnings ?? []), ...unwise(settings)] };
}

const SETTINGS = [...ALL_SETTINGS, ...SWITCHES];

function settingOf(name: string): NamedSetting {
  const found = SETTINGS.find((setting) => setting.name === name);
  if (found === undefined) throw new Error(`There is no setting ${name}.`);
  return found;
}

/** People paste the address of the API itself. */
function withoutPath<T extends { readonly baseUrl: string | undefined; readonly apiPath: string }>(
  api: T,
): T {
  const { baseUrl, apiPath } = api;
  if (baseUrl === undefined || apiPath === '' || !baseUrl.endsWith(apiPath)) return api;
  return { ...api, baseUrl: baseUrl.slice(0, -apiPath.length) };
}

/** The value of a setting from the first place that gives it. */
interface Written {
  readonly value: unknown;
  readonly origin: Origin;
  complaint(message: string, path?: readonly PropertyKey[]): Complaint;
}

/** Every setting from the first place that gives it, with its complaints. */
function readAll(inputs: ResolveInputs, isAppApi: boolean) {
  const { file } = inputs;
  const complaints: Complaint[] = [];
  const places = new Map<string, Written>();
  const values: Record<string, Record<string, unknown>> = {};
  for (const setting of SETTINGS) {
    const { name, key, section, schema, isPath, inSandbox } = setting;
    const held = values[section] ?? {};
    values[section] = held;
    if (section === 'appApi' && !isAppApi) continue;
    const sandbox = values['task']?.['sandbox'];
    const own = sandbox === undefined ? undefined : inSandbox;
    const written = writtenFor(setting, inputs, own !== undefined);
    if (written !== undefined) places.set(name, written);
    const byDefault = own === undefined || own === 'default' ? undefined : own.default;
    const inFolder = typeof byDefault === 'string' ? join(String(sandbox), byDefault) : byDefault;
    const parsed = schema.safeParse(written?.value ?? inFolder);
    const value = parsed.success ? parsed.data : schema.safeParse(undefined).data;
    if (value !== undefined)
      held[key] = isPath === true && written?.origin.from === 'file' ? inFolderOf(file, value) : value;
    for (const { path, message } of sentencesOf(parsed.error?.issues ?? [], written?.value))
      complaints.push(written?.complaint(message, path) ?? { message });
  }
  return {
    values: values as unknown as AllValues,
    origins: Object.fromEntries([...places].map(([name, { origin }]) => [name, origin])),
    complaints,
    complain: (name: string, message: string) =>
      complaints.push(places.get(name)?.complaint(message) ?? { message }),
  };
}

/** `flagOnly`: environment and file are about another service. */
function writtenFor(
  setting: NamedSetting,
  { given, env, file }: ResolveInputs,
  flagOnly: boolean,
): Written | undefined {
  const { name, alone, env: inEnv, description } = setting;
  const named = (from: Origin['from'], where: string, value: unknown): Written => ({
    origin: { from, where },
    // JSON of an invalid date is null.
    value: value instanceof Date ? (value.toJSON() ?? 'Invalid Date') : value,
    complaint: (message) => ({ message: `${where} ${message}` }),
  });
  const typed = given.value(setting);
  if (typed !== undefined)
    return named('flag', given.nameOf(setting), typed === true ? (alone ?? typed) : typed);
  if (flagOnly) return undefined;
  const held = inEnv === undefined ? undefined : variable(env, inEnv);
  if (inEnv !== undefined && held !== undefined) return named('environment', inEnv, held);
  const above = name.split('.');
  const value = description === undefined ? undefined : valueAt(file?.value, above);
  if (file === undefined || value === undefined || value === null) return undefined;
  return {
    value,
    origin: { from: 'file', where: file.name },
    complaint: (message, below = []) => {
      // The place shows the element of a list.
      const shown = pathText([...above, ...below.filter((step) => typeof step !== 'number')]);
      return file.complain([...above, ...below], 'value', `${shown} ${message}`);
    },
  };
}

function inFolderOf(file: SettingsFile | undefined, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((path) => inFolderOf(file, path));
  return typeof value === 'string' ? (file?.resolve(value) ?? value) : value;
}

/**
 * The share of one shard in every budget. The rest of the division goes to the first shards, so that the shares add up. With more shards than
 * requests each sends one in a longer window.
 */
export function shardShare(rates: readonly Rate[], shard: Shard | undefined): readonly Rate[] {
  if (shard === undefined || shard.count === 1) return rates;
  const { index, count } = shard;
  return rates.map(({ requests, seconds }) => {
    const share = Math.floor(requests / count) + (index <= requests % count ? 1 : 0);
    if (requests >= count) return { requests: share, seconds };
    return { requests: 1, seconds: Math.ceil((seconds * count) / requests) };
  });
}
