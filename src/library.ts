/** `runImport` of the library: options → settings → target → the engine, with the caller's listener kept from harming it. */

import { dirname, resolve } from 'node:path';
import { openRunReport } from './commands/report/run-report.ts';
import { AppError } from './domain/errors.ts';
import { didYouMean } from './domain/nearest.ts';
import type { Emit, RunEvent } from './domain/run-events.ts';
import { looks } from './import/dry-run/dry-run.ts';
import type { ImportPorts } from './import/import-job.ts';
import { checkMapping } from './import/mapping-checks.ts';
import { runImport as runEngine } from './import/run-import.ts';
import { addressToLookAt, openTarget } from './import/target.ts';
import type { ImportCredentials, ImportOptions, ImportResult } from './library-options.ts';
import { commandLines } from './present/terminal/command-line.ts';
import { CREDENTIAL_VARIABLES, type CredentialPart, type GivenCredentials } from './settings/credentials.ts';
import { loadSettingsFile } from './settings/load-settings-file.ts';
import { type Given, type ResolvedSettings, resolveSettings } from './settings/resolve-settings.ts';
import { valueAt } from './settings/schema-complaints.ts';
import { parseSettingsFile, type SettingsFile } from './settings/settings-file.ts';
import { systemClock } from './system-clock.ts';
import { version } from './version.ts';

/**
 * Imports an export, or looks at what an import would do. Never twice: a run that was stopped, killed or cut off is simply
 * called again with the same options.
 *
 * Throws AppError for what stops it before anything is sent (`usage`, `configuration`, `source`, `checkpoint`), and when
 * `signal` stops it before that (`interrupted`). What stops it later is told in the result, as `stoppedBy`: what was done
 * until then is recorded, and the counts say what is left.
 */
export async function runImport(options: ImportOptions): Promise<ImportResult> {
  const resolved = await librarySettings(options);
  using stop = stopSignals(options);
  stop.soft.throwIfAborted();
  const listener = guarded(options.onEvent, stop.interrupt);
  try {
    const result = await importWith(options, resolved, stop, listener.emit);
    if (listener.thrown === undefined) return result;
  } catch (error) {
    if (listener.thrown === undefined) throw error;
  }
  throw listener.thrown.error;
}

async function importWith(
  options: ImportOptions,
  resolved: LibrarySettings,
  { soft, hard }: StopSignals,
  onEvent: Emit,
): Promise<ImportResult> {
  const { settings } = resolved;
  const programVersion = version();
  const report = await openRunReport({
    settings,
    clock: systemClock,
    version: programVersion,
    redact: options.redact === true,
    next: { commands: commandLines({ command: 'run', files: settings.source.files, options: [] }) },
  });
  const emit: Emit = (event) => {
    report?.emit(event);
    onEvent(event);
  };
  for (const message of resolved.warnings) emit({ type: 'note', message });
  const target =
    settings.mode !== 'dry-run'
      ? await openTarget(settings, systemClock)
      : looks(settings)
        ? await addressToLookAt(settings, (message) => emit({ type: 'note', message }))
        : undefined;
  try {
    const result = await runEngine(settings, target, {
      ...portsOf(options, resolved, { emit, soft, hard, version: programVersion }),
      beforeClose: report?.look,
      frames: report !== undefined && options.redact !== true,
    });
    const written = await report?.write(result);
    // The lines of the export are for the report alone.
    const { frames: _, ...reported } = written?.result ?? result;
    return written?.failure === undefined ? reported : { ...reported, reportFailure: written.failure };
  } finally {
    await target?.sandbox?.close();
  }
}

function portsOf(
  { env = {}, attachments, stdin, confirm }: ImportOptions,
  { folder }: LibrarySettings,
  given: Pick<ImportPorts, 'emit' | 'soft' | 'hard' | 'version'>,
): ImportPorts {
  return {
    ...given,
    clock: systemClock,
    random: Math.random,
    env:
      attachments?.credentials === undefined
        ? env
        : {
            ...env,
            HELPDESK_FILES_CREDENTIALS: JSON.stringify(attachments.credentials),
            HELPDESK_FILES_CREDENTIALS_FILE: undefined,
          },
    settingsFolder: folder,
    stdin,
    confirm: confirm && (async (survey) => await confirm(survey)),
  };
}

interface StopSignals extends Disposable {
  readonly soft: AbortSignal;
  readonly hard: AbortSignal;
  /** Stops as the caller's signal would. */
  readonly interrupt: (reason: AppError) => void;
}

/** The caller's signals with reasons that the engine can tell as an outcome. */
function stopSignals({ signal, stopAtOnce }: ImportOptions): StopSignals {
  const soft = new AbortController();
  const hard = new AbortController();
  const onSoft = () => soft.abort(stopped('The import was stopped by its signal.', signal));
  const onHard = () => {
    const reason = stopped('The import was stopped at once; what was in flight is in doubt.', stopAtOnce);
    soft.abort(reason);
    hard.abort(reason);
  };
  signal?.addEventListener('abort', onSoft, { once: true });
  stopAtOnce?.addEventListener('abort', onHard, { once: true });
  if (signal?.aborted === true) onSoft();
  if (stopAtOnce?.aborted === true) onHard();
  return {
    soft: soft.signal,
    hard: hard.signal,
    interrupt: (reason) => soft.abort(reason),
    [Symbol.dispose]: () => {
      signal?.removeEventListener('abort', onSoft);
      stopAtOnce?.removeEventListener('abort', onHard);
    },
  };
}

