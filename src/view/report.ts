/** The report as blocks: a first page to decide by, and the evidence behind it. */
import { OUTCOME_VIEWS } from '../summary/outcomes.ts';
import { END_WORDS } from '../summary/summary.ts';
import { adviceFor } from './advice.ts';
import {
  type Block,
  facts,
  heading,
  type Item,
  type Line,
  list,
  paragraph,
  present,
  type Span,
  table,
} from './blocks.ts';
import { cut } from './conversation/conversation.ts';
import { countOf, formatCount, formatDuration, formatEstimate, formatMinute } from './format.ts';
import { monthBlocks } from './months.ts';
import { stepBlocks } from './next-steps.ts';
import { costFacts, lookFacts, lossBlocks, mappingBlocks, sourceFacts } from './plan.ts';
import { problemBlocks } from './problems.ts';
import { type FailedTicket, planOf, type ReportData, SHOWN, type ShownRun } from './run-view.ts';
import { checkBlocks, contentFacts, outcomeBlocks, sentFacts } from './summary.ts';
import { are, checksOf, verdictBlocks } from './verdict.ts';

/** What there is to decide, and the line to sign. */
export function decisionBlocks(data: ReportData): Block[] {
  const { stopped, target, madeAt, version, kind } = data;
  const plan = data.summary?.planFile;
  const tiles = [...contentFacts(data), ...sentFacts(data), ...costFacts(data)];
  const isOver = kind === 'run' || kind === 'checkpoint';
  return [
    ...verdictBlocks(data),
    ...present<Block>([
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
    ]),
    ...outcomeBlocks(data),
    ...(present(tiles).length === 0 ? [] : [facts(tiles, { areTiles: true })]),
    ...lostBlocks(data),
    ...signOffBlocks(data),
  ];
}

/** What the decision rests on, most urgent first. Of a trial that is the conversations: it was made to look at them. */
export function evidenceBlocks(data: ReportData): Block[] {
  const { kind, survey, summary, loss, problems, next } = data;
  const look = summary?.look?.target === undefined ? [] : lookFacts(summary.look);
  const isTrial = kind === 'trial';
  return [
    ...stepBlocks(next),
    ...(isTrial ? conversationBlocks(data) : []),
    ...doubtBlocks(data),
    ...failedBlocks(data),
    ...problemBlocks(problems, { most: SHOWN.groups }),
    ...lossBlocks(loss),
    ...contactBlocks(data),
    ...(survey === undefined ? [] : [...mappingBlocks(survey), ...monthBlocks(survey.months)]),
    ...(look.length === 0 ? [] : [heading('In the helpdesk', { id: 'look' }), facts(look)]),
    ...runBlocks(data),
    ...(isTrial ? [] : conversationBlocks(data)),
  ];
}

