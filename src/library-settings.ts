/** Turns options of the library into settings, by the same table and rules as flags. */

import { dirname, resolve } from 'node:path';
import { AppError } from './domain/errors.ts';
import { didYouMean } from './domain/nearest.ts';
import { checkMapping } from './import/mapping-checks.ts';
import { withPlan } from './import/plan-settings.ts';
import type { ImportCredentials, ImportOptions } from './library-options.ts';
import { CREDENTIAL_VARIABLES, type CredentialPart, type GivenCredentials } from './settings/credentials.ts';
import { type Given, type ResolvedSettings, resolveSettings } from './settings/resolve-settings.ts';
import { valueAt } from './settings/sentences.ts';
import type { Need } from './settings/settings.ts';
import { loadSettingsFile, parseSettingsFile, type SettingsFile } from './settings/settings-file.ts';

export interface LibrarySettings extends ResolvedSettings {
  /** Folder that a relative `transform` is loaded from. */
  readonly folder: string;
}

/** The name of an object of settings in complaints. */
const OBJECT_NAME = 'settings';

const ATTACHMENT_NAMES = ['to', 'publicUrl', 'missing', 'credentials'];
const MODES = ['run', 'dry-run', 'trial'];

/**
 * Throws AppError `usage` for unknown options, and `configuration` with all complaints about values.
 */
export async function librarySettings(
  options: ImportOptions,
  needs: readonly Need[] = ['files', 'target', 'credentials'],
): Promise<LibrarySettings> {
  requireParts(options);
  const { files = [], only, target } = options;
  const resolved = resolveSettings({
    given: givenIn(options),
    env: options.env ?? {},
    credentials:
      target !== undefined && 'baseUrl' in target && target.credentials !== undefined
        ? credentialsOf(target.credentials)
        : undefined,
    file: await settingsFile(options),
    files: [files].flat(),
    needs,
  });
  const { settings, origins, warnings } = withPlan(resolved);
  return {
    settings:
      only === undefined
        ? settings
        : { ...settings, selection: { ...settings.selection, only: [...new Set(only)] } },
    origins,
    warnings,
    folder: typeof options.settings === 'string' ? dirname(resolve(options.settings)) : process.cwd(),
  };
}

/** Throws AppError `usage` for an unknown option. */
export function requireKnown<T extends object>(
  called: string,
  options: T,
  known: Readonly<Record<keyof T, true>>,
): void {
  const names = Object.keys(known);
  const unknown = Object.keys(options).find((name) => !names.includes(name));
  if (unknown !== undefined)
    throw new AppError('usage', `${called} has no option ${unknown}.${didYouMean(unknown, names)}`);
}

function requireParts({ attachments, mode }: ImportOptions): void {
  const part = Object.keys(attachments ?? {}).find((name) => !ATTACHMENT_NAMES.includes(name));
  if (part !== undefined)
    throw new AppError('usage', `attachments has no key ${part}.${didYouMean(part, ATTACHMENT_NAMES)}`);
  if (mode !== undefined && !MODES.includes(mode))
    throw new AppError('usage', `The mode ${String(mode)} is not one of ${MODES.join(', ')}.`);
}

/** The caller's variables, with the credentials of `attachments`. */
export function envOf({ env = {}, attachments }: Pick<ImportOptions, 'env' | 'attachments'>) {
  if (attachments?.credentials === undefined) return env;
  const lines = Object.entries(attachments.credentials).flatMap(([host, headers]) =>
    Object.entries(headers).map(([header, value]) => `${host} ${header}: ${value}`),
  );
  return {
    ...env,
    HELPDESK_FILES_CREDENTIALS: lines.join('\n'),
    HELPDESK_FILES_CREDENTIALS_FILE: undefined,
  };
}

/** The options by setting. `only` is not split: IDs may have commas. */
function givenIn(options: ImportOptions): Given {
  const { mode, trialSize } = options;
  return {
    value: ({ name, option }) => {
      if (name === 'dryRun') return mode === 'dry-run' ? true : undefined;
      if (name === 'trial') return mode === 'trial' ? (trialSize ?? true) : undefined;
      return option === undefined ? undefined : valueAt(options, option.split('.'));
    },
    nameOf: ({ name, option }) => {
      if (name === 'trial' && trialSize === undefined) return 'mode "trial"';
      return name === 'dryRun' ? 'mode "dry-run"' : (option ?? name);
    },
  };
}

function credentialsOf(credentials: ImportCredentials): GivenCredentials {
  const known = Object.keys(CREDENTIAL_VARIABLES);
  const unknown = Object.keys(credentials).find((key) => !known.includes(key));
  if (unknown !== undefined)
    throw new AppError('usage', `target.credentials has no key ${unknown}.${didYouMean(unknown, known)}`);
  const parts: { readonly [K in CredentialPart]?: string | undefined } = credentials;
  const given = Object.entries(parts).map(([part, value]) => [part, value?.trim() || undefined]);
  return { parts: Object.fromEntries(given), nameOf: (part) => `target.credentials.${part}` };
}

/** An object is written and read as a file, so that complaints show the place. */
async function settingsFile({ settings }: ImportOptions): Promise<SettingsFile | undefined> {
  if (settings === undefined) return undefined;
  if (typeof settings !== 'string')
    return parseSettingsFile(written(settings), OBJECT_NAME, { mapping: checkMapping });
  return await loadSettingsFile(settings, {
    hint: 'Check the path that settings names.',
    pathOf: (name) => resolve(name),
    checks: async () => ({ mapping: checkMapping }),
  });
}

function written(settings: object): string {
  try {
    return JSON.stringify(settings, undefined, 2);
  } catch (error) {
    throw new AppError('configuration', 'The settings must be a plain object.', {
      hint: 'Use strings, numbers, booleans, lists and objects, as in helpdesk-import.yaml.',
      cause: error,
    });
  }
}
