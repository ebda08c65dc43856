/** Tickets of a checkpoint on screen: those that failed with their reasons, those in doubt with what to look for. */
import { printable } from '../../domain/printable.ts';
import { countOf, formatCount } from '../../present/terminal/format.ts';
import { OUTCOME_WORDS, stepLines } from '../../present/terminal/next-steps.ts';
import type { Style } from '../../present/terminal/style.ts';
import { type Cell, tableLines } from '../../present/terminal/table.ts';
import { factLines, heading } from '../../present/terminal/text-block.ts';
import type { Doubt } from '../resolve/resolve-doubts.ts';
import type { FailedTicket, Reason } from './status-lists.ts';
import { timeOf } from './status-view.ts';

const MOST_REASONS = 12;

export interface ListPart<T> {
  readonly rows: readonly T[];
  /** Of all of them, shown or not. */
  readonly total: number;
  /** The command that shows the next ones. */
  readonly more: string;
}

export function failedLines(
  { rows, total, more }: ListPart<FailedTicket>,
  reasons: readonly Reason[],
  style: Style,
): string[] {
  if (total === 0) return [style.green(`${style.symbols.tick} No ticket failed or was rejected.`)];
  const shown = reasons.slice(0, MOST_REASONS);
  const rest = reasons.slice(MOST_REASONS).reduce((sum, { count }) => sum + count, 0);
  return [
    style.bold('Why tickets failed or were rejected'),
    ...tableLines(
      shown.map(({ count, outcome, reason }): Cell[] => [
        { text: `${formatCount(count)} ${style.symbols.times}`, paint: style.red },
        OUTCOME_WORDS[outcome],
        reason,
      ]),
      [{ align: 'right' }, {}, { flexible: true }],
      style,
    ),
    ...(rest > 0 ? [style.dim(`  and ${countOf(rest, 'ticket')} with other reasons`)] : []),
    ...heading('Tickets', style),
    ...tableLines(
      rows.map(({ externalId, outcome, ticketId, reason }): Cell[] => [
        externalId,
        { text: OUTCOME_WORDS[outcome], paint: style.red },
        { text: ticketId ?? '', paint: style.dim },
        reason,
      ]),
      [
        { header: 'external id' },
        { header: 'outcome' },
        { header: 'in the target' },
        { header: 'reason', flexible: true },
      ],
      style,
    ),
    ...moreLines(rows.length, total, more, style),
  ];
}

export function doubtLines({ rows, total, more }: ListPart<Doubt>, style: Style): string[] {
  if (total === 0) return [style.green(`${style.symbols.tick} No ticket is in doubt.`)];
  return [
    style.bold(
      `${countOf(total, 'ticket')} in doubt: look in the target whether ${total === 1 ? 'it is' : 'they are'} there`,
    ),
    ...rows.flatMap((doubt) => ['', ...doubtBlock(doubt, style)]),
    ...moreLines(rows.length, total, more, style),
  ];
}

function doubtBlock(doubt: Doubt, style: Style): string[] {
  const { externalId, subject, createdAt, email, contactId, sentAt, reason } = doubt;
  const contact = email ?? (contactId === undefined ? 'none' : `contact ${contactId}`);
  return [
    `  ${style.yellow(printable(externalId))}`,
    ...factLines(
      [
        { label: '  subject', text: subject ?? 'not recorded' },
        ...(subject === undefined
          ? []
          : [
              { label: '  contact', text: contact },
              { label: '  opened', text: createdAt === undefined ? 'not recorded' : timeOf(createdAt) },
            ]),
        ...(sentAt === undefined ? [] : [{ label: '  sent', text: timeOf(sentAt) }]),
        { label: '  why', text: style.typed(reason), paint: style.dim },
      ],
      style,
    ),
  ];
}

function moreLines(shown: number, total: number, more: string, style: Style): string[] {
  if (shown >= total) return [];
  const text = `${formatCount(shown)} of ${formatCount(total)} are shown. To see the next ones:`;
  return ['', ...stepLines([{ text, command: more }], style)];
}
