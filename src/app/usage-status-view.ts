/** What a checkpoint of usage events holds, on screen. Lines without line ends. */
import { printable } from '../domain/printable.ts';
import { countOf, formatBytes, formatCount, formatShare } from '../report/format.ts';
import type { Style } from '../report/style.ts';
import { type Cell, tableLines } from '../report/table.ts';
import { factLines, wrap } from '../report/text-block.ts';
import { nowSentence, runLines, timeOf } from './status-view.ts';
import type { UsageStatus } from './usage-status.ts';

/** What each outcome means for what comes next. */
const ROWS = [
  ['done', 'done', 'in the target'],
  ['failed', 'failed', 'refused by the target; the next run tries again'],
  ['inDoubt', 'in doubt', 'no answer came; the next run sends them again, and each counts once'],
] as const;

export function usageStatusLines(status: UsageStatus, style: Style): string[] {
  const { checkpoint, target, createdAt, createdBy, bytes, writer, runs, events } = status;
  const paints = { done: style.green, failed: style.red, inDoubt: style.yellow };
  const rows = ROWS.filter(([name]) => events[name] > 0 || name === 'done').map(
    ([name, word, meaning]): Cell[] => [
      { text: word, paint: events[name] > 0 ? paints[name] : style.dim },
      formatCount(events[name]),
      { text: events.known === 0 ? '' : formatShare(events[name], events.known), paint: style.dim },
      { text: meaning, paint: style.dim },
    ],
  );
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
    ...tableLines(
      [...rows, ['known', { text: formatCount(events.known), paint: style.bold }, '', '']],
      [{}, { align: 'right' }, { align: 'right' }, { flexible: true }],
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