/** What the import leaves behind, a line each; the tables behind it are `lossBlocks`. */
function lostBlocks({ kind, tickets, loss, survey, summary, mergedContacts }: ReportData): Block[] {
  if (survey === undefined) return [];
  const merged = mergedContacts?.total ?? survey.contacts.merged;
  const sum = (rows: readonly { readonly count: number }[]) =>
    rows.reduce((all, { count }) => all + count, 0);
  const cells = loss?.unusedColumns.reduce((all, { filled }) => all + filled, 0) ?? 0;
  const lines = present<string>([
    tickets.rejected > 0 && `${countOf(tickets.rejected, 'rejected ticket')}, until corrected`,
    ...(loss === undefined
      ? []
      : [
          loss.unusedColumns.length > 0 &&
            `${countOf(loss.unusedColumns.length, 'column')} with ${countOf(cells, 'value')}`,
          loss.notHeld.length > 0 &&
            `${countOf(sum(loss.notHeld), 'value')} with no equivalent in the helpdesk`,
          loss.unmappedValues.length > 0 &&
            `${countOf(loss.unmappedValues.length, 'unmapped value')} in ${countOf(sum(loss.unmappedValues), 'place')}`,
          loss.agentsWithoutId.length > 0 &&
            `the names of ${countOf(loss.agentsWithoutId.length, 'agent')} without an agent ID`,
          loss.unknownAuthors.length > 0 && `the roles of ${countOf(loss.unknownAuthors.length, 'author')}`,
        ]),
    survey.orphans.messages + survey.orphans.events > 0 &&
      `${countOf(survey.orphans.messages, 'message')} and ${countOf(survey.orphans.events, 'event')} whose ticket is not in the export`,
    merged > 0 && `older names of ${countOf(merged, 'contact')}`,
    (summary?.attachments.unreachable ?? 0) > 0 &&
      `${countOf(summary?.attachments.unreachable ?? 0, 'attachment')} that cannot be opened`,
  ]);
  const isOver = (kind === 'run' || kind === 'checkpoint') && tickets.pending === 0;
  const title = isOver ? 'What was lost' : 'What will be lost';
  const hasLoss = loss !== undefined && Object.values(loss).some(({ length }) => length > 0);
  return [
    heading(title, { id: 'lost' }),
    ...(lines.length === 0
      ? [paragraph('Nothing of the tickets that are imported.')]
      : [
          list(
            'bullets',
            lines.map((text) => ({ text })),
          ),
        ]),
    ...(hasLoss
      ? [paragraph(['Value by value in “', { text: 'Not imported', to: 'loss' }, '”.'], { look: 'more' })]
      : []),
  ];
}

/** What a support lead should be sure of. Before an import that is whether to begin; after it, whether to accept it. */
function signOffBlocks(data: ReportData): Block[] {
  if (data.tickets.read === 0) return [];
  const isDry = data.kind === 'dry-run';
  const intro =
    'Imported tickets cannot be deleted; undo can close and empty those nobody has edited. Check these points for this export.';
  return [
    heading(isDry ? 'Before you sign this off' : 'Before you accept it', { id: 'sign-off' }),
    ...(isDry ? [paragraph(intro, { tone: 'soft' })] : []),
    list(
      'boxes',
      (isDry ? questions(data) : acceptance(data)).map((text): Item => ({ text })),
    ),
    paragraph(
      ['Name', 'Date', 'Decision'].map((text): Span => ({ text, look: 'tag' })),
      { look: 'signatures' },
    ),
  ];
}

function questions(data: ReportData): Line[] {
  const { tickets, problems, survey, conversations } = data;
  const warnings = problems
    .filter(({ severity }) => severity === 'warning')
    .reduce((sum, { count }) => sum + count, 0);
  const seconds = planOf(data)?.estimatedSeconds;
  return present<Line>([
    tickets.rejected > 0 && [
      `${countOf(tickets.rejected, 'ticket')} would not be imported. Correct them first, or go on without them: see `,
      problems.length > 0 ? { text: 'the errors', to: 'errors' } : 'the rejects',
      '.',
    ],
    tickets.skipped > 0 &&
      `${countOf(tickets.skipped, 'ticket')} ${are(tickets.skipped)} left out on purpose: is that intended?`,
    (survey?.mapping.length ?? 0) > 0 && [
      'Statuses, priorities and authors are mapped as listed in “',
      { text: 'How values are mapped', to: 'mapping' },
      '”.',
    ],
    warnings > 0 && [
      `${countOf(warnings, 'warning')} may point to a mistake in the export or the mapping: see `,
      { text: 'the warnings', to: 'warnings' },
      '.',
    ],
    conversations.length > 0 && [
      'The ',
      { text: 'sample conversations', to: 'conversations' },
      ' read right: who wrote what, in which order, when, and what is internal.',
    ],
    seconds !== undefined &&
      `The import takes at least ${formatEstimate(seconds * 1000)}: is there a time when nobody changes the old system?`,
    'A trial comes first: it imports a few tickets and checks them in the real helpdesk.',
  ]);
}

