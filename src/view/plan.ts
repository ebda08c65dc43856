/**
 * The plan of a dry run: what is in the export, how values are mapped, what would be sent and how long it would take, and
 * what is not imported. A support lead signs this off, so it says everything and sends nothing.
 */
import { ACTOR_TYPES, CONTENT_TYPES, TICKET_PRIORITIES, TICKET_STATUSES } from '../domain/payload.ts';
import type { LossReport, MappingRow, Survey, TargetLook } from '../domain/survey.ts';
import {
  type Block,
  type Fact,
  facts,
  heading,
  type Line,
  list,
  paragraph,
  present,
  type Table,
  table,
} from './blocks.ts';
import { countOf, formatCount, formatDay, formatEstimate, idsAndNames } from './format.ts';
import { monthBlocks } from './months.ts';
import { planOf, type RunView, SHOWN } from './run-view.ts';
import { contentFacts } from './summary.ts';

export function planBlocks(view: RunView): Block[] {
  const { survey, loss, summary } = view;
  if (survey === undefined) return [];
  const look = summary?.look?.target === undefined ? [] : lookFacts(summary.look);
  return [
    heading(`Plan for ${countOf(survey.tickets.read, 'ticket')}`),
    facts([
      ...sourceFacts(view),
      ...contentFacts(view),
      channelFact(survey),
      toSendFact(view),
      ...costFacts(view),
    ]),
    ...(look.length === 0 ? [] : [heading('In the helpdesk'), facts(look)]),
    ...mappingBlocks(survey),
    ...monthBlocks(survey.months),
    ...lossBlocks(loss),
    ...(survey.trial.length === 0
      ? []
      : [
          heading('A trial would import'),
          list(
            'bullets',
            survey.trial.map(({ externalId, why }) => ({ text: `${externalId}: ${why.join('; ')}` })),
          ),
        ]),
  ];
}

/** Files that are named. */
const MOST_FILES = 3;

export function sourceFacts({ files, layout, survey }: RunView): (Fact | false)[] {
  const more = files.length - MOST_FILES;
  const named = `${files.slice(0, MOST_FILES).join(', ')}${more > 0 ? ` and ${formatCount(more)} more` : ''}`;
  return [
    files.length > 0 && { label: 'from', value: layout === undefined ? named : `${named} (${layout})` },
    survey?.firstCreatedAt !== undefined &&
      survey.lastCreatedAt !== undefined && {
        label: 'created',
        value: `${formatDay(survey.firstCreatedAt)} to ${formatDay(survey.lastCreatedAt)}`,
      },
  ];
}

/** Channels that are named. */
const MOST_CHANNELS = 4;

/** A channel decides whether a ticket can be answered, and from which address. */
function channelFact({ channels }: Survey): Fact | false {
  const more = channels.length - MOST_CHANNELS;
  const named = channels
    .slice(0, MOST_CHANNELS)
    .map(({ channelId = 'default channel', tickets }) => `${channelId}: ${formatCount(tickets)}`);
  return (
    channels.length > 0 && {
      label: 'channels',
      value: formatCount(channels.length),
      remarks: present([...named, more > 0 && countOf(more, 'more', 'more')]),
    }
  );
}

function toSendFact(view: RunView): Fact | false {
  const plan = planOf(view);
  if (plan === undefined) return false;
  const { requests, batches } = plan;
  return {
    label: 'to send',
    value: countOf(requests.creates, 'ticket'),
    remarks: present([
      `${formatCount(requests.messages)} with messages`,
      `${formatCount(requests.events)} with events`,
      requests.updates > 0 &&
        `${formatCount(requests.updates)} with a new status, priority, assignee or tags`,
      `${countOf(batches.count, 'batch', 'batches')} of ${formatCount(batches.size)}`,
    ]),
  };
}

/** What an import would take. */
export function costFacts(view: RunView): (Fact | false)[] {
  const plan = planOf(view);
  if (plan === undefined) return [];
  const { requests, estimatedSeconds } = plan;
  return [
    {
      label: 'requests',
      value: formatCount(requests.total),
      remarks: present([
        requests.reads > 0 && `up to ${formatCount(requests.reads)} of them to read`,
        requests.checks > 0 && `and up to ${formatCount(requests.checks)} to check the helpdesk`,
      ]),
    },
    estimatedSeconds !== undefined && {
      label: 'time',
      value: `about ${formatEstimate(estimatedSeconds * 1000)}`,
      remarks: [view.rate === undefined ? 'at least' : `at ${view.rate}`],
    },
  ];
}

