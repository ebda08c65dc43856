/** A command line in this process; what only a process shows (signals, kills, locks, pipes) is in cli.ts. */
import { Readable, Writable } from 'node:stream';
import type { ProcessContext, StopSignal } from '../../src/cli/context.ts';
import { runCli } from '../../src/cli/program.ts';
import { type CliResult, type RunningCli, watchedOutput } from './cli.ts';
import { hurriedClock } from './hurried-clock.ts';

interface CommandLineOptions {
  readonly cwd: string;
  /** Default: that of the machine. */
  readonly clock?: ProcessContext['clock'];
  readonly env?: Record<string, string>;
  readonly input?: string | Buffer;
  /** What standard error is where it is a terminal. */
  readonly terminal?: { readonly isTTY?: boolean; readonly columns?: number };
}

/** Runs to the end, in `cwd`; one at a time, since a process has one current folder. */
export async function commandLine(args: readonly string[], options: CommandLineOptions): Promise<CliResult> {
  return await startCommandLine(args, options).result;
}

/** As startCli, for commands that end by a signal; `kill` tells the program what the system would tell it. */
export function startCommandLine(
  args: readonly string[],
  { cwd, clock = hurriedClock, env = {}, input = '', terminal = {} }: CommandLineOptions,
): Pick<RunningCli, 'result' | 'kill' | 'shown'> {
  const { said, stream, shown } = collectedOutput();
  const listeners = new Set<(signal: StopSignal) => void>();
  const before = process.cwd();
  process.chdir(cwd);
  const result = runCli(args, {
    env: { NO_COLOR: '1', ...env },
    cwd,
    stdin: Readable.from([Buffer.from(input)]),
    stdout: stream('stdout'),
    stderr: Object.assign(stream('stderr'), terminal),
    clock,
    onSignal: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  })
    .finally(() => process.chdir(before))
    .then((code) => ({ code, ...said }));
  return {
    result,
    kill: (signal) => {
      if (signal !== 'SIGINT' && signal !== 'SIGTERM') throw new Error(`${signal} needs a process`);
      for (const listener of listeners) listener(signal);
    },
    shown: (text) => shown(result, text),
  };
}

/** Streams for a program in this process, and what it has written to them so far. */
export function collectedOutput() {
  const { said, add, shown } = watchedOutput();
  const stream = (name: keyof typeof said) =>
    new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        add(name, chunk.toString('utf8'));
        done();
      },
    });
  return { said, stream, shown };
}

/** As a shell takes it apart. */
export function words(line: string): string[] {
  return [...line.matchAll(/(?:'[^']*'|\\.|[^\s'\\])+/g)].map(([word]) =>
    word.replace(/'([^']*)'|\\(.)/g, (_, quoted?: string, escaped?: string) => quoted ?? escaped ?? ''),
  );
}
