import type { Readable, Writable } from 'node:stream';
import type { Clock } from '../domain/clock.ts';

/** A stream to a person or a file; `isTTY` and `columns` are there on a terminal. */
export interface OutputStream extends Writable {
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/** Everything a command takes from the process, so that it can be run in a test without one. */
export interface CliContext {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly clock: Clock;
  /** Registers for SIGINT and SIGTERM; the returned function takes it back. */
  readonly onSignal: (listener: (signal: 'SIGINT' | 'SIGTERM') => void) => () => void;
}
