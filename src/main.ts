/** argv, environment and streams in, exit code out: the only place that touches the process. */

import type { OutputStream, ProcessContext, StopSignal } from './cli/context.ts';
import { runCli } from './cli/program.ts';
import { ERROR_CODES } from './domain/errors.ts';
import { outgoing } from './domain/printable.ts';
import { hideSecrets } from './domain/secret.ts';
import { systemClock } from './system-clock.ts';

/**
 * A reader that goes away (`… | head`), a terminal that was closed, a full disk behind `>`: what would be told there is
 * lost, and what is being done goes on. An export of which half was sent helps nobody.
 */
let isResultLost = false;
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => {
    // Who closes a pipe has read what he wanted.
    if (stream === process.stderr || error.code === 'EPIPE' || error.code === 'EIO' || isResultLost) return;
    isResultLost = true;
    process.stderr.write(`Warning: Standard output cannot be written (${error.code}); the rest goes on.\n`);
  });

/** Whatever a command, a library or a module of the user writes: no secret, and nothing that steers the terminal, is in it. */
for (const stream of [process.stdout, process.stderr]) {
  const write = stream.write.bind(stream) as (...args: unknown[]) => boolean;
  stream.write = (chunk: unknown, ...rest: unknown[]) =>
    write(typeof chunk === 'string' ? outgoing(hideSecrets(chunk), hasSequences(stream)) : chunk, ...rest);
}

/** Colours may be asked for where there is no terminal. */
function hasSequences({ isTTY }: OutputStream): boolean {
  return isTTY === true || process.env['FORCE_COLOR'] !== undefined;
}

const SIGNALS: readonly StopSignal[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

let isOver = false;
/** A module of the user that ends the process takes the result with it, and nobody may take that for success. */
process.on('exit', (code) => {
  if (isOver || code === ERROR_CODES.internal) return;
  process.exitCode = code === 13 ? ERROR_CODES.internal : ERROR_CODES.configuration;
  process.stderr.write(
    code === 13
      ? 'Error: Internal error: the run stalled. Please report it.\n'
      : 'Error: Something called process.exit() before the command was over: check the module that `transform` names. What was sent is recorded; run the same command again.\n',
  );
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
// Told late, since an error of a stream comes later than its write: what a script asked for did not arrive.
process.on('exit', () => {
  if (exitCode === 0 && isResultLost) process.exitCode = ERROR_CODES['disk-write'];
});
