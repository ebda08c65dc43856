/** A bar on a terminal, plain lines elsewhere and in CI, nothing for `--quiet`. */
import type { Writable } from 'node:stream';
import { type Options, SingleBar } from 'cli-progress';
import type { Rate } from '../../domain/limits.ts';
import type { Clock, Emit, RunEvent } from '../../domain/ports.ts';
import { countOf, formatCount, printable, screenText } from '../../domain/printable.ts';
import { formatDuration, formatInstant } from '../format.ts';
import { OUTCOME_VIEWS } from '../summary.ts';
import { advance, INITIAL_STATE, progressLine, progressParts, waitWords } from './progress.ts';
import { oneLine, type Style, widthOf, wrap } from './style.ts';

export interface RunListener {
  readonly emit: Emit;
  print(lines: readonly string[]): void;
  /** Leaves no timer; may be called again. */
  close(): void;
  readonly reopen?: () => void;
}

interface ScreenStream extends Writable {
  readonly isTTY?: boolean;
  readonly columns?: number;
}

interface ListenerOptions {
  readonly stream: ScreenStream;
  readonly style: Style;
  readonly clock: Clock;
  readonly budgets: readonly Rate[];
  readonly noun?: string | undefined;
}

interface ScreenOptions extends ListenerOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly quiet: boolean;
  readonly verbose: boolean;
}

export async function createScreen(options: ScreenOptions): Promise<RunListener> {
  const { stream, env, quiet, verbose, clock, style, noun } = options;
  if (quiet) return { emit: () => {}, print: (lines) => writeLines(stream, lines), close: () => {} };
  const main = wantsBar(stream, env) ? createProgressBar(options) : createPlainLines(options);
  if (!verbose) return main;
  return {
    ...main,
    emit: (event) => {
      const text = describeEvent(event, clock.now(), noun);
      const time = style.dim(`[${formatInstant(clock.now())}]`);
      if (text !== undefined) main.print([`${time} ${oneLine(text, style)}`]);
      main.emit(event);
    },
  };
}

/** CI systems give some steps a terminal, and log every frame of a bar. */
export function wantsBar(stream: ScreenStream, env: Readonly<Record<string, string | undefined>>): boolean {
  const isCi = !['', 'false', '0'].includes(env['CI'] ?? '');
  return stream.isTTY === true && !isCi && env['TERM'] !== 'dumb';
}

function writeLines(stream: ScreenStream, lines: readonly string[]): void {
  for (const line of lines) stream.write(`${screenText([line])}\n`);
}

const START_OF_LINE = '\r';
const ERASE_TO_END = '\u001b[K';

export function createProgressBar({ stream, style, clock, budgets, noun }: ListenerOptions): RunListener {
  let state = INITIAL_STATE;
  let isOpen = true;
  const instant = () => ({ at: clock.monotonic(), wall: clock.now() });
  const erase = () => stream.write(ERASE_TO_END);
  const nothing = () => {};
  const options: Options & { terminal: object } = {
    // Rewrites only its last line: a killed process leaves the terminal as it was.
    terminal: {
      cursorSave: nothing,
      cursorRestore: nothing,
      cursor: nothing,
      lineWrapping: nothing,
      cursorTo: () => stream.write(START_OF_LINE),
      write: (text: string) => stream.write(text),
      clearRight: erase,
      clearLine: erase,
      isTTY: () => true,
      getWidth: () => widthOf(stream),
    },
    format: () => progressLine(state, budgets, instant(), { ...style, width: widthOf(stream) }, noun),
    fps: 4,
    clearOnComplete: true,
    // Lines are printed above: the bar must come back with the same text.
    forceRedraw: true,
    synchronousUpdate: false,
  };
  const bar = new SingleBar(options);
  bar.start(1, 0);
  const print = (lines: readonly string[]) => {
    if (lines.length === 0) return;
    if (isOpen) stream.write(START_OF_LINE + ERASE_TO_END);
    writeLines(stream, lines);
    if (isOpen) bar.render();
  };
  return {
    emit: (event) => {
      state = advance(state, event, instant());
      if (event.type === 'note') print(wrap(printable(event.message), style));
    },
    print,
    close: () => {
      isOpen = false;
      bar.stop();
    },
    reopen: () => {
      if (!isOpen) bar.start(1, 0);
      isOpen = true;
    },
  };
}

