/** What a checkpoint of usage events holds, on screen. Lines without line ends. */
import type { Outcome } from '../domain/outcome.ts';
import { printable } from '../domain/printable.ts';
import { countOf, formatBytes } from '../report/format.ts';
import { outcomeTableLines } from '../report/outcome-table.ts';
import type { Style } from '../report/style.ts';
import { factLines, wrap } from '../report/text-block.ts';
import { nowSentence, runLines, timeOf } from './status-view.ts';
import type { UsageStatus } from './usage-status.ts';

/** What each outcome means for what comes next. */
const MEANING: Partial<Readonly<Record<Outcome, string>>> = {
  done: 'in the target',
  failed: 'refused by the target; the next run tries again',
  inDoubt: 'no answer came; the next run sends them again, and each counts once',
};

export function usageStatusLines(status: UsageStatus, style: Style): string[] {
  const { checkpoint, target, createdAt, createdBy, bytes, writer, runs, events } = status;
  const [latest] = runs;
  const isUnfinished = latest !== undefined && (latest.exitCode === undefined || latest.exitCode >= 5);
  const left = events.failed + events.inDoubt;
  return [
    style.bold(`${printable(checkpoint)}: usage events`),
    ...factLines(
      [
        { label: 'target', text: target },
        { label: 'made', text: `${timeOf(createdAt)} by version ${createdBy}` },
        { label: 'size', text: formatBytes(bytes) },
        { label: 'now', text: nowSentence(status), ...(writer === undefined ? {} : { paint: style.green }) },
      ],
      style,
    ),
    '',
    ...outcomeTableLines(
      { counts: events, meaning: MEANING, total: { label: 'known', count: events.known } },
      style,
    ),
    ...runLines(runs, style),
    ...(writer === undefined && (isUnfinished || left > 0)
      ? [
          '',
          ...wrap(
            `${left > 0 ? `${countOf(left, 'usage event')} ${left === 1 ? 'is' : 'are'} not known to be in the target: run` : 'Run'} the same usage-events command again, it goes on where it stopped.`,
            style,
            { indent: 2 },
          ),
        ]
      : []),
  ];
}
