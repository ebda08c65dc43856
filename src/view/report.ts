/** The report as blocks: a first page to decide by, and the evidence behind it. */
import { END_WORDS, OUTCOME_VIEWS } from '../summary/summary.ts';
import {
  type Block,
  blocks,
  counts,
  facts,
  flexible,
  heading,
  type Line,
  list,
  paragraph,
  present,
  remark,
  type Span,
  table,
} from './blocks.ts';
import { cut } from './conversation/conversation.ts';
import { countOf, formatCount, formatDuration, formatEstimate, formatMinute } from './format.ts';
import { stepBlocks } from './next-steps.ts';
import { costFacts, lookBlocks, lossBlocks, mappingBlocks, monthBlocks, sourceFacts } from './plan.ts';
import { adviceFor, problemBlocks } from './problems.ts';
import { type FailedTicket, planOf, type ReportData, SHOWN, type ShownRun } from './run-view.ts';
import { checkBlocks, contentFacts, outcomeBlocks, sentFacts } from './summary.ts';
import { are, checksOf, verdictBlocks } from './verdict.ts';

/** What there is to decide, and the line to sign. */
export function decisionBlocks(data: ReportData): Block[] {
  const { stopped, target, madeAt, version, kind, summary } = data;
  const plan = summary?.planFile;
  const tiles = present([...contentFacts(data), ...sentFacts(data), ...costFacts(data)]);
  const isOver = kind === 'run' || kind === 'checkpoint';
  return blocks(
    verdictBlocks(data),
    stopped !== undefined &&
      paragraph([cut(stopped.message, 240), ' ', cut(stopped.hint ?? '', 120)], { tone: 'bad' }),
    facts([
      ...sourceFacts(data),
      target !== undefined && { label: 'to', value: target },
      plan !== undefined && { label: 'plan', value: plan.path, remarks: [`digest ${plan.digest}`] },
      {
        label: 'report made',
        value: `${formatMinute(new Date(madeAt).toISOString())}, version ${version}`,
      },
    ]),
    heading(isOver ? 'What happened to each ticket' : 'What happens to each ticket', { id: 'outcome' }),
    outcomeBlocks(data),
    tiles.length > 0 && facts(tiles, { areTiles: true }),
    lostBlocks(data),
    signOffBlocks(data),
  );
}

/** What the decision rests on, most urgent first. Of a trial that is the conversations: it was made to look at them. */
export function evidenceBlocks(data: ReportData): Block[] {
  const { kind, survey, loss, problems, next } = data;
  const isTrial = kind === 'trial';
  return blocks(
    stepBlocks(next),
    isTrial && conversationBlocks(data),
    doubtBlocks(data),
    failedBlocks(data),
    problemBlocks(problems, { most: SHOWN.groups }),
    lossBlocks(loss),
    contactBlocks(data),
    survey !== undefined && [mappingBlocks(survey), monthBlocks(survey.months)],
    lookBlocks(data),
    runBlocks(data),
    !isTrial && conversationBlocks(data),
  );
}

/** What the import leaves behind, a line each; the tables behind it are `lossBlocks`. */
function lostBlocks({ kind, tickets, loss, survey, summary, mergedContacts }: ReportData): Block[] {
  if (survey === undefined) return [];
  const sum = (counts: readonly number[]) => counts.reduce((all, count) => all + count, 0);
  const lost = (rows: readonly { readonly count: number }[] = []) => sum(rows.map(({ count }) => count));
  const {
    unusedColumns: columns = [],
    unmappedValues: values = [],
    agentsWithoutId: agents = [],
    unknownAuthors: authors = [],
    notHeld,
  } = loss ?? {};
  const { messages, events } = survey.orphans;
  const merged = mergedContacts?.total ?? survey.contacts.merged;
  const unreachable = summary?.attachments.unreachable ?? 0;
  const lines = present<string>([
    tickets.rejected > 0 && `${countOf(tickets.rejected, 'rejected ticket')}, until corrected`,
    columns.length > 0 &&
      `${countOf(columns.length, 'column')} with ${countOf(sum(columns.map(({ filled }) => filled)), 'value')}`,
    lost(notHeld) > 0 && `${countOf(lost(notHeld), 'value')} with no equivalent in the helpdesk`,
    values.length > 0 && `${countOf(values.length, 'unmapped value')} in ${countOf(lost(values), 'place')}`,
    agents.length > 0 && `the names of ${countOf(agents.length, 'agent')} without an agent ID`,
    authors.length > 0 && `the roles of ${countOf(authors.length, 'author')}`,
    messages + events > 0 &&
      `${countOf(messages, 'message')} and ${countOf(events, 'event')} whose ticket is not in the export`,
    merged > 0 && `older names of ${countOf(merged, 'contact')}`,
    unreachable > 0 && `${countOf(unreachable, 'attachment')} that cannot be opened`,
  ]);
  const isOver = (kind === 'run' || kind === 'checkpoint') && tickets.pending === 0;
  return blocks(
    heading(isOver ? 'What was lost' : 'What will be lost', { id: 'lost' }),
    lines.length > 0 ? list('bullets', lines) : paragraph('Nothing of the tickets that are imported.'),
    lossBlocks(loss).length > 0 &&
      paragraph(linked('Value by value in “[Not imported](loss)”.').text, { look: 'more' }),
  );
}

