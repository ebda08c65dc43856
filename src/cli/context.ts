/** What a command has of the process: streams, environment, clock, the typed command, and the signals that stop it. */
import type { Readable, Writable } from 'node:stream';
import type { Clock } from '../domain/clock.ts';
import { AppError } from '../domain/errors.ts';
import { version } from '../version.ts';
import type { CommandLines } from '../view/command-line.ts';

export type { Flags } from '../settings/option-spec.ts';

/** A stream to a person or a file; a terminal has `isTTY` and `columns`. */
export interface OutputStream extends Writable {
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/** Everything from the process, so that tests run without one. */
export interface ProcessContext {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly clock: Clock;
  /** Listens for the signals that stop a program; returns a function that stops listening. */
  readonly onSignal: (listener: (signal: StopSignal) => void) => () => void;
}

/** SIGHUP: the terminal or the connection to it was closed. */
export type StopSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP';

/** The context of a command. */
export interface CliContext extends ProcessContext {
  /** The typed command, and commands that follow from it. */
  readonly commands: CommandLines;
}

const ENDINGS: Readonly<Record<StopSignal, string>> = {
  SIGINT: 'Stopped',
  SIGTERM: 'Stopped by another program (SIGTERM)',
  SIGHUP: 'The terminal was closed (SIGHUP)',
};

export interface StopSignals extends Disposable {
  /** Aborted by the first signal: what is under way is finished. */
  readonly soft: AbortSignal;
  /** Aborted by the second one: what is under way is in doubt. */
  readonly hard: AbortSignal;
}

/** The sentences of a stop. */
export interface StoppedWork {
  /** At the first and at the second signal. */
  readonly first: string;
  readonly second: string;
  /** The state of the work, and what to do. */
  readonly soft: readonly [left: string, hint?: string];
  readonly hard: readonly [left: string, hint?: string];
}

/** `atOnce`: what the second signal leaves. */
export function sending(atOnce: string): StoppedWork {
  return {
    first: 'Stopping: finishing what is in flight.',
    second: `Stopping at once: ${atOnce}.`,
    soft: ['what was finished is recorded', 'Run the same command again to continue from here.'],
    hard: [
      'what was in flight is in doubt',
      'Run the same command again: it settles what is in doubt first, then continues from here.',
    ],
  };
}

const IMPORTING = sending('a ticket whose create was not answered yet is now in doubt');

/** Of a command that only reads. */
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
      // A closing terminal sends SIGHUP twice, from system and shell: the second one is no hurry.
    } else if (!hard.signal.aborted && signal !== 'SIGHUP') {
      say(work.second);
      hard.abort(end(work.hard));
    }
  });
  return { soft: soft.signal, hard: hard.signal, [Symbol.dispose]: stopListening };
}

/** The ports of an import: the process, and the signals that stop it. */
export function portsOf(
  { clock, env, stdin }: CliContext,
  { soft, hard }: Omit<StopSignals, typeof Symbol.dispose>,
) {
  return { clock, random: Math.random, env, stdin, soft, hard, version: version() };
}
