/** `runImport` of the library: options → settings → target → the engine, with the caller's listener kept from harming it. */

import { openRunReport } from './commands/report/run-report.ts';
import { AppError } from './domain/errors.ts';
import type { Emit, RunEvent } from './domain/run-events.ts';
import type { ImportPorts } from './import/import-job.ts';
import { runImport as runEngine } from './import/run-import.ts';
import { openTarget } from './import/target.ts';
import type { ImportOptions, ImportResult } from './library-options.ts';
import { type LibrarySettings, librarySettings } from './library-settings.ts';
import { commandLines } from './present/terminal/command-line.ts';
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
  const target = settings.mode === 'dry-run' ? undefined : await openTarget(settings, systemClock);
  try {
    const result = await runEngine(settings, target, {
      ...portsOf(options, resolved, { emit, soft, hard, version: programVersion }),
      ...(report === undefined ? {} : { beforeClose: report.look, frames: options.redact !== true }),
    });
    const written = await report?.write(result);
    // The lines of the export are for the report alone.
    const { frames: _, ...told } = written?.result ?? result;
    return {
      ...told,
      ...(written?.failure === undefined ? {} : { reportFailure: written.failure }),
    };
  } finally {
    await target?.sandbox?.close();
  }
}

function portsOf(
  { env, stdin, confirm }: ImportOptions,
  { folder }: LibrarySettings,
  given: Pick<ImportPorts, 'emit' | 'soft' | 'hard' | 'version'>,
): ImportPorts {
  return {
    ...given,
    clock: systemClock,
    random: Math.random,
    env: env ?? {},
    settingsFolder: folder,
    ...(stdin === undefined ? {} : { stdin }),
    ...(confirm === undefined ? {} : { confirm: async (survey) => await confirm(survey) }),
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
