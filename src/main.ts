/** argv, environment and streams in, exit code out: the only place that touches the process. */
import { boundHeap } from './app/heap-bounds.ts';
import { systemClock } from './app/system-clock.ts';
import { runCli } from './cli/program.ts';

boundHeap();

// A reader that goes away (`… | head`) is no defect of ours: stop quietly.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    throw error;
  });
}

process.exitCode = await runCli(process.argv.slice(2), {
  env: process.env,
  cwd: process.cwd(),
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  clock: systemClock,
  onSignal: (listener) => {
    const onInterrupt = () => listener('SIGINT');
    const onTerminate = () => listener('SIGTERM');
    process.on('SIGINT', onInterrupt);
    process.on('SIGTERM', onTerminate);
    return () => {
      process.off('SIGINT', onInterrupt);
      process.off('SIGTERM', onTerminate);
    };
  },
});