function acceptance(data: ReportData): Line[] {
  const { tickets, kind, conversations, noConversations, inDoubt, failed } = data;
  const failures = checksOf(data).failed;
  const hasSamples = conversations.length > 0 || noConversations !== undefined;
  return present<Line>([
    tickets.rejected > 0 &&
      `${countOf(tickets.rejected, 'ticket')} ${tickets.rejected === 1 ? 'was' : 'were'} rejected: corrected and imported, or not needed.`,
    failed.total > 0 && [
      `${countOf(failed.total, 'refused ticket')} ${are(failed.total)} settled: see `,
      { text: 'the reasons', to: 'failed' },
      '.',
    ],
    inDoubt.total > 0 && [
      `${countOf(inDoubt.total, 'ticket')} in doubt ${are(inDoubt.total)} settled: see `,
      { text: 'what to look for', to: 'in-doubt' },
      '.',
    ],
    tickets.pending > 0 &&
      `${countOf(tickets.pending, 'ticket')} ${are(tickets.pending)} still to be imported.`,
    failures > 0 && [
      `${countOf(failures, 'failed check')} of the trial ${are(failures)} explained: see `,
      { text: 'the tickets', to: 'conversations' },
      '.',
    ],
    hasSamples && [
      `The ${kind === 'trial' ? 'tickets of the trial' : 'sample tickets'} look right in the helpdesk: `,
      { text: 'compare them', to: 'conversations' },
      '.',
    ],
    'No customer got a message because of the import.',
    kind === 'trial' ? 'The import of all tickets may begin.' : 'The old system may be closed for writing.',
  ]);
}

function doubtBlocks({ inDoubt }: ReportData): Block[] {
  if (inDoubt.total === 0) return [];
  return [
    heading('Tickets in doubt', { id: 'in-doubt', count: inDoubt.total }),
    paragraph(
      'Their create was sent, and its outcome is unknown. They are not sent again before it is known. Look for the tag of each in the helpdesk; "helpdesk-import resolve" settles them.',
      { tone: 'soft' },
    ),
    table({
      caption: 'Tickets in doubt',
      hideCaption: true,
      columns: [{ title: 'Ticket' }, { title: 'Tag' }, { title: 'Sent' }, { title: 'Why', isRemark: true }],
      rows: inDoubt.rows.map(({ externalId, tag, sentAt, reason }) => [
        externalId,
        tag ?? 'none',
        sentAt === undefined ? '–' : formatMinute(sentAt),
        reason ?? '',
      ]),
      more: inDoubt.total - inDoubt.rows.length,
    }),
  ];
}

function failedBlocks({ failed }: ReportData): Block[] {
  if (failed.total === 0) return [];
  return [
    heading('Tickets that the helpdesk refused', { id: 'failed', count: failed.total }),
    paragraph('The next run tries them again and sends only what is missing.', { tone: 'soft' }),
    failedTable(failed.rows, { more: failed.total - failed.rows.length }),
  ];
}

/** Tickets that the helpdesk refused or has incomplete, and rejected ones, with the reason that was given. */
export function failedTable(
  rows: readonly (FailedTicket & { readonly outcome?: 'failed' | 'rejected' })[],
  { more = 0, withOutcome = false } = {},
): Block {
  return table({
    caption: 'Tickets',
    hideCaption: true,
    columns: [
      { title: 'ticket' },
      ...(withOutcome ? [{ title: 'outcome' }] : []),
      { title: 'in the helpdesk' },
      { title: 'reason', flexible: true },
    ],
    rows: rows.map(({ externalId, outcome = 'failed', ticketId, code, status, reason }): Line[] => [
      externalId,
      ...(withOutcome ? [{ text: OUTCOME_VIEWS[outcome].word, tone: 'bad' } as const] : []),
      ticketId === undefined ? { text: 'no', tone: 'soft' } : `${ticketId}, incomplete`,
      [
        `${reason} `,
        {
          text: `${adviceFor(code)?.title ?? code}${status === undefined ? '' : ` (HTTP ${status})`}`,
          tone: 'soft',
        },
      ],
    ]),
    more,
  });
}