/** What a support lead should be sure of. Before an import that is whether to begin; after it, whether to accept it. */
function signOffBlocks(data: ReportData): Block[] {
  if (data.tickets.read === 0) return [];
  const isDry = data.kind === 'dry-run';
  const intro =
    'Imported tickets cannot be deleted; undo can close and empty those nobody has edited. Check these points for this export.';
  return blocks(
    heading(isDry ? 'Before you sign this off' : 'Before you accept it', { id: 'sign-off' }),
    isDry && paragraph(intro, { tone: 'soft' }),
    list('boxes', present(isDry ? questions(data) : acceptance(data)).map(linked)),
    paragraph(
      ['Name', 'Date', 'Decision'].map((text) => ({ text, look: 'tag' })),
      { look: 'signatures' },
    ),
  );
}

/** `see [the errors](errors)` links to a section of the page. */
function linked(text: string): { text: Line } {
  const parts = text.split(/\[([^\][]+)\]\(([a-z-]+)\)/);
  return {
    text: parts.flatMap((part, index): (string | Span)[] =>
      index % 3 === 0 ? [part] : index % 3 === 1 ? [{ text: part, to: parts[index + 1] }] : [],
    ),
  };
}

function questions(data: ReportData): (string | false)[] {
  const { tickets, problems, survey, conversations } = data;
  const warnings = problems
    .filter(({ severity }) => severity === 'warning')
    .reduce((sum, { count }) => sum + count, 0);
  const seconds = planOf(data)?.estimatedSeconds;
  const errors = problems.length > 0 ? '[the errors](errors)' : 'the rejects';
  return [
    tickets.rejected > 0 &&
      `${countOf(tickets.rejected, 'ticket')} would not be imported. Correct them first, or go on without them: see ${errors}.`,
    tickets.skipped > 0 &&
      `${countOf(tickets.skipped, 'ticket')} ${are(tickets.skipped)} left out on purpose: is that intended?`,
    (survey?.mapping.length ?? 0) > 0 &&
      'Statuses, priorities and authors are mapped as listed in “[How values are mapped](mapping)”.',
    warnings > 0 &&
      `${countOf(warnings, 'warning')} may point to a mistake in the export or the mapping: see [the warnings](warnings).`,
    conversations.length > 0 &&
      'The [sample conversations](conversations) read right: who wrote what, in which order, when, and what is internal.',
    seconds !== undefined &&
      `The import takes at least ${formatEstimate(seconds * 1000)}: is there a time when no one changes the old system?`,
    'A trial comes first: it imports a few tickets and checks them in the real helpdesk.',
  ];
}

