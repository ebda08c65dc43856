/** The progress bar of a terminal. `progress.ts` makes its line; cli-progress draws it again and again. */
import type { Writable } from 'node:stream';
import { type Options, SingleBar } from 'cli-progress';
import type { Clock } from '../../domain/clock.ts';
import type { Rate } from '../../domain/limits.ts';
import { printable } from '../../domain/printable.ts';
import type { Emit } from '../../domain/run-events.ts';
import { advance, INITIAL_STATE, progressLine } from './progress.ts';
import { type Style, widthOf } from './style.ts';
import { wrap } from './text-block.ts';

export interface RunListener {
  readonly emit: Emit;
  /** Writes lines among what is shown, each whole. */
  print(lines: readonly string[]): void;
  /** Ends what is shown; leaves no timer. More than once does no harm. */
  close(): void;
  /** Goes on showing after `close`, where something ends with it. */
  readonly reopen?: () => void;
}

export interface ScreenStream extends Writable {
  readonly isTTY?: boolean;
  readonly columns?: number;
}

export interface ListenerOptions {
  readonly stream: ScreenStream;
  readonly style: Style;
  readonly clock: Clock;
  /** The rate limits of the run: the time left includes waiting for them. */
  readonly budgets: readonly Rate[];
  /** What is counted, in the singular; default: `ticket`. */
  readonly noun?: string | undefined;
}

const START_OF_LINE = '\r';
const ERASE_TO_END = '\u001b[K';

export function createProgressBar({ stream, style, clock, budgets, noun }: ListenerOptions): RunListener {
  let state = INITIAL_STATE;
  let isOpen = true;
  const instant = () => ({ at: clock.monotonic(), wall: clock.now() });
  const options: Options & { terminal: ReturnType<typeof oneLineTerminal> } = {
    stream,
    terminal: oneLineTerminal(stream),
    format: () => progressLine(state, budgets, instant(), { ...style, width: widthOf(stream) }, noun),
    fps: 4,
    clearOnComplete: true,
    // Lines are printed above: the bar must come back although its text is the same.
    forceRedraw: true,
    synchronousUpdate: false,
    gracefulExit: false,
  };
  const bar = new SingleBar(options);
  bar.start(1, 0);
  const print = (lines: readonly string[]) => {
    if (lines.length === 0) return;
    stream.write(`${isOpen ? START_OF_LINE + ERASE_TO_END : ''}${lines.join('\n')}\n`);
    if (isOpen) bar.render();
  };
  return {
    emit: (event) => {
      state = advance(state, event, instant());
      if (event.type === 'note') print(wrap(printable(event.message), style));
    },
    print,
    close: () => {
      if (!isOpen) return;
      isOpen = false;
      bar.stop();
    },
    reopen: () => {
      if (isOpen) return;
      isOpen = true;
      bar.start(1, 0);
    },
  };
}

/**
 * A terminal that is only asked to write its last line anew. Nothing of its state is changed (no hidden cursor, no
 * switched-off line wrapping), so a killed process leaves it as it was; and no position is saved, which would be wrong as
 * soon as lines were printed above.
 */
function oneLineTerminal(stream: ScreenStream) {
  const nothing = () => {};
  return {
    cursorSave: nothing,
    cursorRestore: nothing,
    cursor: nothing,
    lineWrapping: nothing,
    cursorTo: () => stream.write(START_OF_LINE),
    write: (text: string) => stream.write(text),
    clearRight: () => stream.write(ERASE_TO_END),
    clearLine: () => stream.write(ERASE_TO_END),
    newline: () => stream.write('\n'),
    isTTY: () => true,
    getWidth: () => widthOf(stream),
  };
}
