/**
 * From what was written to what holds: flags, environment, settings file and defaults become Settings. Three steps, and
 * complaints of all three are shown together: the file against its schema (settings-file.ts), every value by its parser
 * (here), and rules between settings (setting-rules.ts). Pure.
 */
import { appApiSettings, appKeysFrom } from './app-api-settings.ts';
import { configurationError } from './complaint.ts';
import { credentialsFrom, type Environment } from './environment.ts';
import { wholeNumber } from './parse-numbers.ts';
import { nonEmpty } from './parse-text.ts';
import { checkRules, type Need } from './setting-rules.ts';
import {
  outputSettings,
  peopleSettings,
  present,
  runSettings,
  selectionSettings,
  sourceSettings,
  targetSettings,
} from './setting-sections.ts';
import { DEFAULTS, type Mode, type Settings } from './settings.ts';
import type { SettingsFile } from './settings-file.ts';
import { shardShare } from './shard-share.ts';
import { createLookup, type Flags, type Origins, SETTING_PLACES } from './sources.ts';

export interface ResolveInputs {
  readonly flags: Flags;
  readonly env: Environment;
  readonly file?: SettingsFile | undefined;
  /** The command's arguments. */
  readonly files?: readonly string[];
  /** What the command cannot do without. A dry run needs neither target nor credentials, the sandbox brings its own. */
  readonly needs?: readonly Need[];
}

export interface ResolvedSettings {
  readonly settings: Settings;
  readonly origins: Origins;
  /** One sentence each. */
  readonly warnings: readonly string[];
}

/** Throws AppError `configuration` with all complaints. */
export function resolveSettings(inputs: ResolveInputs): ResolvedSettings {
  const { flags, env, file } = inputs;
  const lookup = createLookup({ flags, env, file });
  const mode: Mode = flags['dryRun'] === true ? 'dry-run' : isGiven(flags['trial']) ? 'trial' : 'run';
  const sandbox = optionalText(flags['sandbox'], DEFAULTS.sandbox);
  const source = sourceSettings(lookup, inputs.files, file);
  const isAppApi = inputs.needs?.includes('appApi') === true;
  // The app API has keys of its own: what is wrong with the token of the Core API is none of its business.
  const credentials = credentialsFrom(sandbox === undefined && !isAppApi ? env : {});
  const appKeys = appKeysFrom(isAppApi && sandbox === undefined ? env : {});

  const chosen = selectionSettings(lookup, source.timezone, env);
  const asGiven: Settings = {
    mode,
    trialSize:
      typeof flags['trial'] === 'string'
        ? (lookup.one('trial', wholeNumber(5, 10)) ?? 8)
        : DEFAULTS.trialSize,
    ...present('sandbox', sandbox),
    serve: flags['serve'] === true,
    delta: flags['delta'] === true,
    replaceMessages: flags['replaceMessages'] === true,
    ...present('explain', lookup.one('explain', nonEmpty)),
    assumeYes: flags['yes'] === true,
    target: targetSettings(lookup, sandbox !== undefined),
    ...present('credentials', credentials.credentials),
    ...present(
      'appApi',
      isAppApi ? { ...appApiSettings(lookup, sandbox, file), ...present('keys', appKeys.keys) } : undefined,
    ),
    source,
    selection: chosen,
    run: runSettings(lookup, sandbox !== undefined),
    people: peopleSettings(file),
    output: outputSettings(lookup, flags, sandbox, file, chosen.shard),
    ...present('mapping', file?.value.mapping),
    ...present('confirm', file?.value.confirm),
  };
  const { run, selection } = asGiven;
  const settings: Settings = { ...asGiven, run: { ...run, rates: shardShare(run.rates, selection.shard) } };
  const rules = checkRules(
    settings,
    flags,
    // What was given and is wrong is complained about already.
    (inputs.needs ?? []).filter(
      (need) =>
        !(need === 'target' && lookup.failed.has('target.baseUrl')) &&
        !(need === 'credentials' && credentials.complaints.length > 0) &&
        !(need === 'appApi' && (lookup.failed.has('appApi.baseUrl') || appKeys.complaints.length > 0)),
    ),
  );
  const complaints = [
    ...(file?.complaints ?? []),
    ...lookup.complaints,
    ...credentials.complaints,
    ...appKeys.complaints,
    ...rules.complaints,
  ];
  if (complaints.length > 0) throw configurationError(complaints);
  return {
    settings,
    origins: withDefaults(lookup.origins),
    warnings: [...credentials.warnings, ...rules.warnings],
  };
}

function isGiven(flag: Flags[string]): boolean {
  return flag !== undefined && flag !== false;
}

/** A flag with an optional text: absent, given alone (then `alone`), or with its text. */
function optionalText(flag: Flags[string], alone: string): string | undefined {
  return typeof flag === 'string' ? flag : flag === true ? alone : undefined;
}

function withDefaults(origins: Origins): Origins {
  const names = Object.keys(SETTING_PLACES);
  return Object.fromEntries(
    names.map((name) => [name, origins[name] ?? { from: 'default', where: 'default' }] as const),
  );
}
