/** Several checkpoints of one import on screen, and whether they make one whole. Lines without line ends. */

import { printable } from '../../domain/printable.ts';
import { OUTCOMES } from '../../domain/ticket-state.ts';
import type { CheckpointStatus, KnownCounts } from '../../import/checkpoint-status.ts';
import { countOf, formatCount } from '../../present/terminal/format.ts';
import { OUTCOME_WORDS } from '../../present/terminal/next-steps.ts';
import type { Style } from '../../present/terminal/style.ts';
import { type Cell, tableLines } from '../../present/terminal/table.ts';
import { heading, wrap } from '../../present/terminal/text-block.ts';
import type { Union } from './status-union.ts';

export function unionLines(
  statuses: readonly CheckpointStatus[],
  total: KnownCounts,
  union: Union,
  style: Style,
): string[] {
  const rows = statuses.map(({ checkpoint, tickets, writer }): Cell[] => [
    checkpoint,
    ...OUTCOMES.map((outcome) => formatCount(tickets[outcome])),
    formatCount(tickets.known),
    { text: writer === undefined ? '' : 'run going on', paint: style.green },
  ]);
  const sum: Cell[] = [
    'all',
    ...OUTCOMES.map((outcome) => ({ text: formatCount(total[outcome]), paint: style.bold })),
    { text: formatCount(total.known), paint: style.bold },
    '',
  ];
  const columns = [
    { header: 'checkpoint', flexible: true },
    ...OUTCOMES.map((outcome) => ({ header: OUTCOME_WORDS[outcome], align: 'right' as const })),
    { header: 'known', align: 'right' as const },
    {},
  ];
  return [
    style.bold(`${formatCount(statuses.length)} checkpoints`),
    ...tableLines([...rows, sum], columns, style),
    ...heading('Do they make one whole?', style),
    ...unionFindings(union, statuses.length).flatMap(({ isGood, text }) =>
      wrap(printable(text), style, {
        indent: 2,
        lead: `${isGood ? style.symbols.tick : style.symbols.warning} `,
        paintLead: isGood ? style.green : style.yellow,
      }),
    ),
  ];
}

/** What the comparison found, a sentence each. Pure words, the same with and without a terminal. */
export function unionFindings(union: Union, count: number): { isGood: boolean; text: string }[] {
  const { overlap, targets, read, takenOn, missingShards, tickets } = union;
  const found: { isGood: boolean; text: string }[] = [];
  if (targets.length > 1)
    found.push({ isGood: false, text: `They are of different targets: ${targets.join(', ')}.` });
  if (overlap.count === 0)
    found.push({
      isGood: true,
      text: `No ticket is in two of them: ${countOf(tickets, 'different ticket')} in ${count} checkpoints.`,
    });
  else
    found.push({
      isGood: false,
      text: `${countOf(overlap.count, 'ticket')} ${overlap.count === 1 ? 'is' : 'are'} in more than one of them, e.g. ${overlap.examples.join(', ')}: such a ticket may be in the target twice.`,
    });
  if (missingShards.length > 0)
    found.push({ isGood: false, text: `There is no checkpoint of the shard ${missingShards.join(', ')}.` });
  if (read === undefined || takenOn === undefined)
    found.push({
      isGood: false,
      text: 'Whether they are complete cannot be said: not every one has a finished run, or their runs read different exports.',
    });
  else if (takenOn === read)
    found.push({ isGood: true, text: `Together they took on all ${countOf(read, 'ticket')} of the export.` });
  else
    found.push({
      isGood: false,
      text: `Together they took on ${formatCount(takenOn)} of ${countOf(read, 'ticket')} of the export; the rest was left out by filters, or belongs to a shard that is not here.`,
    });
  return found;
}