/** What the helpdesk was asked; only what it answered. */
export function lookFacts({ agents, team, contacts, tickets }: TargetLook): Fact[] {
  const unknown = agents.unknown.slice(0, 3).join(', ');
  return present<Fact>([
    agents.asked > 0 && {
      label: 'agents',
      value: `${formatCount(agents.found)} of ${formatCount(agents.asked)}`,
      remarks: present([
        'found by their address',
        unknown !== '' && `not ${unknown}${agents.unknown.length > 3 ? ' …' : ''}`,
      ]),
    },
    agents.later > 0 && { label: 'later', value: `${countOf(agents.later, 'agent')} looked up at import` },
    team !== undefined && { label: 'agent IDs', value: idsAndNames(team.first, team.total) },
    contacts !== undefined && {
      label: 'contacts',
      value: `${formatCount(contacts.found)} of the first ${formatCount(contacts.asked)} exist`,
      remarks:
        contacts.renamed === 0 ? [] : [`${formatCount(contacts.renamed)} with another name, to be replaced`],
    },
    tickets !== undefined && {
      label: 'tickets',
      value:
        tickets.ofSource === 0 ? 'none of this source' : `${formatCount(tickets.ofSource)} of this source`,
      remarks:
        tickets.unknown === 0
          ? []
          : [`${formatCount(tickets.unknown)} of this export that the checkpoint does not have`],
    },
  ]);
}

const KINDS: readonly {
  readonly kind: MappingRow['kind'];
  readonly title: string;
  /** What the helpdesk takes; another value is an error of its ticket. */
  readonly taken: readonly string[];
}[] = [
  { kind: 'status', title: 'Status', taken: TICKET_STATUSES },
  { kind: 'priority', title: 'Priority', taken: TICKET_PRIORITIES },
  { kind: 'actor', title: 'Author', taken: ACTOR_TYPES },
  { kind: 'contentType', title: 'Content type', taken: CONTENT_TYPES },
];
/** Rows of one kind that are shown. */
const MOST_ROWS = 12;

export function mappingBlocks({ mapping, mappingLeftOut }: Survey): Block[] {
  if (mapping.length === 0) return [];
  let hidden = mappingLeftOut;
  const nothing = { text: '(nothing)', tone: 'soft' } as const;
  const rows = KINDS.flatMap(({ kind, title, taken }) => {
    const ofKind = mapping.filter((row) => row.kind === kind);
    hidden += Math.max(0, ofKind.length - MOST_ROWS);
    return ofKind
      .slice(0, MOST_ROWS)
      .map(({ from, to, count }, index): Line[] => [
        { text: index === 0 ? title : '', tone: 'strong' },
        from === '' ? nothing : from,
        to === '' ? nothing : taken.includes(to) ? to : { text: `${to}: rejected`, tone: 'bad' },
        formatCount(count),
      ]);
  });
  return [
    heading('How values are mapped', { id: 'mapping' }),
    table({
      caption: 'How values are mapped',
      hideCaption: true,
      columns: [
        { title: 'field' },
        { title: 'in the export', flexible: true },
        { title: 'becomes', flexible: true },
        { title: 'count', align: 'right' },
      ],
      rows,
      more: hidden,
    }),
  ];
}

/** Nothing where nothing is lost. */
export function lossBlocks(loss: LossReport | undefined): Block[] {
  if (loss === undefined) return [];
  const byCount = <T extends { readonly count: number }>(rows: readonly T[]) =>
    rows.toSorted((a, b) => b.count - a.count);
  const number = (title: string) => ({ title, align: 'right' as const });
  const part = (caption: string, columns: Table['columns'], rows: readonly (readonly Line[])[]) =>
    rows.length > 0 && table({ caption, columns, rows, most: SHOWN.rows });
  const tables = present<Block>([
    part(
      'Agents without an agent ID',
      [
        { title: 'agent', flexible: true },
        number('messages and events'),
        { title: 'sent as', isRemark: true },
      ],
      byCount(loss.agentsWithoutId).map(({ agent, count, fallback }) => [
        agent,
        formatCount(count),
        fallback ?? { text: 'no fallback agent', tone: 'warn' },
      ]),
    ),
    part(
      'Unmapped values',
      [
        { title: 'field' },
        { title: 'value', flexible: true },
        number('count'),
        { title: 'what happens', isRemark: true },
      ],
      byCount(loss.unmappedValues).map(({ field, value, count, action }) => [
        field,
        `"${value}"`,
        formatCount(count),
        action,
      ]),
    ),
    part(
      'Unknown authors',
      [{ title: 'author', flexible: true }, number('messages')],
      byCount(loss.unknownAuthors).map(({ author, count }) => [author, formatCount(count)]),
    ),
    part(
      'Fields with no equivalent in the helpdesk',
      [{ title: 'field', flexible: true }, number('count')],
      byCount(loss.notHeld).map(({ what, count }) => [what, formatCount(count)]),
    ),
    part(
      'Columns that are not imported',
      [{ title: 'column', flexible: true }, number('values'), { title: 'file', isRemark: true }],
      loss.unusedColumns
        .toSorted((a, b) => b.filled - a.filled)
        .map(({ column, filled, file }) => [column, formatCount(filled), file]),
    ),
  ]);
  if (tables.length === 0) return [];
  return [
    heading('Not imported', { id: 'loss' }),
    paragraph('Data that the import leaves behind. It stays in the export.', { only: 'page' }),
    ...tables,
  ];
}