function stopped(message: string, signal: AbortSignal | undefined): AppError {
  return new AppError('interrupted', message, {
    hint: 'Run the same import again: it goes on from here.',
    cause: signal?.reason,
  });
}

/**
 * The engine emits between a request and its record in the checkpoint, so nothing may be thrown into it: what the listener
 * throws is kept, and the import stops in order.
 */
function guarded(onEvent: ImportOptions['onEvent'], interrupt: StopSignals['interrupt']) {
  let thrown: { readonly error: unknown } | undefined;
  return {
    emit: (event: RunEvent) => {
      if (thrown !== undefined) return;
      try {
        onEvent?.(event);
      } catch (error) {
        thrown = { error };
        interrupt(
          new AppError('interrupted', 'The import was stopped because its listener failed.', {
            cause: error,
          }),
        );
      }
    },
    get thrown() {
      return thrown;
    },
  };
}

interface LibrarySettings extends ResolvedSettings {
  /** Folder that a relative `transform` is loaded from. */
  readonly folder: string;
}

/** What an object of settings is called in complaints. */
const OBJECT_NAME = 'settings';

const OPTION_NAMES: Readonly<Record<keyof ImportOptions, true>> = {
  files: true,
  settings: true,
  profile: true,
  target: true,
  mode: true,
  trialSize: true,
  look: true,
  delta: true,
  replaceMessages: true,
  since: true,
  until: true,
  only: true,
  limit: true,
  shard: true,
  attachments: true,
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

const ATTACHMENT_NAMES = ['to', 'publicUrl', 'missing', 'credentials'];
const MODES = ['run', 'dry-run', 'trial'];

/**
 * From the options to Settings: they are read by the same table and rules as flags are. Throws AppError `usage` for options
 * that do not exist, `configuration` with all complaints about their values.
 */
async function librarySettings(options: ImportOptions): Promise<LibrarySettings> {
  requireKnown(options);
  const { files = [], only, target } = options;
  const { settings, warnings, origins } = resolveSettings({
    given: givenIn(options),
    env: options.env ?? {},
    credentials:
      target !== undefined && 'baseUrl' in target && target.credentials !== undefined
        ? credentialsOf(target.credentials)
        : undefined,
    file: await settingsFile(options),
    files: [files].flat(),
    needs: ['files', 'target', 'credentials'],
  });
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

function requireKnown(options: ImportOptions): void {
  const names = Object.keys(OPTION_NAMES);
  const unknown = Object.keys(options).find((name) => !names.includes(name));
  if (unknown !== undefined)
    throw new AppError('usage', `runImport has no option ${unknown}.${didYouMean(unknown, names)}`);
  const part = Object.keys(options.attachments ?? {}).find((name) => !ATTACHMENT_NAMES.includes(name));
  if (part !== undefined)
    throw new AppError('usage', `attachments has no key ${part}.${didYouMean(part, ATTACHMENT_NAMES)}`);
  if (options.mode !== undefined && !MODES.includes(options.mode))
    throw new AppError('usage', `The mode ${String(options.mode)} is not one of ${MODES.join(', ')}.`);
}

/** The options by the settings that name them; the mode is two of these. `only` is taken as it is: ids may have commas. */
function givenIn(options: ImportOptions): Given {
  const { mode, trialSize } = options;
  return {
    value: ({ name, option }) => {
      if (name === 'dryRun') return mode === 'dry-run' ? true : undefined;
      if (name === 'trial') return mode === 'trial' ? (trialSize ?? true) : undefined;
      return option === undefined ? undefined : valueAt(options, option.split('.'));
    },
    nameOf: ({ name, option }) => {
      if (name === 'dryRun') return 'mode "dry-run"';
      if (name === 'trial' && trialSize === undefined) return 'mode "trial"';
      return option ?? name;
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

/** An object is written out and read as a file would be, so that its complaints show the place. */
async function settingsFile({ settings, profile }: ImportOptions): Promise<SettingsFile | undefined> {
  if (settings === undefined && profile !== undefined)
    throw new AppError('usage', 'profile needs settings, which has the profiles.');
  if (settings === undefined) return undefined;
  if (typeof settings !== 'string')
    return parseSettingsFile(written(settings), OBJECT_NAME, checkMapping, undefined, profile);
  return await loadSettingsFile(settings, {
    hint: 'Check the path that settings names.',
    pathOf: (name) => resolve(name),
    profile,
    checks: async () => ({ mapping: checkMapping }),
  });
}

function written(settings: object): string {
  try {
    return JSON.stringify(settings, undefined, 2);
  } catch (error) {
    throw new AppError('configuration', 'The settings must be a plain object.', {
      hint: 'They may hold strings, numbers, booleans, lists and objects: whatever helpdesk-import.yaml may hold.',
      cause: error,
    });
  }
}
