/** What shows a run while it goes on. The bar and the plain lines are two of a kind; the caller need not know which. */
import type { Writable } from 'node:stream';
import type { Clock } from '../../domain/clock.ts';
import type { Emit } from '../../domain/run-events.ts';
import type { Budget } from './progress-state.ts';
import type { Style } from './style.ts';

export interface RunListener {
  readonly emit: Emit;
  /** Writes lines among what is shown, each whole. */
  print(lines: readonly string[]): void;
  /** Ends what is shown; leaves no timer. To be called whatever happened; more than once does no harm. */
  close(): void;
}

export interface ScreenStream extends Writable {
  readonly isTTY?: boolean;
  readonly columns?: number;
}

export interface ListenerOptions {
  readonly stream: ScreenStream;
  readonly style: Style;
  readonly clock: Clock;
  /** The rate budgets of the run: the time left includes waiting for them. */
  readonly budgets: readonly Budget[];
  /** What is counted, in the singular; default: `ticket`. */
  readonly noun?: string | undefined;
}
