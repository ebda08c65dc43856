/** `runImport` of the library: options → settings → target → engine. */

import { withKeptPlan } from './cli/kept-plan.ts';
import type { Emit } from './domain/run-events.ts';
import { looks } from './import/dry-run/dry-run.ts';
import type { ImportPorts } from './import/import-job.ts';
import { runImport as runEngine } from './import/run-import.ts';
import { addressToLookAt, openTarget } from './import/target.ts';
import type { ImportOptions, ImportResult } from './library-options.ts';
import { envOf, type LibrarySettings, librarySettings, requireKnown } from './library-settings.ts';
import { guarded, type StopSignals, stopSignals } from './library-stop.ts';
import { systemClock } from './system-clock.ts';
import { version } from './version.ts';
import { commandLines } from './view/command-line.ts';

/**
 * Imports an export, or checks it. After a stop or a kill call it again with the same options: no ticket is created twice.
 *
 * Throws AppError for what stops it before anything is sent (`usage`, `configuration`, `auth`, `unreachable`, `source`, `checkpoint`), and when
 * `signal` stops it before that (`interrupted`). What stops it later is `stoppedBy` of the result, with the counts so far.
 */
export async function runImport(options: ImportOptions): Promise<ImportResult> {
  requireKnown('runImport', options, OPTION_NAMES);
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
  emit: Emit,
): Promise<ImportResult> {
  const settings =
    options.plan === undefined ? resolved.settings : withKeptPlan(resolved.settings, options.plan);
  const programVersion = version();
  const report =
    settings.output.report === undefined
      ? undefined
      : (await import('./commands/report/run-report.ts')).openRunReport({
          settings,
          clock: systemClock,
          version: programVersion,
          redact: options.redact === true,
          next: { commands: commandLines({ command: 'run', files: settings.source.files, options: [] }) },
        });
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
    // Only the report shows lines of the export.
    const { frames: _, ...reported } = written?.result ?? result;
    return written?.failure === undefined ? reported : { ...reported, reportFailure: written.failure };
  } finally {
    await target?.sandbox?.close();
  }
}

function portsOf(
  options: ImportOptions,
  { folder }: LibrarySettings,
  given: Pick<ImportPorts, 'emit' | 'soft' | 'hard' | 'version'>,
): ImportPorts {
  const { stdin, confirm } = options;
  return {
    ...given,
    clock: systemClock,
    random: Math.random,
    env: envOf(options),
    settingsFolder: folder,
    stdin,
    confirm: confirm && (async (survey) => await confirm(survey)),
  };
}

const OPTION_NAMES: Readonly<Record<keyof ImportOptions, true>> = {
  files: true,
  settings: true,
  target: true,
  mode: true,
  trialSize: true,
  delta: true,
  since: true,
  until: true,
  only: true,
  limit: true,
  shard: true,
  attachments: true,
  checkpoint: true,
  rejects: true,
  plan: true,
  report: true,
  redact: true,
  stdin: true,
  env: true,
  signal: true,
  stopAtOnce: true,
  onEvent: true,
  confirm: true,
};
