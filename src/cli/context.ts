import type { Readable, Writable } from 'node:stream';
import type { Clock } from '../domain/clock.ts';
import type { CommandLines } from '../view/command-line.ts';

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

export type { Flags } from '../settings/option-spec.ts';
