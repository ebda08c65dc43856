/**
 * From the options of the library to Settings, through the same steps as the command line: options stand where flags and
 * variables stand there, so precedence, parsers and rules are the same. Complaints name the options.
 */
import { dirname, resolve } from 'node:path';
import { AppError } from './domain/errors.ts';
import { didYouMean } from './domain/nearest.ts';
import type { ImportCredentials, ImportOptions } from './library-options.ts';
import { CREDENTIAL_VARIABLES } from './settings/environment.ts';
import { loadSettingsFile } from './settings/load-settings-file.ts';
import { type ResolvedSettings, resolveSettings } from './settings/resolve-settings.ts';
import { DEFAULTS } from './settings/settings.ts';
import type { SettingsFile } from './settings/settings-file.ts';
import type { Flags } from './settings/sources.ts';

export interface LibrarySettings extends ResolvedSettings {
  /** Folder that a relative `transform` is loaded from. */
  readonly folder: string;
}

/** What an object of settings is called in complaints. */
const OBJECT_NAME = 'settings';

const OPTION_NAMES: Readonly<Record<keyof ImportOptions, true>> = {
  files: true,
  settings: true,
  target: true,
  mode: true,
  trialSize: true,
  delta: true,
  replaceMessages: true,
  since: true,
  until: true,
  only: true,
  limit: true,
  shard: true,
  checkpoint: true,
  rejects: true,
  report: true,
  redact: true,
  stdin: true,
  env: true,
  signal: true,
  stopAtOnce: true,
  onEvent: true,
  confirm: true,
};

const MODES = ['run', 'dry-run', 'trial'];

/** Variables of `credentials`, by the key of the option. */
const CREDENTIAL_OPTIONS: Readonly<Record<string, (typeof CREDENTIAL_VARIABLES)[number]>> = {
  token: 'HELPDESK_TOKEN',
  tokenFile: 'HELPDESK_TOKEN_FILE',
  tokenUrl: 'HELPDESK_TOKEN_URL',
  clientId: 'HELPDESK_CLIENT_ID',
  clientSecret: 'HELPDESK_CLIENT_SECRET',
  refreshToken: 'HELPDESK_REFRESH_TOKEN',
  refreshTokenFile: 'HELPDESK_REFRESH_TOKEN_FILE',
  scope: 'HELPDESK_SCOPE',
};

/** Throws AppError: `usage` for options that do not exist, `configuration` with all complaints about their values. */
export async function librarySettings(options: ImportOptions): Promise<LibrarySettings> {
  requireKnown(options);
  const { mode = 'run', files, only, target } = options;
  const words = new Map<string, string>();
  const flags = flagsOf(options, words);
  const credentials = target !== undefined && 'baseUrl' in target ? target.credentials : undefined;
  const env = withCredentials(options.env ?? {}, credentials, words);
  words.set('--config', 'settings');
  try {
    const file = await settingsFile(options.settings);
    const { settings, warnings, origins } = resolveSettings({
      flags,
      env,
      file,
      files: files === undefined ? [] : typeof files === 'string' ? [files] : files,
      needs: mode === 'dry-run' ? ['files'] : ['files', 'target', 'credentials'],
    });
    return {
      // Ids are taken as they are: on the command line a comma would part them.
      settings:
        only === undefined
          ? settings
          : { ...settings, selection: { ...settings.selection, only: [...new Set(only)] } },
      origins,
      warnings: warnings.map((warning) => inWords(warning, words)),
      folder: typeof options.settings === 'string' ? dirname(resolve(options.settings)) : process.cwd(),
    };
  } catch (error) {
    throw error instanceof AppError ? rephrased(error, words) : error;
  }
}

function requireKnown(options: ImportOptions): void {
  const names = Object.keys(OPTION_NAMES);
  const unknown = Object.keys(options).find((name) => !names.includes(name));
  if (unknown !== undefined)
    throw new AppError('usage', `runImport has no option ${unknown}.${didYouMean(unknown, names)}`);
  if (options.mode !== undefined && !MODES.includes(options.mode))
    throw new AppError('usage', `The mode ${String(options.mode)} is none of ${MODES.join(', ')}.`);
}

