/** The progress bar of a terminal. What it says is progress-line.ts; cli-progress draws it again and again. */
import { type Options, SingleBar } from 'cli-progress';
import { printable } from '../../domain/printable.ts';
import type { ListenerOptions, RunListener, ScreenStream } from './plain-lines.ts';
import { progressLine } from './progress-line.ts';
import { advance, INITIAL_STATE } from './progress-state.ts';
import { widthOf } from './style.ts';
import { wrap } from './text-block.ts';

/** Four times a second: moving, and nothing to speak of in cost. */
const FRAMES_PER_SECOND = 4;
const START_OF_LINE = '\r';
const ERASE_TO_END = '\u001b[K';

export function createProgressBar({ stream, style, clock, budgets, noun }: ListenerOptions): RunListener {
  let state = INITIAL_STATE;
  let isOpen = true;
  const instant = () => ({ at: clock.monotonic(), wall: clock.now() });
  const options: Options & { terminal: Terminal } = {
    stream,
    terminal: oneLineTerminal(stream),
    format: () => progressLine(state, budgets, instant(), { ...style, width: widthOf(stream) }, noun),
    fps: FRAMES_PER_SECOND,
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

/** What cli-progress asks of a terminal. */
interface Terminal {
  cursorSave(): void;
  cursorRestore(): void;
  cursor(visible: boolean): void;
  cursorTo(x: number | null, y: number | null): void;
  write(text: string): void;
  clearRight(): void;
  clearLine(): void;
  newline(): void;
  lineWrapping(on: boolean): void;
  isTTY(): boolean;
  getWidth(): number;
}

/**
 * A terminal that is only ever asked to write its last line anew. Nothing of its state is changed (no hidden cursor, no
 * switched-off line wrapping), so that a process that is killed leaves it as it was; and no position is saved, which would
 * be wrong as soon as lines were printed above.
 */
function oneLineTerminal(stream: ScreenStream): Terminal {
  const nothing = () => {};
  return {
    cursorSave: nothing,
    cursorRestore: nothing,
    cursor: nothing,
    lineWrapping: nothing,
    cursorTo: () => stream.write(START_OF_LINE),
    write: (text) => stream.write(text),
    clearRight: () => stream.write(ERASE_TO_END),
    clearLine: () => stream.write(ERASE_TO_END),
    newline: () => stream.write('\n'),
    isTTY: () => true,
    getWidth: () => widthOf(stream),
  };
}
