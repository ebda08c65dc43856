/** A first page to decide by, and the evidence behind it. */

import { countOf, formatCount } from '../domain/printable.ts';
import { wordsOf } from '../domain/problem-words.ts';
import { checksOf, type Facts } from '../plan/facts.ts';
import * as b from './blocks.ts';
import { cut } from './conversation/conversation.ts';
import { formatDuration, formatEstimate, formatMinute } from './format.ts';
import { detailBlocks, lostBlocks } from './loss.ts';
import { stepBlocks } from './next-steps.ts';
import { END_WORDS, OUTCOME_VIEWS } from './outcomes.ts';
import { costFacts, lookBlocks, mappingBlocks, monthBlocks, sourceFacts } from './plan.ts';
import { problemBlocks } from './problems.ts';
import { planOf, SHOWN, type View } from './run-view.ts';
import { checkBlocks, contentFacts, outcomeBlocks, sentFacts } from './summary.ts';
import { trialSentence } from './trial-words.ts';
import { are, verdictBlocks } from './verdict.ts';

/** `made`: "2025-06-02 08:00 UTC, version 1.2.3". */
export function decisionBlocks(view: View, made: string): b.Block[] {
  const { facts: known } = view;
  const { target, mode, stopped } = known;
  const tiles = b.present([...contentFacts(known), ...sentFacts(known), ...costFacts(known)]);
  const isOver = mode === 'run' || mode === 'checkpoint';
  return b.blocks(
    verdictBlocks(known),
    stopped !== undefined &&
      b.paragraph([cut(stopped.message, 240), ' ', cut(stopped.hint ?? '', 120)], { tone: 'bad' }),
    b.facts([
      ...sourceFacts(known),
      target !== undefined && { label: 'to', value: target },
      known.marks !== undefined && {
        label: 'trial',
        value: trialSentence(known.marks),
        tone: known.marks.wrong.length > 0 ? 'warn' : undefined,
      },
      { label: 'report made', value: made },
    ]),
    b.heading(isOver ? 'What happened to each ticket' : 'What happens to each ticket', { id: 'outcome' }),
    outcomeBlocks(known),
    tiles.length > 0 && b.facts(tiles, { areTiles: true }),
    lostBlocks(known),
    detailBlocks(known).length > 0 &&
      b.paragraph(linked('Value by value in “[Not imported](loss)”.').text, { look: 'more' }),
    signOffBlocks(view),
  );
}

/** Most urgent first. For a trial: the conversations. */
export function evidenceBlocks(view: View): b.Block[] {
  const { facts: known, next, frames } = view;
  const isTrial = known.mode === 'trial';
  return b.blocks(
    stepBlocks(next),
    isTrial && conversationBlocks(view),
    doubtBlocks(known),
    failedBlocks(known),
    problemBlocks(known.problemGroups, { most: SHOWN.groups, rows: known.problems, frames }),
    detailBlocks(known),
    mergedBlocks(view),
    mappingBlocks(known),
    monthBlocks(known.export.months),
    lookBlocks(known),
    runBlocks(known),
    !isTrial && conversationBlocks(view),
  );
}

/** Before an import whether to begin; after it, whether to accept it. */
function signOffBlocks(view: View): b.Block[] {
  const { tickets, mode } = view.facts;
  if (tickets.read === 0) return [];
  const isDry = mode === 'dry-run';
  const intro =
    'Imported tickets cannot be deleted; undo can close and empty those no one has edited. Check these points for this export.';
  return b.blocks(
    b.heading(isDry ? 'Before you sign this off' : 'Before you accept it', { id: 'sign-off' }),
    isDry && b.paragraph(intro, { tone: 'soft' }),
    b.list('boxes', b.present(isDry ? questions(view) : acceptance(view)).map(linked)),
    b.paragraph(
      ['Name', 'Date', 'Decision'].map((text) => ({ text, look: 'tag' })),
      { look: 'signatures' },
    ),
  );
}

/** `see [the errors](errors)` links to a section. */
function linked(text: string): { text: b.Line } {
  const parts = text.split(/\[([^\][]+)\]\(([a-z-]+)\)/);
  return {
    text: parts.flatMap((part, index): (string | b.Span)[] =>
      index % 3 === 0 ? [part] : index % 3 === 1 ? [{ text: part, to: parts[index + 1] }] : [],
    ),
  };
}

