/** Which listener shows a run: the bar on a terminal, plain lines elsewhere and in CI, nothing for `--quiet`. */

import type { Emit } from '../../domain/run-events.ts';
import {
  createPlainLines,
  createVerboseLog,
  type ListenerOptions,
  type RunListener,
  type ScreenStream,
} from './plain-lines.ts';
import { createProgressBar } from './progress-bar.ts';

export interface ScreenOptions extends ListenerOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** False for `--no-progress`. */
  readonly progress: boolean;
  readonly quiet: boolean;
  readonly verbose: boolean;
}

export async function createScreen(options: ScreenOptions): Promise<RunListener> {
  const { stream, env, progress, quiet, verbose, clock, style } = options;
  if (quiet) return quietListener(stream);
  // Without a terminal nobody waits for what draws the bar.
  const main = wantsBar(stream, env, progress) ? createProgressBar(options) : createPlainLines(options);
  if (!verbose) return main;
  const log = createVerboseLog(main.print, clock, style, options.noun);
  const emit: Emit = (event) => {
    log(event);
    main.emit(event);
  };
  return { ...main, emit };
}

/** CI systems give some steps a terminal, and keep every frame of a bar in their log. */
export function wantsBar(
  stream: ScreenStream,
  env: Readonly<Record<string, string | undefined>>,
  progress: boolean,
): boolean {
  const isCi = env['CI'] !== undefined && env['CI'] !== '' && env['CI'] !== 'false' && env['CI'] !== '0';
  return progress && stream.isTTY === true && !isCi && env['TERM'] !== 'dumb';
}

function quietListener(stream: ScreenStream): RunListener {
  return {
    emit: () => {},
    print: (lines) => {
      for (const line of lines) stream.write(`${line}\n`);
    },
    close: () => {},
  };
}
