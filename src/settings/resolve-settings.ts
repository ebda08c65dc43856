/**
 * From what was given to what holds: flags or the options of the library, environment, settings file and defaults become
 * Settings. Three steps, and complaints of all three are shown together: the file against its schema (settings-file.ts),
 * every value as its entry in the table reads it (here), and rules between settings (setting-rules.ts). Pure.
 */
import { join } from 'node:path';
import type { Rate, Shard } from '../domain/limits.ts';
import { type Complaint, configurationError } from './complaint.ts';
import { appKeysIn, credentialsIn, type GivenCredentials, readCredentials, variable } from './credentials.ts';
import { attributeOf, type Flags, longFlag } from './option-spec.ts';
import { valueAt } from './schema-complaints.ts';
import type { ReadContext } from './setting.ts';
import { checkRules, type Need } from './setting-rules.ts';
import type { Settings } from './settings.ts';
import type { SettingsFile } from './settings-file.ts';
import { SWITCHES, type Switch } from './table/run.ts';
import { ALL_SETTINGS, type AllValues, type NamedSetting, type Section } from './table/table.ts';

/** What was given for this one run, by flags or by the options of the library. */
export interface Given {
  /** As it was written or typed; undefined where nothing was. */
  value(setting: NamedSetting): unknown;
  has(name: Switch): boolean;
  /** What it is called there: `--since`, `since`. */
  nameOf(setting: NamedSetting): string;
  nameOfSwitch(name: Switch): string;
}

export function givenBy(flags: Flags): Given {
  const flagOf = ({ flag }: NamedSetting) => longFlag(flag?.flags ?? '');
  return {
    value: (setting) => flags[attributeOf(flagOf(setting))],
    has: (name) => {
      const { flags: written } = SWITCHES[name];
      return flags[attributeOf(written)] === !written.startsWith('--no-');
    },
    nameOf: (setting) => flagOf(setting) || setting.name,
    nameOfSwitch: (name) => SWITCHES[name].flags,
  };
}

export interface ResolveInputs {
  readonly given: Given;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly file?: SettingsFile | undefined;
  /** The command's arguments. */
  readonly files?: readonly string[];
  /** In place of those in the environment. */
  readonly credentials?: GivenCredentials | undefined;
  /** What the command cannot do without. A dry run needs neither target nor credentials, the sandbox brings its own. */
  readonly needs?: readonly Need[];
}

interface Origin {
  readonly from: 'argument' | 'flag' | 'environment' | 'file' | 'default';
  /** `--rate`, `HELPDESK_BASE_URL`, `helpdesk-import.yaml:12:5`, `default`. */
  readonly where: string;
}

/** By the name of the setting. */
export type Origins = Readonly<Record<string, Origin>>;

export interface ResolvedSettings {
  readonly settings: Settings;
  readonly origins: Origins;
  /** One sentence each. */
  readonly warnings: readonly string[];
}

/** Throws AppError `configuration` with all complaints. */
export function resolveSettings(inputs: ResolveInputs): ResolvedSettings {
  const { given, env, file, files = [], needs = [] } = inputs;
  const isAppApi = needs.includes('appApi');
  const { values, origins, complaints, failed } = readAll(inputs, isAppApi);
  const is = (name: string) =>
    isSwitch(name) ? given.has(name) : (given.value(settingOf(name)) ?? false) !== false;
  const { trial, ...task } = values.task;
  const { sandbox } = task;
  if (files.length > 0) origins['source.files'] = { from: 'argument', where: 'the command line' };
  // The app API has keys of its own: what is wrong with the token of the Core API is none of its business.
  const credentials =
    sandbox === undefined && !isAppApi ? readCredentials(inputs.credentials ?? credentialsIn(env)) : NONE;
  const app = isAppApi && sandbox === undefined ? appKeysIn(env) : NONE;
  const { shard } = values.selection;
  const { target, output, appApi } = values;
  const rejectsAsked = origins['run.rejects']?.from === 'flag';
  const settings: Settings = {
    ...task,
    serve: is('serve'),
    delta: is('delta'),
    yes: is('yes'),
    mode: is('dryRun') ? 'dry-run' : is('trial') ? 'trial' : 'run',
    trialSize: trial ?? 8,
    target: withoutPath(target),
    selection: values.selection,
    people: values.people,
    files: values.files,
    source: { ...values.source, files: files.length > 0 ? files : (values.source.files ?? []) },
    run: {
      ...values.run,
      rate: shardShare(values.run.rate, shard),
      giveUpAfter: Math.min(600, 20 * values.run.timeout),
    },
    output: {
      ...output,
      redact: is('redact'),
      json: is('json'),
      quiet: is('quiet'),
      verbose: is('verbose'),
      progress: !is('noProgress'),
      rejects:
        shard === undefined || rejectsAsked
          ? output.rejects
          : `${output.rejects.replace(/(?<![/\\])[/\\]+$/, '')}-${shard.index}-of-${shard.count}`,
      rejectsAsked,
    },
    ...(credentials.credentials && { credentials: credentials.credentials }),
    appApi: isAppApi ? { ...appApi, keys: app.keys } : undefined,
    mapping: file?.value.mapping,
  };
  const rules = checkRules(
    settings,
    { is, nameOf: (name) => (isSwitch(name) ? given.nameOfSwitch(name) : given.nameOf(settingOf(name))) },
    // What was given and is wrong is complained about already.
    needs.filter(
      (need) =>
        !(need === 'target' && failed.has('target.baseUrl')) &&
        !(need === 'credentials' && credentials.complaints.length > 0) &&
        !(need === 'appApi' && (failed.has('appApi.baseUrl') || app.complaints.length > 0)),
    ),
  );
  const all = [
    ...(file?.complaints ?? []),
    ...complaints,
    ...credentials.complaints,
    ...app.complaints,
    ...rules.complaints,
  ];
  if (all.length > 0) throw configurationError(all);
  return { settings, origins, warnings: [...credentials.warnings, ...rules.warnings] };
}

