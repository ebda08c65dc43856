/** Flags, environment, settings file and defaults become Settings, with all complaints together. */
import { join } from 'node:path';
import { didYouMean, retired } from '../domain/nearest.ts';
import { valueAt } from '../domain/source-file.ts';
import { appKeysIn, readCredentials, variable } from './credentials.ts';
import { attributeOf, type Flags, longFlag } from './option-spec.ts';
import { type Parsed, parsePeriod, quoted } from './parsers.ts';
import { type Complaint, configurationError, pathText, sentencesOf } from './sentences.ts';
import { brokenRules, type Need, type Settings, unwise } from './settings.ts';
import type { SettingsFile } from './settings-file.ts';
import { ALL_SETTINGS, type AllValues, type NamedSetting, SWITCHES } from './table/table.ts';
import { readYaml } from './yaml-text.ts';

export interface ResolveInputs {
  readonly flags: Flags;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly file?: SettingsFile | undefined;
  readonly files?: readonly string[];
  /** A dry run needs neither helpdesk nor credentials; the sandbox has its own. */
  readonly needs?: readonly Need[];
}

interface Origin {
  readonly from: 'flag' | 'environment' | 'file';
  readonly where: string;
}

export interface ResolvedSettings {
  readonly settings: Settings;
  readonly origins: Readonly<Record<string, Origin>>;
  readonly warnings: readonly string[];
}

export function resolveSettings(inputs: ResolveInputs): ResolvedSettings {
  const { flags, env, file, files = [], needs = [] } = inputs;
  const isAppApi = needs.includes('appApi');
  const { values, origins, complaints, complain } = readAll(inputs, isAppApi);
  const { task, selection, target, source, run, output, people } = values;
  const { trial, dryRun, ...rest } = task;
  const isAlone = task.sandbox !== undefined;
  // A wrong token of the Core API does not matter to the app API.
  const credentials = isAlone || isAppApi ? undefined : readCredentials(env);
  const app = isAppApi && !isAlone ? appKeysIn(env) : undefined;
  const later = <T>(name: string, text: string | undefined, read: (text: string) => Parsed<T>) => {
    const parsed = text === undefined ? undefined : read(text);
    if (parsed !== undefined && 'problem' in parsed) complain(name, `${parsed.problem}.`);
    return parsed !== undefined && 'value' in parsed ? parsed.value : undefined;
  };
  const period = (name: string, text: string | undefined) =>
    later(name, text, (written) => parsePeriod(written, source.timezone));
  const missingCreatedAt = period('source.missingCreatedAt', source.missingCreatedAt)?.begin;
  const since = period('since', selection.since)?.begin;
  const until = period('until', selection.until)?.end;
  const rejectsAsked = origins['run.rejects']?.from === 'flag';
  const settings: Settings = {
    ...rest,
    mode: dryRun ? 'dry-run' : trial === undefined ? 'run' : 'trial',
    trialSize: trial ?? 8,
    target: withPath(target),
    selection: { ...selection, since, until },
    people,
    files: values.files,
    source: {
      ...source,
      files: files.length > 0 ? files : (source.files ?? []),
      missingCreatedAt: missingCreatedAt === undefined ? undefined : new Date(missingCreatedAt).toISOString(),
    },
    run: {
      ...run,
      concurrency: inFlight(run),
      giveUpAfter: Math.min(600, 20 * run.timeout),
    },
    output: {
      ...output,
      rejectsAsked,
    },
    ...(credentials?.credentials && { credentials: credentials.credentials }),
    appApi: isAppApi ? { ...values.appApi, keys: app?.keys } : undefined,
    mapping: file?.value.mapping,
    changes: [flags['set'] ?? []].flat().map(String).filter(isField),
  };
  const all = [
    ...(file?.complaints ?? []),
    ...complaints,
    ...(credentials?.complaints ?? []),
    ...(app?.complaints ?? []),
  ];
  const asked = {
    is: (name: string) => origins[name]?.from === 'flag' && typedFor(settingOf(name), flags) !== false,
    nameOf: (name: string) => nameOf(settingOf(name)),
  };
  // A missing address or token may have been given and be wrong.
  const checked = needs.filter((need) => all.length === 0 || need === 'files');
  const complained = [...all, ...brokenRules(settings, asked, checked).map((message) => ({ message }))];
  if (complained.length > 0) throw configurationError(complained);
  return { settings, origins, warnings: [...(credentials?.warnings ?? []), ...unwise(settings)] };
}

const SETTINGS = [...ALL_SETTINGS, ...SWITCHES];
const MOST_IN_FLIGHT = 16;
/** More requests than fit into this time only wait, and a PUT that waited for two seconds is preceded by a read. */
const IN_FLIGHT_SECONDS = 1.5;

function inFlight({ batchSize, rate }: Pick<Settings['run'], 'batchSize' | 'rate'>): number {
  const paced = rate.map(({ requests, seconds }) => Math.floor((IN_FLIGHT_SECONDS * requests) / seconds));
  return Math.max(1, Math.min(MOST_IN_FLIGHT, batchSize, ...paced));
}

const SETTABLE = ALL_SETTINGS.filter(({ description }) => description !== undefined).map(({ name }) => name);

/** A field of the table of `init`, which the columns of the export decide. */
const isField = (text: string) => /^(?:(?:ticket|message|person)\.|(?:ignore|otherAuthors)=)/.test(text);