/** `words` receives what each flag is called in the options. */
function flagsOf(options: ImportOptions, words: Map<string, string>): Flags {
  const { mode, trialSize, target, delta, replaceMessages } = options;
  const flags: Record<string, Flags[string]> = {};
  const give = (flag: string, option: string, value: Flags[string] | undefined) => {
    words.set(flag, option);
    if (value !== undefined)
      flags[flag.slice(2).replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())] = value;
  };
  give('--dry-run', 'mode "dry-run"', mode === 'dry-run' ? true : undefined);
  give(
    '--trial',
    trialSize === undefined ? 'mode "trial"' : 'trialSize',
    mode === 'trial' ? (text(trialSize) ?? true) : undefined,
  );
  give('--delta', 'delta', delta);
  give('--replace-messages', 'replaceMessages', replaceMessages);
  give(
    '--sandbox',
    'target.sandbox',
    target !== undefined && 'sandbox' in target ? target.sandbox : undefined,
  );
  give(
    '--base-url',
    'target.baseUrl',
    target !== undefined && 'baseUrl' in target ? target.baseUrl : undefined,
  );
  for (const name of ['since', 'until', 'limit', 'shard', 'checkpoint', 'rejects', 'report'] as const)
    give(`--${name}`, name, text(options[name]));
  return flags;
}

function text(value: Date | string | number | undefined): string | undefined {
  if (value === undefined) return undefined;
  if (!(value instanceof Date)) return String(value);
  return Number.isNaN(value.getTime()) ? 'Invalid Date' : value.toISOString();
}

/** Credentials in the options take the place of all that the variables say of credentials. */
function withCredentials(
  env: Readonly<Record<string, string | undefined>>,
  credentials: ImportCredentials | undefined,
  words: Map<string, string>,
): Readonly<Record<string, string | undefined>> {
  if (credentials === undefined) return env;
  const known = new Set<string>(CREDENTIAL_VARIABLES);
  const others = Object.entries(env).filter(([name]) => !known.has(name));
  const given = Object.entries(credentials).map(([key, value]) => {
    const name = CREDENTIAL_OPTIONS[key];
    if (name === undefined)
      throw new AppError(
        'usage',
        `target.credentials has no key ${key}.${didYouMean(key, Object.keys(CREDENTIAL_OPTIONS))}`,
      );
    return [name, value] as const;
  });
  for (const [key, name] of Object.entries(CREDENTIAL_OPTIONS)) words.set(name, `target.credentials.${key}`);
  return Object.fromEntries([...others, ...given]);
}

/** An object is written out and read as a file would be, so that its complaints show the place. */
async function settingsFile(settings: ImportOptions['settings']): Promise<SettingsFile | undefined> {
  if (settings === undefined) return undefined;
  if (typeof settings === 'string')
    return await loadSettingsFile(settings, {
      defaultName: DEFAULTS.settingsFile,
      pathOf: (name) => resolve(name),
      checks: async () => ({ mapping: (await import('./import/section-checks.ts')).checkMapping }),
    });
  const [{ parseSettingsFile }, { checkMapping }] = await Promise.all([
    import('./settings/settings-file.ts'),
    import('./import/section-checks.ts'),
  ]);
  return parseSettingsFile(written(settings), OBJECT_NAME, checkMapping);
}

function written(settings: object): string {
  try {
    return JSON.stringify(settings, undefined, 2);
  } catch (error) {
    throw new AppError('configuration', 'The settings are no plain object.', {
      hint: 'They may hold texts, numbers, true, false, lists and objects: what could stand in helpdesk-import.yaml.',
      cause: error,
    });
  }
}

/** The same error in the words of the options: nobody gave a flag here. */
function rephrased(error: AppError, words: ReadonlyMap<string, string>): AppError {
  return new AppError(error.code, inWords(error.message, words), {
    ...(error.hint === undefined ? {} : { hint: inWords(error.hint, words) }),
    lines: error.lines.map((line) => inWords(line, words)),
    cause: error,
  });
}

/** Longest names first: one may be the beginning of another. */
function inWords(sentence: string, words: ReadonlyMap<string, string>): string {
  return [...words]
    .toSorted(([a], [b]) => b.length - a.length)
    .reduce(
      (told, [name, option]) => told.replaceAll(new RegExp(`(?<![\\w-])${name}(?![\\w-])`, 'g'), option),
      sentence,
    );
}