function contactBlocks({ mergedContacts }: ReportData): Block[] {
  if (mergedContacts === undefined || mergedContacts.total === 0) return [];
  const { rows, total } = mergedContacts;
  return [
    heading('Contacts with several names', { id: 'contacts', count: total }),
    paragraph('The helpdesk knows a contact by the address. The newest name is imported.', { tone: 'soft' }),
    table({
      caption: 'Contacts with several names',
      hideCaption: true,
      columns: [{ title: 'Address' }, { title: 'Imported name' }, { title: 'Names', align: 'right' }],
      rows: rows.map(({ email, name, names }) => [email, name, formatCount(names)]),
      more: total - rows.length,
    }),
  ];
}

function runBlocks({ runs, checkpoints, kind }: ReportData): Block[] {
  if (kind === 'dry-run' || runs.length === 0) return [];
  return [heading('Runs', { id: 'runs', count: runs.length }), runTable(runs, checkpoints.length > 1)];
}

/** The newest first. */
export function runTable(runs: readonly ShownRun[], withCheckpoint = false): Block {
  const areTagged = runs.some(({ runTag }) => runTag !== undefined);
  return table({
    caption: 'Runs, newest first',
    hideCaption: true,
    columns: [
      { title: 'began' },
      ...(withCheckpoint ? [{ title: 'checkpoint', flexible: true }] : []),
      { title: 'mode' },
      { title: 'took', align: 'right' },
      { title: 'tickets', align: 'right' },
      ...(areTagged ? [{ title: 'run tag' }] : []),
      { title: 'end' },
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
  checklist,
  noConversations,
  kind,
}: ReportData): Block[] {
  const trial = summary?.trial?.tickets ?? [];
  const checked = new Map(trial.map((ticket) => [ticket.externalId, ticket] as const));
  const others = trial.filter((ticket) =>
    conversations.every(({ externalId }) => externalId !== ticket.externalId),
  );
  if (conversations.length + others.length === 0 && noConversations === undefined) return [];
  const isTrial = kind === 'trial';
  const intro = isTrial
    ? 'Each ticket with the reason why it was chosen, what the checks found, and its conversation as it was sent.'
    : 'Chosen to show everything in the export at least once.';
  const boxes = (lines: readonly string[]) =>
    list(
      'boxes',
      lines.map((text) => ({ text })),
    );
  return [
    heading(isTrial ? 'The tickets of the trial' : 'Sample conversations', {
      id: 'conversations',
      count: isTrial ? trial.length : conversations.length,
    }),
    paragraph(`${intro} Times are in UTC.`, { tone: 'soft' }),
    ...(noConversations === undefined ? [] : [paragraph(noConversations)]),
    ...(checklist === undefined || checklist.overall.length === 0
      ? []
      : [heading('Check in the helpdesk', { level: 3 }), boxes(checklist.overall)]),
    ...conversations.map((ticket): Block => {
      const of = checked.get(ticket.externalId);
      const look = checklist?.tickets.find(({ ticketId }) => ticketId === of?.ticketId)?.look ?? [];
      return {
        kind: 'conversation',
        ticket,
        ticketId: of?.ticketId,
        below: [
          ...(of === undefined ? [] : checkBlocks(of)),
          ...(look.length === 0 ? [] : [paragraph('Check in the helpdesk', { tone: 'strong' }), boxes(look)]),
        ],
      };
    }),
    ...others.flatMap((ticket) => [
      heading(`Ticket ${ticket.externalId}`, { level: 3 }),
      ...checkBlocks(ticket),
    ]),
  ];
}
