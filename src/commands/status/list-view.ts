/** Tickets of a checkpoint on screen: those that failed with their reasons, those in doubt with what to look for. */
import { printable } from '../../domain/printable.ts';
import { OUTCOME_VIEWS } from '../../summary/outcomes.ts';
import { countOf, formatCount } from '../../view/format.ts';
import { stepLines } from '../../view/next-steps.ts';
import type { Style } from '../../view/terminal/style.ts';
import { type Cell, type Fact, factLines, heading, tableLines } from '../../view/terminal/text-block.ts';
import type { Doubt, FailedTicket, Reason } from './status-lists.ts';

const MOST_REASONS = 12;

interface ListPart<T> {
  readonly rows: readonly T[];
  /** Of all of them, shown or not. */
  readonly total: number;
  /** The command that shows all. */
  readonly more: string;
}

export function failedLines(
  { rows, total, more, reasons }: ListPart<FailedTicket> & { readonly reasons: readonly Reason[] },
  style: Style,
): string[] {
  if (total === 0) return [style.green(`${style.symbols.tick} No ticket failed or was rejected.`)];
  const rest = reasons.slice(MOST_REASONS).reduce((sum, { count }) => sum + count, 0);
  const why = reasons
    .slice(0, MOST_REASONS)
    .map(({ count, outcome, reason }): Cell[] => [
      { text: `${formatCount(count)} ${style.symbols.times}`, paint: style.red },
      OUTCOME_VIEWS[outcome].word,
      reason,
    ]);
  const tickets = rows.map(({ externalId, outcome, ticketId = '', reason }): Cell[] => [
    externalId,
    { text: OUTCOME_VIEWS[outcome].word, paint: style.red },
    { text: ticketId, paint: style.dim },
    reason,
  ]);
  const columns = ['external id', 'outcome', 'in the target', 'reason'].map((header) => ({
    header,
    flexible: header === 'reason',
  }));
  return [
    style.bold('Why tickets failed or were rejected'),
    ...tableLines(why, [{ align: 'right' }, {}, { flexible: true }], style),
    ...(rest > 0 ? [style.dim(`  and ${countOf(rest, 'ticket')} with other reasons`)] : []),
    ...heading('Tickets', style),
    ...tableLines(tickets, columns, style),
    ...moreLines(rows.length, total, more, style),
  ];
}

export function doubtLines({ rows, total, more }: ListPart<Doubt>, style: Style): string[] {
  if (total === 0) return [style.green(`${style.symbols.tick} No ticket is in doubt.`)];
  const title = `${countOf(total, 'ticket')} in doubt: look in the target whether ${total === 1 ? 'it is' : 'they are'} there`;
  return [
    style.bold(title),
    ...rows.flatMap((doubt) => [
      '',
      `  ${style.yellow(printable(doubt.externalId))}`,
      ...factLines(doubtFacts(doubt, style), style),
    ]),
    ...moreLines(rows.length, total, more, style),
  ];
}

function doubtFacts({ subject, createdAt, email, contactId, sentAt, reason }: Doubt, style: Style): Fact[] {
  const contact = email ?? (contactId === undefined ? 'none' : `contact ${contactId}`);
  const known =
    subject === undefined
      ? []
      : [
          { label: '  contact', text: contact },
          { label: '  opened', text: minuteOf(createdAt) },
        ];
  return [
    { label: '  subject', text: subject ?? 'not recorded' },
    ...known,
    ...(sentAt === undefined ? [] : [{ label: '  sent', text: minuteOf(sentAt) }]),
    { label: '  why', text: style.typed(reason), paint: style.dim },
  ];
}

function minuteOf(iso: string | undefined): string {
  return iso === undefined ? 'not recorded' : `${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC`;
}

function moreLines(shown: number, total: number, more: string, style: Style): string[] {
  if (shown >= total) return [];
  const text = `${formatCount(shown)} of ${formatCount(total)} are shown. To see all:`;
  return ['', ...stepLines([{ text, command: more }], style)];
}