function questions({ facts: known, samples }: View): (string | false)[] {
  const { tickets, mapping, problemGroups: problems } = known;
  const warnings = problems.filter(({ severity }) => severity === 'warning').length;
  const seconds = planOf(known)?.estimatedSeconds;
  const errors = problems.length > 0 ? '[the errors](errors)' : 'the rejects';
  return [
    tickets.rejected > 0 &&
      `${countOf(tickets.rejected, 'ticket')} would not be imported. Correct them first, or go on without them: see ${errors}.`,
    tickets.skipped > 0 &&
      `${countOf(tickets.skipped, 'ticket')} ${are(tickets.skipped)} left out on purpose: is that intended?`,
    mapping.length > 0 &&
      'Statuses, priorities and authors are mapped as listed in “[How values are mapped](mapping)”.',
    warnings > 0 &&
      `${countOf(warnings, 'kind of warning', 'kinds of warnings')} may point to a mistake in the export or the mapping: see [the warnings](warnings).`,
    (samples?.conversations.length ?? 0) > 0 &&
      'The [sample conversations](conversations) read right: who wrote what, in which order, when, and what is internal.',
    seconds !== undefined &&
      `The import takes at least ${formatEstimate(seconds * 1000)}: is there a time when no one changes the old system?`,
    'A trial comes first: it imports a few tickets and checks them in the real helpdesk.',
  ];
}

function acceptance({ facts: known, samples }: View): (string | false)[] {
  const { tickets, mode } = known;
  const { failed, inDoubt } = tickets;
  const failures = checksOf(known).failed;
  const hasSamples =
    samples !== undefined && (samples.conversations.length > 0 || samples.none !== undefined);
  const isTrial = mode === 'trial';
  return [
    tickets.rejected > 0 &&
      `${countOf(tickets.rejected, 'ticket')} ${tickets.rejected === 1 ? 'was' : 'were'} rejected: corrected and imported, or not needed.`,
    failed > 0 &&
      `${countOf(failed, 'refused ticket is', 'refused tickets are')} settled: see [the reasons](failed).`,
    inDoubt > 0 &&
      `${countOf(inDoubt, 'ticket')} in doubt ${are(inDoubt)} settled: see [what to look for](in-doubt).`,
    tickets.pending > 0 &&
      `${countOf(tickets.pending, 'ticket')} ${are(tickets.pending)} still to be imported.`,
    failures > 0 &&
      `${countOf(failures, 'failed check')} of the trial ${are(failures)} explained: see [the tickets](conversations).`,
    hasSamples &&
      `The ${isTrial ? 'tickets of the trial' : 'sample tickets'} look right in the helpdesk: [compare them](conversations).`,
    'No customer got a message because of the import.',
    isTrial ? 'The import of all tickets may begin.' : 'The old system may be closed for writing.',
  ];
}

function doubtBlocks({ tickets, inDoubt = [] }: Facts): b.Block[] {
  if (tickets.inDoubt === 0 || inDoubt.length === 0) return [];
  return [
    b.heading('Tickets in doubt', { id: 'in-doubt', count: tickets.inDoubt }),
    b.paragraph(
      'Their create was sent, and its outcome is unknown. They are not sent again before it is known. Look for the tag of each in the helpdesk; "helpdesk-import resolve" settles them.',
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

function failedBlocks({ tickets, failed = [] }: Facts): b.Block[] {
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

function mergedBlocks({
  facts: { contacts },
  samples: { merged } = { conversations: [], merged: [] },
}: View): b.Block[] {
  if (merged.length === 0) return [];
  const intro = 'The helpdesk identifies a contact by the address. The newest name is imported.';
  return [
    b.heading('Contacts with several names', { id: 'contacts', count: contacts.merged }),
    b.paragraph(intro, { tone: 'soft' }),
    b.table({
      columns: ['Address', 'Imported name', b.counts('Names')],
      rows: merged.map(({ email, name, names }) => [email, name, formatCount(names)]),
      more: contacts.merged - merged.length,
    }),
  ];
}

function runBlocks({ runs = [], mode }: Facts): b.Block[] {
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
    return { text: `3 ${countOf(checks, 'check')} of the trial failed`, tone: 'warn' };
  if (mode === 'trial' && exitCode === 0) return { text: '0 trial done', tone: 'good' };
  const tone = exitCode === 0 ? 'good' : [3, 4, 130, 143].includes(exitCode) ? 'warn' : 'bad';
  return { text: `${exitCode} ${END_WORDS[exitCode] ?? 'ended with an error'}`, tone };
}

function conversationBlocks({
  facts: known,
  checklist: { overall, tickets: looks } = { overall: [], tickets: [] },
  samples: { conversations, none } = { conversations: [], merged: [] },
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
    overall.length > 0 && [b.heading('Check in the helpdesk', { level: 3 }), b.list('boxes', overall)],
    conversations.map((ticket): b.Block => {
      const of = trial.find(({ externalId }) => externalId === ticket.externalId);
      const look = looks.find(({ ticketId }) => ticketId === of?.ticketId)?.look ?? [];
      const below = b.blocks(
        of !== undefined && checkBlocks(of),
        look.length > 0 && [b.paragraph('Check in the helpdesk', { tone: 'strong' }), b.list('boxes', look)],
      );
      return { kind: 'conversation', ticket, ticketId: of?.ticketId, below };
    }),
    others.map((ticket) => [b.heading(`Ticket ${ticket.externalId}`, { level: 3 }), checkBlocks(ticket)]),
  );
}
