/**
 * A watch on what the user wrote: patterns of a mapping and transforms run in the thread that also hears signals, and one
 * that does not end would leave a process that only SIGKILL ends. Another thread looks at the clock and interrupts it.
 */
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { AppError } from '../domain/errors.ts';
import { BOUNDS } from '../domain/limits.ts';
import { watchOwnCode } from '../mapping/compile/own-code.ts';

/** Of processor time for one ticket. Thousands are mapped in that time. */
const SECONDS = BOUNDS.ownCode.most;

export interface OwnCodeFailure {
  /** Rejects when something was interrupted; what waited for it never goes on. */
  readonly failed: Promise<never>;
  /** Whether something was: the process must be ended then. */
  readonly hasFailed: () => boolean;
  /** The exit code of a signal that came meanwhile, which nobody could hear. */
  readonly signalled: () => number | undefined;
}

const EXIT_CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 143 } as const;

/** Starts with the first own code: most imports have none. */
export function armOwnCodeWatch(): OwnCodeFailure {
  const turns = new Int32Array(new SharedArrayBuffer(4));
  const { promise, reject } = Promise.withResolvers<never>();
  promise.catch(() => undefined);
  let turn = 0;
  let what = '';
  let isWatching = false;
  let hasFailed = false;
  let signalled: number | undefined;
  watchOwnCode({
    begin: (name) => {
      what = name;
      if (!isWatching) {
        for (const [signal, code] of Object.entries(EXIT_CODES))
          process.on(signal, () => {
            signalled ??= code;
          });
        startWatch({ turns, seconds: SECONDS }, () => {
          hasFailed = true;
          reject(
            new AppError('configuration', `${what} takes more than ${SECONDS} seconds to map.`, {
              hint: 'An expression under match, matches or split in the mapping is too slow for this text, or the transform does not end. What was sent until then is recorded.',
            }),
          );
        });
      }
      isWatching = true;
      Atomics.store(turns, 0, ++turn);
    },
    // an even number: nobody's turn
    end: () => Atomics.store(turns, 0, ++turn),
  });
  return { failed: promise, hasFailed: () => hasFailed, signalled: () => signalled };
}

function startWatch(data: { turns: Int32Array; seconds: number }, onInterrupted: () => void): void {
  const file = `./own-code-watch-thread${extname(import.meta.filename)}`;
  const worker = new Worker(new URL(file, import.meta.url), { workerData: data });
  worker.on('message', onInterrupted);
  // without a watch the import goes on as well
  worker.on('error', () => undefined);
  worker.unref();
}