function acceptance(data: ReportData): (string | false)[] {
  const { tickets, kind, conversations, noConversations, inDoubt, failed } = data;
  const failures = checksOf(data).failed;
  const hasSamples = conversations.length > 0 || noConversations !== undefined;
  const isTrial = kind === 'trial';
  return [
    tickets.rejected > 0 &&
      `${countOf(tickets.rejected, 'ticket')} ${tickets.rejected === 1 ? 'was' : 'were'} rejected: corrected and imported, or not needed.`,
    failed.total > 0 &&
      `${countOf(failed.total, 'refused ticket')} ${are(failed.total)} settled: see [the reasons](failed).`,
    inDoubt.total > 0 &&
      `${countOf(inDoubt.total, 'ticket')} in doubt ${are(inDoubt.total)} settled: see [what to look for](in-doubt).`,
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

function doubtBlocks({ inDoubt: { rows, total } }: ReportData): Block[] {
  if (total === 0) return [];
  return [
    heading('Tickets in doubt', { id: 'in-doubt', count: total }),
    paragraph(
      'Their create was sent, and its outcome is unknown. They are not sent again before it is known. Look for the tag of each in the helpdesk; "helpdesk-import resolve" settles them.',
      { tone: 'soft' },
    ),
    table({
      columns: ['Ticket', 'Tag', 'Sent', remark('Why')],
      rows: rows.map(({ externalId, tag = 'none', sentAt, reason = '' }) => [
        externalId,
        tag,
        sentAt === undefined ? '–' : formatMinute(sentAt),
        reason,
      ]),
      more: total - rows.length,
    }),
  ];
}

function failedBlocks({ failed: { rows, total } }: ReportData): Block[] {
  if (total === 0) return [];
  return [
    heading('Tickets that the helpdesk refused', { id: 'failed', count: total }),
    paragraph('The next run tries them again and sends only what is missing.', { tone: 'soft' }),
    failedTable(rows, { more: total - rows.length }),
  ];
}

/** Tickets that the helpdesk refused or has incomplete, and rejected ones, with the reason that was given. */
export function failedTable(
  rows: readonly (FailedTicket & { readonly outcome?: 'failed' | 'rejected' })[],
  { more = 0, withOutcome = false } = {},
): Block {
  return table({
    columns: ['ticket', ...(withOutcome ? ['outcome'] : []), 'in the helpdesk', flexible('reason')],
    rows: rows.map(({ externalId, outcome = 'failed', ticketId, code, status, reason }): Line[] => {
      const kind = `${adviceFor(code)?.title ?? code}${status === undefined ? '' : ` (HTTP ${status})`}`;
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

function contactBlocks({ mergedContacts: { rows, total } = { rows: [], total: 0 } }: ReportData): Block[] {
  if (total === 0) return [];
  return [
    heading('Contacts with several names', { id: 'contacts', count: total }),
    paragraph('The helpdesk identifies a contact by the address. The newest name is imported.', {
      tone: 'soft',
    }),
    table({
      columns: ['Address', 'Imported name', counts('Names')],
      rows: rows.map(({ email, name, names }) => [email, name, formatCount(names)]),
      more: total - rows.length,
    }),
  ];
}

function runBlocks({ runs, checkpoints, kind }: ReportData): Block[] {
  return kind === 'dry-run' || runs.length === 0
    ? []
    : [heading('Runs', { id: 'runs', count: runs.length }), runTable(runs, checkpoints.length > 1)];
}

/** The newest first. */
export function runTable(runs: readonly ShownRun[], withCheckpoint = false): Block {
  const areTagged = runs.some(({ runTag }) => runTag !== undefined);
  return table({
    columns: [
      'began',
      ...(withCheckpoint ? [flexible('checkpoint')] : []),
      'mode',
      counts('took'),
      counts('tickets'),
      ...(areTagged ? ['run tag'] : []),
      'end',
    ],
    rows: runs.map((run): Line[] => [
      formatMinute(run.startedAt),
      ...(withCheckpoint ? [run.checkpoint] : []),
      run.mode,
      run.endedAt === undefined ? '–' : formatDuration(Date.parse(run.endedAt) - Date.parse(run.startedAt)),
      formatCount(run.tickets),
      ...(areTagged ? [run.runTag ?? ''] : []),
      endOf(run),
    ]),
  });
}

function endOf({ isGoingOn, exitCode }: ShownRun): Span {
  if (isGoingOn) return { text: 'in progress', tone: 'good' };
  if (exitCode === undefined) return { text: 'cut off', tone: 'warn' };
  const tone = exitCode === 0 ? 'good' : [3, 4, 130, 143].includes(exitCode) ? 'warn' : 'bad';
  return { text: `${exitCode} ${END_WORDS[exitCode] ?? 'ended with an error'}`, tone };
}

/** Sample tickets as the helpdesk will show them, and for a trial what its checks say. */
function conversationBlocks({
  conversations,
  summary,
  checklist: { overall, tickets: looks } = { overall: [], tickets: [] },
  noConversations,
  kind,
}: ReportData): Block[] {
  const trial = summary?.trial?.tickets ?? [];
  const others = trial.filter((ticket) =>
    conversations.every(({ externalId }) => externalId !== ticket.externalId),
  );
  if (conversations.length + others.length === 0 && noConversations === undefined) return [];
  const isTrial = kind === 'trial';
  const intro = isTrial
    ? 'Each ticket with the reason why it was chosen, what the checks found, and its conversation as it was sent.'
    : 'Chosen to show everything in the export at least once.';
  return blocks(
    heading(isTrial ? 'The tickets of the trial' : 'Sample conversations', {
      id: 'conversations',
      count: isTrial ? trial.length : conversations.length,
    }),
    paragraph(`${intro} Times are in UTC.`, { tone: 'soft' }),
    noConversations !== undefined && paragraph(noConversations),
    overall.length > 0 && [heading('Check in the helpdesk', { level: 3 }), list('boxes', overall)],
    conversations.map((ticket): Block => {
      const of = trial.find(({ externalId }) => externalId === ticket.externalId);
      const look = looks.find(({ ticketId }) => ticketId === of?.ticketId)?.look ?? [];
      const below = blocks(
        of !== undefined && checkBlocks(of),
        look.length > 0 && [paragraph('Check in the helpdesk', { tone: 'strong' }), list('boxes', look)],
      );
      return { kind: 'conversation', ticket, ticketId: of?.ticketId, below };
    }),
    others.map((ticket) => [heading(`Ticket ${ticket.externalId}`, { level: 3 }), checkBlocks(ticket)]),
  );
}
