/** Tickets of a checkpoint: those that failed with their reasons, those in doubt with what to look for. */
import { OUTCOME_VIEWS } from '../../summary/outcomes.ts';
import { type Block, facts, heading, paragraph } from '../../view/blocks.ts';
import { countOf, formatCount, formatMinute } from '../../view/format.ts';
import { failedTable } from '../../view/report.ts';
import type { Doubt, FailedTicket, Reason } from './status-lists.ts';

const MOST_REASONS = 12;

interface ListPart<T> {
  readonly rows: readonly T[];
  /** Of all of them, shown or not. */
  readonly total: number;
  /** The command that shows all. */
  readonly more: string;
}

export function failedBlocks({
  rows,
  total,
  more,
  reasons,
}: ListPart<FailedTicket> & { readonly reasons: readonly Reason[] }): Block[] {
  if (total === 0) return [heading('No ticket failed or was rejected.', { level: 1, tone: 'good' })];
  const shown = reasons.slice(0, MOST_REASONS);
  const rest = reasons.slice(MOST_REASONS).reduce((sum, { count }) => sum + count, 0);
  return [
    heading('Why tickets failed or were rejected'),
    {
      kind: 'list',
      look: 'counts',
      items: shown.map(({ count, outcome, reason }) => ({
        lead: formatCount(count),
        text: `${OUTCOME_VIEWS[outcome].word}: ${reason}`,
        tone: 'bad',
      })),
    },
    ...(rest > 0 ? [paragraph(`and ${countOf(rest, 'ticket')} with other reasons`, { look: 'more' })] : []),
    heading('Tickets'),
    failedTable(rows, { withOutcome: true }),
    ...moreBlocks(rows.length, total, more),
  ];
}

export function doubtBlocks({ rows, total, more }: ListPart<Doubt>): Block[] {
  if (total === 0) return [heading('No ticket is in doubt.', { level: 1, tone: 'good' })];
  return [
    heading(`${countOf(total, 'ticket')} in doubt: check the helpdesk for ${total === 1 ? 'it' : 'them'}`),
    ...rows.flatMap(doubtBlock),
    ...moreBlocks(rows.length, total, more),
  ];
}

function doubtBlock(doubt: Doubt): Block[] {
  const { externalId, tag, sentAt, reason } = doubt;
  return [
    heading(externalId, { level: 3, tone: 'warn' }),
    facts([
      { label: 'tag', value: tag ?? 'none: look for its subject' },
      sentAt !== undefined && { label: 'sent', value: formatMinute(sentAt) },
      { label: 'why', value: reason, tone: 'soft' },
    ]),
  ];
}

function moreBlocks(shown: number, total: number, command: string): Block[] {
  if (shown >= total) return [];
  const text = `${formatCount(shown)} of ${formatCount(total)} are shown. To see all:`;
  return [{ kind: 'command', text, command }];
}