const CHANGED_EVERY_MS = 10_000;
const SILENT_EVERY_MS = 60_000;

/**
 * Lines for a log: every few seconds during changes, at once when the run waits, and now and then otherwise, so that no CI
 * takes the run for dead.
 */
export function createPlainLines({
  stream,
  style,
  clock,
  budgets,
  noun = 'ticket',
}: ListenerOptions): RunListener {
  let state = INITIAL_STATE;
  let shown = INITIAL_STATE;
  let lastLine = clock.monotonic();
  let lastWait: number | undefined;
  const closing = new AbortController();
  const instant = () => ({ at: clock.monotonic(), wall: clock.now() });
  const say = (text: string) => {
    writeLines(stream, [`[${formatInstant(clock.now())}] ${oneLine(text, style)}`]);
    lastLine = clock.monotonic();
    shown = state;
  };
  const sayProgress = () => {
    const parts = progressParts(state, budgets, instant(), noun).map(({ text }) => text.replace('  ', ', '));
    say(`${state.stage}: ${parts.join(', ')}`);
  };
  async function keepTalking(): Promise<void> {
    try {
      for (;;) {
        await clock.sleep(CHANGED_EVERY_MS, closing.signal);
        const quietFor = clock.monotonic() - lastLine;
        if (quietFor >= (state === shown ? SILENT_EVERY_MS : CHANGED_EVERY_MS)) sayProgress();
      }
    } catch (error) {
      if (!closing.signal.aborted) throw error;
    }
  }
  void keepTalking();
  return {
    emit: (event) => {
      const { stage } = state;
      state = advance(state, event, instant());
      if (event.type === 'note') say(event.message);
      else if (event.type === 'stage' && event.stage !== stage) say(event.stage);
      else if (event.type === 'start-import') {
        const already = event.alreadyDone === 0 ? '' : `, ${formatCount(event.alreadyDone)} done before`;
        say(`importing: ${countOf(event.tickets, noun)} in ${countOf(event.requests, 'request')}${already}`);
      } else if (event.type === 'waiting' && event.reason !== 'rate-budget' && event.untilMs !== lastWait) {
        const words = waitWords(state, instant());
        if (words === undefined) return;
        lastWait = event.untilMs;
        say(words);
      }
    },
    print: (lines) => writeLines(stream, lines),
    close: () => closing.abort(),
  };
}

/** Without body, header or token; undefined if other lines say it. */
export function describeEvent(event: RunEvent, now: number, noun = 'ticket'): string | undefined {
  switch (event.type) {
    case 'request': {
      const again = event.attempt > 1 ? `, attempt ${event.attempt}` : '';
      const id = event.requestId === undefined ? '' : ` [${event.requestId}]`;
      return `${event.method} ${event.path}: ${event.status ?? 'no answer'} in ${formatDuration(event.milliseconds)}${again}${id}`;
    }
    case 'retry':
      return `again in ${formatDuration(event.waitMs)} (attempt ${event.attempt}): ${event.reason}`;
    case 'rate-limited':
      return `the helpdesk is rate limiting: waits ${formatDuration(event.waitMs)}`;
    case 'waiting':
      return event.reason === 'rate-budget'
        ? undefined
        : `waits ${formatDuration(event.untilMs - now)}: ${event.reason}`;
    case 'ticket':
      return `${noun} ${event.externalId}: ${OUTCOME_VIEWS[event.outcome].word}${event.ticketId === undefined ? '' : ` (${event.ticketId})`}`;
    case 'problem': {
      const { severity, code, file, line, ticket, message } = event.problem;
      const place = [file === undefined ? undefined : `${file}:${line ?? '?'}`, ticket && `ticket ${ticket}`];
      return `${severity} ${code} ${place.filter((part) => part !== undefined).join(', ')}: ${message}`;
    }
    default:
      return undefined;
  }
}
