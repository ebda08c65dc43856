/** The only place that touches the process. */

import { setFlagsFromString } from 'node:v8';
import type { OutputStream, ProcessContext, StopSignal } from './cli/context.ts';
import { runCli } from './cli/program.ts';
import { ERROR_CODES } from './domain/errors.ts';
import { outgoing } from './domain/printable.ts';
import { hideSecrets } from './domain/secret.ts';
import { systemClock } from './system-clock.ts';

// Without these V8 lets garbage pile up to half a gigabyte.
setFlagsFromString('--semi-space-growth-factor=1');
setFlagsFromString('--heap-growing-percent=50');

/** A closed reader or a full disk loses the output, not the import. */
let isResultLost = false;
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => {
    // A closed pipe has read enough.
    if (stream === process.stderr || error.code === 'EPIPE' || error.code === 'EIO' || isResultLost) return;
    isResultLost = true;
    process.stderr.write(`Warning: Standard output cannot be written (${error.code}); the rest goes on.\n`);
  });

/** Hides secrets in what libraries write, too. */
for (const stream of [process.stdout, process.stderr]) {
  const write = stream.write.bind(stream) as (...args: unknown[]) => boolean;
  stream.write = (chunk: unknown, ...rest: unknown[]) =>
    write(typeof chunk === 'string' ? outgoing(hideSecrets(chunk), hasSequences(stream)) : chunk, ...rest);
}

function hasSequences({ isTTY }: OutputStream): boolean {
  return isTTY === true || (process.env['FORCE_COLOR'] ?? '') !== '';
}

const SIGNALS: readonly StopSignal[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

let isOver = false;
/** An end that the command did not choose loses its result: no success. */
process.on('exit', () => {
  if (isOver) return;
  process.exitCode = ERROR_CODES.internal;
  process.stderr.write('Error: Internal error: the run stalled. Please report it.\n');
});

const context: ProcessContext = {
  env: process.env,
  cwd: process.cwd(),
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  clock: systemClock,
  onSignal: (listener) => {
    const handlers = SIGNALS.map((signal) => [signal, () => listener(signal)] as const);
    for (const [signal, handler] of handlers) process.on(signal, handler);
    return () => {
      for (const [signal, handler] of handlers) process.off(signal, handler);
    };
  },
};
const exitCode = await runCli(process.argv.slice(2), context);
isOver = true;
process.exitCode = exitCode;
// Late, as the error of a stream comes after its write.
process.on('exit', () => {
  if (exitCode === 0 && isResultLost) process.exitCode = ERROR_CODES['disk-write'];
});