/** Of a sandbox, which brings its own. */
const NONE = { credentials: undefined, keys: undefined, complaints: [], warnings: [] };

const isSwitch = (name: string): name is Switch => Object.hasOwn(SWITCHES, name);

function settingOf(name: string): NamedSetting {
  const found = ALL_SETTINGS.find((setting) => setting.name === name);
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

/** One place where a value stands. */
interface Place {
  readonly origin: Origin;
  readonly written: unknown;
  /** `index`: which of several is wrong. */
  complaint(message: string, index: number | undefined): Complaint;
}

/** Every setting from the first place that gives it; each wrong value is complained about, wherever it stands. */
function readAll(inputs: ResolveInputs, isAppApi: boolean) {
  const complaints: Complaint[] = [];
  const failed = new Set<string>();
  const origins: Record<string, Origin> = {};
  const values = emptySections();
  const context: ReadContext = {
    env: inputs.env,
    get zone() {
      return values.source['timezone']?.toString();
    },
  };
  for (const setting of ALL_SETTINGS) {
    const { name, key, section, isPath, inSandbox } = setting;
    origins[name] = { from: 'default', where: 'default' };
    if (section === 'appApi' && !isAppApi) continue;
    const sandbox = values.task['sandbox']?.toString();
    const own = sandbox === undefined ? undefined : inSandbox;
    let value: unknown;
    for (const { origin, written, complaint } of placesOf(setting, inputs, own !== undefined)) {
      const read = readWritten(setting, written, context);
      for (const { problem, index } of read.problems)
        complaints.push(complaint(`${problem}${/[.?!]$/.test(problem) ? '' : '.'}`, index));
      if (read.problems.length > 0) failed.add(name);
      else if (value === undefined) {
        value =
          isPath === true && origin.from === 'file' ? resolvePaths(read.value, inputs.file) : read.value;
        origins[name] = origin;
      }
    }
    const held = own === undefined || own === 'default' ? setting.default : own.default;
    if (value === undefined && held !== undefined) {
      const isOurs = held !== setting.default && typeof held === 'string';
      value = readWritten(setting, isOurs ? join(sandbox ?? '', held) : held, context).value;
    }
    if (value !== undefined) values[section][key] = value;
  }
  return { values: values as unknown as AllValues, origins, complaints, failed };
}

/** The places that give a setting, the first one holds. `flagOnly`: the others speak of another service. */
function placesOf(setting: NamedSetting, { given, env, file }: ResolveInputs, flagOnly: boolean): Place[] {
  const { name } = setting;
  const places: Place[] = [];
  const add = (from: Origin['from'], where: string, written: unknown) =>
    places.push({
      origin: { from, where },
      written,
      complaint: (message) => ({ message: `${where} ${message}` }),
    });
  const typed = given.value(setting);
  if (typed !== undefined)
    add('flag', given.nameOf(setting), typed === true ? (setting.alone ?? typed) : typed);
  if (flagOnly) return places;
  const inEnv = setting.env === undefined ? undefined : variable(env, setting.env);
  if (inEnv !== undefined) add('environment', setting.env ?? '', inEnv);
  const inFile = setting.meaning === undefined ? undefined : valueAt(file?.value, name.split('.'));
  if (file !== undefined && inFile !== undefined && inFile !== null)
    places.push({
      origin: { from: 'file', where: file.placeOf(name) },
      written: inFile,
      complaint: (message, index) => file.complain(name, `${name} ${message}`, index),
    });
  return places;
}

/** `index`: of one of several. */
function readWritten({ isList, isWhole, read }: NamedSetting, written: unknown, context: ReadContext) {
  const parts = isWhole === true ? [written] : [written].flat().map(asText);
  const results = parts.map((part) => read(part as never, context));
  const values = results.flatMap((result) => ('value' in result ? [result.value] : []));
  return {
    value: isList === true ? values : values[0],
    problems: results.flatMap((result, index) =>
      'problem' in result
        ? [{ problem: result.problem, index: Array.isArray(written) ? index : undefined }]
        : [],
    ),
  };
}

function asText(value: unknown): string {
  if (!(value instanceof Date)) return String(value);
  return Number.isNaN(value.getTime()) ? 'Invalid Date' : value.toISOString();
}

function resolvePaths(value: unknown, file: SettingsFile | undefined): unknown {
  if (Array.isArray(value)) return value.map((path) => resolvePaths(path, file));
  return typeof value === 'string' ? (file?.resolve(value) ?? value) : value;
}

function emptySections(): Record<Section, Record<string, unknown>> {
  return {
    task: {},
    target: {},
    source: {},
    selection: {},
    run: {},
    output: {},
    files: {},
    people: {},
    appApi: {},
  };
}

/**
 * The share of one shard in every budget: an equal one, and what cannot be divided goes to the first ones, so that the
 * shares add up to the whole and never to more. Where there are more shards than requests, each sends one in a window
 * that is longer by as much.
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
