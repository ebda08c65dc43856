/** Stopping by signals of the caller, and errors of the caller's listener. */

import { AppError } from './domain/errors.ts';
import type { Emit, RunEvent } from './domain/run-events.ts';

export interface CallerSignals {
  readonly signal?: AbortSignal | undefined;
  readonly stopAtOnce?: AbortSignal | undefined;
}

export interface StopSignals extends Disposable {
  readonly soft: AbortSignal;
  readonly hard: AbortSignal;
  /** Stops as the caller's signal would. */
  readonly interrupt: (reason: AppError) => void;
}

/** The caller's signals, with an AppError as reason. */
export function stopSignals({ signal, stopAtOnce }: CallerSignals): StopSignals {
  const soft = new AbortController();
  const hard = new AbortController();
  const onSoft = () => soft.abort(stopped('The import was stopped by its signal.', signal));
  const onHard = () => {
    const reason = stopped('The import was stopped at once; requests under way are in doubt.', stopAtOnce);
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
    hint: 'Run the same import again: it continues from here.',
    cause: signal?.reason,
  });
}

/**
 * The engine emits between a request and its record in the checkpoint, so an error of the listener is kept until the import has
 * stopped.
 */
export function guarded(onEvent: Emit | undefined, interrupt: StopSignals['interrupt']) {
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
