/** What shows a run in progress: a bar on a terminal, plain lines elsewhere and in CI, nothing for `--quiet`. */
import { printable } from '../../domain/printable.ts';
import type { RunEvent } from '../../domain/run-events.ts';
import { OUTCOME_VIEWS } from '../../summary/outcomes.ts';
import { countOf, formatCount, formatDuration, formatInstant } from '../format.ts';
import { advance, INITIAL_STATE, progressParts, waitWords } from './progress.ts';
import {
  createProgressBar,
  type ListenerOptions,
  type RunListener,
  type ScreenStream,
} from './progress-bar.ts';

export interface ScreenOptions extends ListenerOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** False for `--no-progress`. */
  readonly progress: boolean;
  readonly quiet: boolean;
  readonly verbose: boolean;
}

export async function createScreen(options: ScreenOptions): Promise<RunListener> {
  const { stream, env, progress, quiet, verbose, clock, style, noun } = options;
  const print = (lines: readonly string[]) => {
    for (const line of lines) stream.write(`${line}\n`);
  };
  if (quiet) return { emit: () => {}, print, close: () => {} };
  const main = wantsBar(stream, env, progress) ? createProgressBar(options) : createPlainLines(options);
  if (!verbose) return main;
  return {
    ...main,
    emit: (event) => {
      const text = describeEvent(event, clock.now(), noun);
      const time = style.dim(`[${formatInstant(clock.now())}]`);
      if (text !== undefined) main.print([`${time} ${printable(text)}`]);
      main.emit(event);
    },
  };
}

/** CI systems give some steps a terminal, and keep every frame of a bar in their log. */
export function wantsBar(
  stream: ScreenStream,
  env: Readonly<Record<string, string | undefined>>,
  progress: boolean,
): boolean {
  const isCi = !['', 'false', '0'].includes(env['CI'] ?? '');
  return progress && stream.isTTY === true && !isCi && env['TERM'] !== 'dumb';
}

const CHANGED_EVERY_MS = 10_000;
const SILENT_EVERY_MS = 60_000;
/** Batches may settle many a second against a fast target. */
const BATCH_EVERY_MS = 2000;

/**
 * Whole lines for a log, without control characters: every few seconds while something changes, after a batch, at once
 * when the run has to wait, and now and then while nothing happens, so that no CI takes the run for dead.
 */
export function createPlainLines({ stream, clock, budgets, noun = 'ticket' }: ListenerOptions): RunListener {
  let state = INITIAL_STATE;
  let shown = INITIAL_STATE;
  let lastLine = clock.monotonic();
  let lastWait: number | undefined;
  let batches: string[] = [];
  const closing = new AbortController();
  const instant = () => ({ at: clock.monotonic(), wall: clock.now() });
  const print = (lines: readonly string[]) => {
    for (const line of lines) stream.write(`${line}\n`);
  };
  const say = (text: string) => {
    print([`[${formatInstant(clock.now())}] ${printable(text)}`]);
    lastLine = clock.monotonic();
    shown = state;
  };
  const sayProgress = () => {
    const parts = progressParts(state, budgets, instant(), noun).map(({ text }) => text.replace('  ', ', '));
    say(`${state.stage}: ${[...parts, ...batches].join(', ')}`);
    batches = [];
  };
  async function keepTalking(): Promise<void> {
    try {
      while (!closing.signal.aborted) {
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
      } else if (event.type === 'batch') {
        batches = [`batch ${formatCount(event.batch)} of ${formatCount(event.batches)}`];
        if (clock.monotonic() - lastLine >= BATCH_EVERY_MS || event.batch === event.batches) sayProgress();
      } else if (event.type === 'waiting' && event.reason !== 'rate-budget' && event.untilMs !== lastWait) {
        const words = waitWords(state, instant());
        if (words === undefined) return;
        lastWait = event.untilMs;
        say(words);
      }
    },
    print,
    close: () => closing.abort(),
  };
}

/** One event as a line of `--verbose`, without body, header or token; undefined for what other lines say. */
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
      return `the target is rate limiting: waits ${formatDuration(event.waitMs)}`;
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
