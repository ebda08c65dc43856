/**
 * The signals of an import (contract, "What an answer means"): the first one finishes what is in flight, the second one
 * ends at once and leaves it in doubt.
 */
import { AppError } from '../domain/errors.ts';
import type { CliContext } from './context.ts';

export interface StopSignals extends Disposable {
  /** Aborted by the first signal. */
  readonly soft: AbortSignal;
  /** Aborted by the second one. */
  readonly hard: AbortSignal;
}

/** `inDoubt`: what the second signal leaves behind, in words. */
export function listenForStop(
  context: Pick<CliContext, 'onSignal'>,
  say: (message: string) => void,
  inDoubt = 'a ticket whose create was not answered yet is now in doubt',
): StopSignals {
  const soft = new AbortController();
  const hard = new AbortController();
  const stopListening = context.onSignal((signal) => {
    const code = signal === 'SIGINT' ? 'interrupted' : 'terminated';
    if (!soft.signal.aborted) {
      say('Stopping: finishing what is in flight. Press Ctrl-C again to stop at once.');
      soft.abort(
        new AppError(code, 'Stopped by you; what was in flight is finished and recorded.', {
          hint: 'Run the same command again to go on from here.',
        }),
      );
      // A terminal that closes tells it twice: the system does, and the shell. Nobody is in a hurry then.
    } else if (!hard.signal.aborted && signal !== 'SIGHUP') {
      say(`Stopping at once: ${inDoubt}.`);
      hard.abort(
        new AppError(code, 'Stopped at once by you; what was in flight is in doubt.', {
          hint: 'Run the same command again: it settles what is in doubt first, then goes on from here.',
        }),
      );
    }
  });
  return { soft: soft.signal, hard: hard.signal, [Symbol.dispose]: stopListening };
}
