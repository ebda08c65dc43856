import type { Readable, Writable } from 'node:stream';
import type { Clock } from '../domain/clock.ts';
import type { CommandLines } from '../view/command-line.ts';

/** A stream to a person or a file; `isTTY` and `columns` are there on a terminal. */
export interface OutputStream extends Writable {
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/** Everything that the program takes from the process, so that it can be run in a test without one. */
export interface ProcessContext {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly clock: Clock;
  /** Registers for the signals that stop a program; the returned function takes it back. */
  readonly onSignal: (listener: (signal: StopSignal) => void) => () => void;
}

/** SIGHUP: the terminal was closed, or the connection to it is lost. */
export type StopSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP';

/** What a command takes. */
export interface CliContext extends ProcessContext {
  /** What was typed, and the commands that follow from it. */
  readonly commands: CommandLines;
}

export type { Flags } from '../settings/option-spec.ts';
