/**
 * Progress where there is no terminal: whole lines for a log, without control characters. One every few seconds while
 * something changes, one after a batch, at once when the run has to wait, and now and then while nothing happens, so that
 * no CI takes the run for dead.
 */

import type { Writable } from 'node:stream';
import type { Clock } from '../../domain/clock.ts';
import type { Rate } from '../../domain/limits.ts';
import { printable } from '../../domain/printable.ts';
import type { Emit, RunEvent } from '../../domain/run-events.ts';
import { OUTCOME_VIEWS } from '../../summary/outcomes.ts';
import { countOf, formatCount, formatDuration, formatInstant } from '../format.ts';
import { progressParts, waitText } from './progress-line.ts';
import { advance, INITIAL_STATE, waitOf } from './progress-state.ts';
import type { Style } from './style.ts';

const CHANGED_EVERY_MS = 10_000;
const SILENT_EVERY_MS = 60_000;
/** Batches may settle many a second against a fast target. */
const BATCH_EVERY_MS = 2000;

export function createPlainLines({ stream, clock, budgets, noun = 'ticket' }: ListenerOptions): RunListener {
  let state = INITIAL_STATE;
  let shown = INITIAL_STATE;
  let lastLine = clock.monotonic();
  let lastWait = '';
  let batches = '';
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
    say(`${state.stage}: ${[...parts, ...(batches === '' ? [] : [batches])].join(', ')}`);
    batches = '';
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
      const before = state;
      state = advance(state, event, instant());
      switch (event.type) {
        case 'stage':
          if (before.stage !== event.stage) say(event.stage);
          break;
        case 'start-import': {
          const already = event.alreadyDone === 0 ? '' : `, ${formatCount(event.alreadyDone)} done before`;
          say(
            `importing: ${countOf(event.tickets, noun)} in ${countOf(event.requests, 'request')}${already}`,
          );
          break;
        }
        case 'batch':
          batches = `batch ${formatCount(event.batch)} of ${formatCount(event.batches)}`;
          if (clock.monotonic() - lastLine >= BATCH_EVERY_MS || event.batch === event.batches) sayProgress();
          break;
        case 'waiting': {
          const wait = waitOf(state, instant());
          // The rate budget is no news: it holds requests all the time.
          if (wait === undefined || event.reason === 'rate-budget' || `${event.untilMs}` === lastWait) break;
          lastWait = `${event.untilMs}`;
          say(waitText(wait));
          break;
        }
        case 'note':
          say(event.message);
          break;
        default:
          break;
      }
    },
    print,
    close: () => closing.abort(),
  };
}

/** What shows a run while it goes on. The bar and the plain lines are two of a kind; the caller need not know which. */
export interface RunListener {
  readonly emit: Emit;
  /** Writes lines among what is shown, each whole. */
  print(lines: readonly string[]): void;
  /** Ends what is shown; leaves no timer. To be called whatever happened; more than once does no harm. */
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
  /** The rate budgets of the run: the time left includes waiting for them. */
  readonly budgets: readonly Rate[];
  /** What is counted, in the singular; default: `ticket`. */
  readonly noun?: string | undefined;
}

/** `--verbose`: every request, retry, wait and problem as a line. Nothing of it holds a body, a header or a token. */
export function createVerboseLog(
  print: (lines: readonly string[]) => void,
  clock: Clock,
  style: Style,
  noun = 'ticket',
): Emit {
  return (event) => {
    const text = describeEvent(event, clock.now(), noun);
    if (text === undefined) return;
    print([`${style.dim(`[${formatInstant(clock.now())}]`)} ${printable(text)}`]);
  };
}

/** One event as a line, without its time; undefined for what a line every few seconds tells better. */
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
    case 'waiting': {
      const left = event.untilMs - now;
      return event.reason === 'rate-budget' ? undefined : `waits ${formatDuration(left)}: ${event.reason}`;
    }
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
