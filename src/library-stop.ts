/** How the caller of the library stops what he started, and how his listener is kept from harming it. */

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

/** The caller's signals with reasons that the engine can tell as an outcome. */
export function stopSignals({ signal, stopAtOnce }: CallerSignals): StopSignals {
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
    hint: 'Run the same import again: it continues from here.',
    cause: signal?.reason,
  });
}

/**
 * The engine emits between a request and its record in the checkpoint, so nothing may be thrown into it: what the listener
 * throws is kept, and the import stops in order.
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
