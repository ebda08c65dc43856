import type { Readable, Writable } from 'node:stream';
import { AppError } from '../domain/errors.ts';
import type { Clock } from '../domain/ports.ts';
import type { Flags } from '../settings/option-spec.ts';
import { version } from '../version.ts';
import type { CommandLines } from '../view/command-line.ts';

export type { Flags };

export interface OutputStream extends Writable {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
}

/** So that tests run without a process. */
export interface ProcessContext {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly clock: Clock;
  readonly onSignal: (listener: (signal: StopSignal) => void) => () => void;
}

/** SIGHUP: the terminal or its connection was closed. */
export type StopSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP';

export interface CliContext extends ProcessContext {
  readonly commands: CommandLines;
}

const ENDINGS: Readonly<Record<StopSignal, string>> = {
  SIGINT: 'Stopped',
  SIGTERM: 'Stopped by another program (SIGTERM)',
  SIGHUP: 'The terminal was closed (SIGHUP)',
};

export interface StopSignals extends Disposable {
  readonly soft: AbortSignal;
  readonly hard: AbortSignal;
}

export interface StoppedWork {
  readonly first: string;
  readonly second: string;
  readonly soft: readonly [left: string, hint?: string];
  readonly hard: readonly [left: string, hint?: string];
}

/** `atOnce`: what the second signal leaves. */
export function sending(atOnce: string): StoppedWork {
  return {
    first: 'Stopping: finishing requests under way.',
    second: `Stopping at once: ${atOnce}.`,
    soft: ['finished requests are recorded', 'Run the same command again to continue from here.'],
    hard: [
      'unfinished ones are in doubt',
      'Run the same command again: it settles doubts first, then continues from here.',
    ],
  };
}

const IMPORTING = sending('a ticket whose create was not answered yet is now in doubt');

export const READ_ONLY: StoppedWork = {
  first: 'Stopping.',
  second: 'Stopping at once.',
  soft: ['nothing was changed'],
  hard: ['nothing was changed'],
};

export function listenForStop(
  context: Pick<CliContext, 'onSignal'>,
  say: (message: string) => void,
  work = IMPORTING,
): StopSignals {
  const soft = new AbortController();
  const hard = new AbortController();
  const stopListening = context.onSignal((signal) => {
    const code = signal === 'SIGINT' ? 'interrupted' : 'terminated';
    const end = ([left, hint]: StoppedWork['soft']) =>
      new AppError(code, `${ENDINGS[signal]}; ${left}.`, { hint });
    if (!soft.signal.aborted) {
      const again = signal === 'SIGINT' ? ' Press Ctrl-C again to stop at once.' : '';
      say(`${work.first}${again}`);
      soft.abort(end(work.soft));
      // A closing terminal sends SIGHUP twice, from system and shell.
    } else if (!hard.signal.aborted && signal !== 'SIGHUP') {
      say(work.second);
      hard.abort(end(work.hard));
    }
  });
  return { soft: soft.signal, hard: hard.signal, [Symbol.dispose]: stopListening };
}

export function portsOf(
  { clock, env, stdin }: CliContext,
  { soft, hard }: Omit<StopSignals, typeof Symbol.dispose>,
) {
  return { clock, random: Math.random, env, stdin, soft, hard, version: version() };
}

export function textFlag(flags: Flags, name: string): string | undefined {
  const value = flags[name];
  return typeof value === 'string' ? value : undefined;
}
