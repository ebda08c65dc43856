/**
 * Progress where there is no terminal: whole lines for a log, without control characters. One every few seconds while
 * something changes, one after a batch, at once when the run has to wait, and now and then while nothing happens, so that
 * no CI takes the run for dead.
 */
import { printable } from '../../domain/printable.ts';
import { countOf, formatCount, formatElapsed } from './format.ts';
import { progressParts, waitText } from './progress-line.ts';
import { advance, INITIAL_STATE, waitOf } from './progress-state.ts';
import type { ListenerOptions, RunListener } from './run-listener.ts';

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
  const started = clock.monotonic();
  const closing = new AbortController();
  const instant = () => ({ at: clock.monotonic(), wall: clock.now() });

  const print = (lines: readonly string[]) => {
    for (const line of lines) stream.write(`${line}\n`);
  };
  const say = (text: string) => {
    print([`[${formatElapsed(clock.monotonic() - started)}] ${printable(text)}`]);
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
