/** Tickets in doubt, failed tickets, samples and runs, one by one. */

import { countOf } from '../domain/printable.ts';
import { wordsOf } from '../domain/text/problem-words.ts';
import type { Facts } from '../plan/facts.ts';
import * as b from './blocks.ts';
import { formatDuration, formatMinute } from './format.ts';
import type { View } from './run-view.ts';
import { checkBlocks, END_WORDS, OUTCOME_VIEWS } from './summary.ts';

export function doubtBlocks({ tickets, inDoubt = [] }: Facts): b.Block[] {
  if (tickets.inDoubt === 0 || inDoubt.length === 0) return [];
  return [
    b.heading('Tickets in doubt', { id: 'in-doubt', count: tickets.inDoubt }),
    b.paragraph(
      'Their create was sent, and its outcome is unknown. They are not sent again before it is known. Look for the tag of each in the helpdesk; `helpdesk-import resolve` settles them.',
      { tone: 'soft' },
    ),
    doubtTable(inDoubt, tickets.inDoubt - inDoubt.length),
  ];
}

export function doubtTable(rows: NonNullable<Facts['inDoubt']>, more = 0): b.Block {
  return b.table({
    columns: ['Ticket', 'Tag', 'Sent', b.remark('Why')],
    rows: rows.map(({ externalId, tag = 'none: look for its subject', sentAt, reason = '' }) => [
      externalId,
      tag,
      sentAt === undefined ? '–' : formatMinute(sentAt),
      reason,
    ]),
    more,
  });
}

export function failedBlocks({ tickets, failed = [] }: Facts): b.Block[] {
  if (tickets.failed === 0 || failed.length === 0) return [];
  return [
    b.heading('Tickets that the helpdesk refused', { id: 'failed', count: tickets.failed }),
    b.paragraph('The next run tries them again and sends only the missing parts.', { tone: 'soft' }),
    failedTable(failed, { more: tickets.failed - failed.length }),
  ];
}

export function failedTable(
  rows: NonNullable<Facts['failed']>,
  { more = 0, withOutcome = false } = {},
): b.Block {
  return b.table({
    columns: ['ticket', ...(withOutcome ? ['outcome'] : []), 'in the helpdesk', b.flexible('reason')],
    rows: rows.map(({ externalId, outcome, ticketId, code, status, reason }): b.Line[] => {
      const kind = `${wordsOf(code)?.title ?? code}${status === undefined ? '' : ` (HTTP ${status})`}`;
      return [
        externalId,
        ...(withOutcome ? [{ text: OUTCOME_VIEWS[outcome].word, tone: 'bad' } as const] : []),
        ticketId === undefined ? { text: 'no', tone: 'soft' } : `${ticketId}, incomplete`,
        [`${reason} `, { text: kind, tone: 'soft' }],
      ];
    }),
    more,
  });
}

export function runBlocks({ runs = [], mode }: Facts): b.Block[] {
  return mode === 'dry-run' || runs.length === 0
    ? []
    : [b.heading('Runs', { id: 'runs', count: runs.length }), runTable(runs)];
}

type Runs = NonNullable<Facts['runs']>;

export function runTable(runs: Runs): b.Block {
  const areTagged = runs.some(({ summary }) => summary?.['runTag'] !== undefined);
  return b.table({
    columns: ['began', 'mode', b.counts('took'), ...(areTagged ? ['run tag'] : []), b.remark('end')],
    rows: runs.map((run): b.Line[] => [
      formatMinute(run.startedAt),
      run.mode,
      tookOf(run),
      ...(areTagged ? [String(run.summary?.['runTag'] ?? '')] : []),
      endOf(run),
    ]),
  });
}

function tookOf({ startedAt, endedAt, summary }: Runs[number]): string {
  if (endedAt === undefined) return '–';
  const took = Date.parse(endedAt) - Date.parse(startedAt);
  return formatDuration(Number(summary?.['durationMs'] ?? took));
}

function endOf({ isGoingOn, exitCode, summary, mode }: Runs[number]): b.Span {
  if (isGoingOn) return { text: 'in progress', tone: 'good' };
  if (exitCode === undefined) return { text: 'cut off', tone: 'warn' };
  const checks = Number(summary?.['failedChecks'] ?? 0);
  if (exitCode === 3 && checks > 0)
    return { text: `${countOf(checks, 'check')} of the trial failed`, tone: 'warn' };
  const made = Number((summary?.['tickets'] as { created?: unknown } | undefined)?.created ?? 0);
  if (mode === 'trial' && exitCode === 0)
    return { text: made > 0 ? `trial of ${countOf(made, 'ticket')} done` : 'trial done', tone: 'good' };
  const tone = exitCode === 0 ? 'good' : [3, 4, 130, 143].includes(exitCode) ? 'warn' : 'bad';
  const words = END_WORDS[exitCode] ?? 'ended with an error';
  return { text: exitCode === 0 ? words : `${words} (exit code ${exitCode})`, tone };
}

export function conversationBlocks({
  facts: known,
  samples: { conversations, none } = { conversations: [] },
}: View): b.Block[] {
  const trial = known.trial?.tickets ?? [];
  const others = trial.filter((ticket) =>
    conversations.every(({ externalId }) => externalId !== ticket.externalId),
  );
  if (conversations.length + others.length === 0 && none === undefined) return [];
  const isTrial = known.mode === 'trial';
  const intro = isTrial
    ? 'Each ticket with the reason why it was chosen, what the checks found, and its conversation as it was sent.'
    : 'Chosen to show everything in the export at least once.';
  return b.blocks(
    b.heading(isTrial ? 'The tickets of the trial' : 'Sample conversations', {
      id: 'conversations',
      count: isTrial ? trial.length : conversations.length,
    }),
    b.paragraph(`${intro} Times are in UTC.`, { tone: 'soft' }),
    none !== undefined && b.paragraph(none),
    conversations.map((ticket): b.Block => {
      const of = trial.find(({ externalId }) => externalId === ticket.externalId);
      const below = b.blocks(of !== undefined && checkBlocks(of));
      return { kind: 'conversation', ticket, ticketId: of?.ticketId, below };
    }),
    others.map((ticket) => [b.heading(`Ticket ${ticket.externalId}`, { level: 3 }), checkBlocks(ticket)]),
  );
}
