/** `status --watch` on screen: one line that moves on a terminal, a line now and then elsewhere. */

import type { CheckpointReader } from '../../checkpoint/read-checkpoint.ts';
import type { CliContext } from '../../cli/context.ts';
import { countOf, formatElapsed, formatRate } from '../../present/terminal/format.ts';
import { progressLine } from '../../present/terminal/progress-line.ts';
import { speedOf } from '../../present/terminal/progress-state.ts';
import { createStyle, type Style } from '../../present/terminal/style.ts';
import { type Sample, watchRun } from './status-watch.ts';

export interface WatchView {
  /** Seconds. */
  readonly interval: number | undefined;
  readonly color: boolean;
  /** The line goes to standard error then, and the JSON comes at the end. */
  readonly json: boolean;
}

const START_OF_LINE = '\r';
const ERASE_TO_END = '\u001b[K';

/** Resolves when the run has ended, when there is none, or at the first signal: that is a watch's normal end. */
export async function watchStatus(
  readers: readonly CheckpointReader[],
  view: WatchView,
  context: CliContext,
): Promise<void> {
  const { clock, stdout, stderr, env, commands } = context;
  const stream = view.json ? stderr : stdout;
  const isTerminal = stream.isTTY === true && env['TERM'] !== 'dumb';
  const began = clock.monotonic();
  const end = new AbortController();
  const stopListening = context.onSignal(() => end.abort());
  const show = (sample: Sample) => {
    const style = createStyle({ stream, env, color: view.color, commands });
    const line =
      sample.progress.total === 0
        ? openLine(sample, style)
        : progressLine(sample.progress, [], sample.now, style);
    stream.write(
      isTerminal
        ? `${START_OF_LINE}${line}${ERASE_TO_END}`
        : `${formatElapsed(sample.now.at - began)}  ${plainLine(sample, style)}\n`,
    );
  };
  try {
    const intervalMs = (view.interval ?? (isTerminal ? 1 : 5)) * 1000;
    const outcome = await watchRun(readers, intervalMs, { clock, signal: end.signal, show });
    if (isTerminal && outcome !== 'idle') stream.write(`${START_OF_LINE}${ERASE_TO_END}`);
    const said = {
      idle: `No run is going on with ${readers.length === 1 ? 'this checkpoint' : 'these checkpoints'}.`,
      ended: 'The run has ended.',
      stopped: 'The watch has ended; the run goes on.',
    };
    stream.write(`${said[outcome]}\n\n`);
  } finally {
    stopListening();
  }
}

/** Nobody has said yet how many tickets the export has: no share, no time left. */
function openLine(sample: Sample, style: Style): string {
  const frame = style.symbols.spinner[Math.floor(sample.now.at / 250) % style.symbols.spinner.length] ?? '';
  return `${style.cyan(frame)} ${style.bold('Importing')}  ${plainLine(sample, style)}`;
}

function plainLine({ tickets, progress, now }: Sample, style: Style): string {
  const speed = speedOf(progress, now);
  const of = progress.total === 0 ? '' : ` of ${countOf(progress.total, 'ticket')}`;
  return [
    `${countOf(tickets.done, 'ticket')} done${of}`,
    ...(progress.failed > 0 ? [`${countOf(progress.failed, 'ticket')} failed or rejected`] : []),
    ...(tickets.inDoubt > 0 ? [`${countOf(tickets.inDoubt, 'ticket')} in doubt`] : []),
    ...(speed === undefined ? [] : [formatRate(speed.tickets)]),
  ].join(` ${style.symbols.separator} `);
}