/** Where `NAME=VALUE` is in a settings file. Throws AppError `configuration`; undefined for what is no setting. */
export function settingIn(
  text: string,
): { readonly path: readonly string[]; readonly value: unknown } | undefined {
  const [, typed = '', written = ''] = /^([^=]*)=?(.*)$/s.exec(text) ?? [];
  const { name } = withinSection(typed, written);
  if (!SETTABLE.includes(name)) return undefined;
  const { given, complaints } = valuesSet({ set: text });
  const parsed = settingOf(name).schema.safeParse(given.get(name));
  const said = sentencesOf(parsed.error?.issues ?? [], given.get(name)).map(({ message }) => ({
    message: `--set ${name} ${message}`,
  }));
  if (complaints.length + said.length > 0) throw configurationError([...complaints, ...said]);
  // As it was typed: the settings are read again.
  return typed === name
    ? { path: name.split('.'), value: given.get(name) }
    : { path: [name, typed.slice(name.length + 1)], value: unquoted(written) || undefined };
}

function valuesSet(flags: Flags): { given: Map<string, unknown>; complaints: Complaint[] } {
  const given = new Map<string, unknown>();
  const complaints: Complaint[] = [];
  for (const text of [flags['set'] ?? []].flat().map(String)) {
    if (isField(text)) continue;
    const [, typed = '', written = ''] = /^([^=]*)=?(.*)$/s.exec(text) ?? [];
    const { name, value } = withinSection(typed, written);
    const instead = retired(name);
    const hint = instead === undefined ? didYouMean(name, SETTABLE) : ` ${instead}`;
    if (!SETTABLE.includes(name))
      complaints.push({ message: `--set: ${quoted(name)} is no setting.${hint}` });
    else if (!text.includes('='))
      complaints.push({ message: `--set ${name} has no value: type ${name}=value.` });
    else if (written === '' && !settingOf(name).schema.safeParse('').success) given.set(name, undefined);
    else if (typedFor(settingOf(name), flags) !== undefined)
      complaints.push({
        message: `${nameOf(settingOf(name))} and --set ${name} are both given: leave out one of them.`,
      });
    else {
      const before = given.get(name);
      const now = fromText(value);
      const isSection = name !== typed && typeof before === 'object' && !Array.isArray(before);
      if (isSection) given.set(name, { ...before, ...(now as object) });
      else given.set(name, before === undefined ? now : [before, now].flat());
    }
  }
  return { given, complaints };
}

/** `customersWithoutEmail.synthesize=x` and `agents.ana@example.com=agt_1` are keys of a setting. */
function withinSection(name: string, value: string): { readonly name: string; readonly value: string } {
  const section = SETTABLE.find((other) => name.startsWith(`${other}.`) && !SETTABLE.includes(name));
  if (section === undefined) return { name, value };
  if (section === 'customersWithoutEmail' && value === '') return { name: section, value };
  const whole = { [name.slice(section.length + 1)]: unquoted(value) };
  const fits = settingOf(section).schema.safeParse(whole).success;
  return fits ? { name: section, value: JSON.stringify(whole) } : { name, value };
}

const unquoted = (text: string) => /^(['"])(.*)\1$/s.exec(text)?.[2] ?? text;

function fromText(text: string): unknown {
  return /^(?:[[{].*[\]}]|(['"]).*\1|true|false)$/s.test(text) ? readYaml(text, '--set').value : text;
}

const flagOf = ({ flag }: NamedSetting) => longFlag(flag?.flags ?? '');
const nameOf = (setting: NamedSetting) => flagOf(setting) || setting.name;
const typedFor = (setting: NamedSetting, flags: Flags): unknown => flags[attributeOf(flagOf(setting))];

function settingOf(name: string): NamedSetting {
  const found = SETTINGS.find((setting) => setting.name === name);
  if (found === undefined) throw new Error(`There is no setting ${name}.`);
  return found;
}

/** A version at the end of an address is the path of the API. */
function withPath<T extends { readonly baseUrl: string | undefined }>(api: T) {
  const [, baseUrl = api.baseUrl, apiPath = '/api/core/v1'] =
    /^(.*?)((?:\/api\/core)?\/v\d+)$/.exec(api.baseUrl ?? '') ?? [];
  return { ...api, ...(baseUrl !== undefined && { baseUrl }), apiPath };
}

interface Written {
  readonly value: unknown;
  readonly origin: Origin;
  complaint(message: string, path?: readonly PropertyKey[]): Complaint;
}

function readAll(inputs: ResolveInputs, isAppApi: boolean) {
  const { file } = inputs;
  const { given, complaints } = valuesSet(inputs.flags);
  const places = new Map<string, Written>();
  const values: Record<string, Record<string, unknown>> = {};
  for (const setting of SETTINGS) {
    const { name, key, section, schema, isPath, inSandbox } = setting;
    const held = values[section] ?? {};
    values[section] = held;
    if (section === 'appApi' && !isAppApi) continue;
    const sandbox = values['task']?.['sandbox'];
    const own = sandbox === undefined ? undefined : inSandbox;
    const written = writtenFor(setting, inputs, given, own !== undefined);
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
  { flags, env, file }: ResolveInputs,
  given: ReadonlyMap<string, unknown>,
  flagOnly: boolean,
): Written | undefined {
  const { name, alone, env: inEnv, description } = setting;
  const named = (from: Origin['from'], where: string, value: unknown): Written => ({
    origin: { from, where },
    value,
    complaint: (message) => ({ message: `${where} ${message}` }),
  });
  const typed = typedFor(setting, flags);
  if (typed !== undefined) return named('flag', nameOf(setting), typed === true ? (alone ?? typed) : typed);
  if (given.has(name)) return named('flag', `--set ${name}`, given.get(name));
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
      const shown = pathText([...above, ...below.filter((step) => typeof step !== 'number')]);
      return file.complain([...above, ...below], 'value', `${shown} ${message}`);
    },
  };
}

function inFolderOf(file: SettingsFile | undefined, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((path) => inFolderOf(file, path));
  return typeof value === 'string' ? (file?.resolve(value) ?? value) : value;
}
