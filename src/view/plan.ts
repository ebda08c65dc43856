/**
 * The plan of a dry run: what is in the export, how values are mapped, what would be sent and how long it would take, and
 * what is not imported. A support lead signs this off, so it says everything and sends nothing.
 */
import { ACTOR_TYPES, CONTENT_TYPES, TICKET_PRIORITIES, TICKET_STATUSES } from '../domain/payload.ts';
import type { LossReport, MappingRow, MonthRow, Survey, TargetLook } from '../domain/survey.ts';
import {
  type Block,
  blocks,
  type Column,
  counts,
  type Fact,
  facts,
  flexible,
  heading,
  type Line,
  list,
  type Of,
  paragraph,
  present,
  remark,
  section,
  table,
} from './blocks.ts';
import { countOf, formatCount, formatDay, formatEstimate, idsAndNames } from './format.ts';
import { planOf, type RunView, SHOWN } from './run-view.ts';
import { contentFacts } from './summary.ts';

export function planBlocks(view: RunView): Block[] {
  const { survey, loss } = view;
  if (survey === undefined) return [];
  const trial = survey.trial.map(({ externalId, why }) => `${externalId}: ${why.join('; ')}`);
  return blocks(
    heading(`Plan for ${countOf(survey.tickets.read, 'ticket')}`),
    facts([
      ...sourceFacts(view),
      ...contentFacts(view),
      channelFact(survey),
      toSendFact(view),
      ...costFacts(view),
    ]),
    lookBlocks(view),
    mappingBlocks(survey),
    monthBlocks(survey.months),
    lossBlocks(loss),
    section('A trial would import', trial.length > 0 && list('bullets', trial)),
  );
}

/** The first few, and how many more there are. */
function firstOf(names: readonly string[], most: number): string {
  const more = names.length - most;
  return `${names.slice(0, most).join(', ')}${more > 0 ? ` and ${formatCount(more)} more` : ''}`;
}

export function sourceFacts({ files, layout, survey }: RunView): (Fact | false)[] {
  const { firstCreatedAt: first, lastCreatedAt: last } = survey ?? {};
  const named = firstOf(files, 3);
  return [
    files.length > 0 && { label: 'from', value: layout === undefined ? named : `${named} (${layout})` },
    first !== undefined &&
      last !== undefined && { label: 'created', value: `${formatDay(first)} to ${formatDay(last)}` },
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
  const remarks = present([...named, more > 0 && countOf(more, 'more', 'more')]);
  return channels.length > 0 && { label: 'channels', value: formatCount(channels.length), remarks };
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
  const { requests, estimatedSeconds: seconds } = plan;
  return [
    {
      label: 'requests',
      value: formatCount(requests.total),
      remarks: present([
        requests.reads > 0 && `up to ${formatCount(requests.reads)} of them to read`,
        requests.checks > 0 && `and up to ${formatCount(requests.checks)} to check the helpdesk`,
      ]),
    },
    seconds !== undefined && {
      label: 'time',
      value: `about ${formatEstimate(seconds * 1000)}`,
      remarks: [view.rate === undefined ? 'at least' : `at ${view.rate}`],
    },
  ];
}

/** What the helpdesk was asked; only what it answered. */
export function lookBlocks({ summary }: RunView): Block[] {
  const look = summary?.look;
  const shown = look?.target === undefined ? [] : lookFacts(look);
  return section(heading('In the helpdesk', { id: 'look' }), shown.length > 0 && facts(shown));
}

function lookFacts({ agents, team, contacts, tickets }: TargetLook): Fact[] {
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
      remarks: present([
        contacts.renamed > 0 && `${formatCount(contacts.renamed)} with another name, to be replaced`,
      ]),
    },
    tickets !== undefined && {
      label: 'tickets',
      value:
        tickets.ofSource === 0 ? 'none of this source' : `${formatCount(tickets.ofSource)} of this source`,
      remarks: present([
        tickets.unknown > 0 &&
          `${formatCount(tickets.unknown)} of this export that the checkpoint does not have`,
      ]),
    },
  ]);
}

/** By kind: its title, and what the helpdesk takes; another value is an error of its ticket. */
const KINDS: Readonly<Record<MappingRow['kind'], readonly [title: string, taken: readonly string[]]>> = {
  status: ['Status', TICKET_STATUSES],
  priority: ['Priority', TICKET_PRIORITIES],
  actor: ['Author', ACTOR_TYPES],
  contentType: ['Content type', CONTENT_TYPES],
};
/** Rows of one kind that are shown. */
const MOST_ROWS = 12;

export function mappingBlocks({ mapping, mappingLeftOut }: Survey): Block[] {
  const nothing = { text: '(nothing)', tone: 'soft' } as const;
  const rows = Object.entries(KINDS).flatMap(([kind, [title, taken]]) =>
    mapping
      .filter((row) => row.kind === kind)
      .slice(0, MOST_ROWS)
      .map(({ from, to, count }, index): (Line | number)[] => [
        { text: index === 0 ? title : '', tone: 'strong' },
        from || nothing,
        to === '' ? nothing : taken.includes(to) ? to : { text: `${to}: rejected`, tone: 'bad' },
        count,
      ]),
  );
  const columns = ['field', flexible('in the export'), flexible('becomes'), counts('count')];
  const more = mappingLeftOut + mapping.length - rows.length;
  return section(
    heading('How values are mapped', { id: 'mapping' }),
    rows.length > 0 && table({ columns, rows, more }),
  );
}

/** Nothing where nothing is lost. */
export function lossBlocks(loss: LossReport | undefined): Block[] {
  if (loss === undefined) return [];
  /** A row has its count; the most frequent first. */
  const part = (
    caption: string,
    columns: readonly (Column | string)[],
    rows: readonly (readonly (Line | number)[])[],
  ) => {
    const countOf = (row: readonly (Line | number)[]) => Number(row.find((cell) => typeof cell === 'number'));
    const sorted = rows.toSorted((a, b) => countOf(b) - countOf(a));
    return rows.length > 0 && table({ caption, columns, rows: sorted, most: SHOWN.rows });
  };
  const noFallback = { text: 'no fallback agent', tone: 'warn' } as const;
  const tables = blocks(
    part(
      'Agents without an agent ID',
      [flexible('agent'), counts('messages and events'), remark('sent as')],
      loss.agentsWithoutId.map(({ agent, count, fallback }) => [agent, count, fallback ?? noFallback]),
    ),
    part(
      'Unmapped values',
      ['field', flexible('value'), counts('count'), remark('what happens')],
      loss.unmappedValues.map(({ field, value, count, action }) => [field, `"${value}"`, count, action]),
    ),
    part(
      'Unknown authors',
      [flexible('author'), counts('messages')],
      loss.unknownAuthors.map(({ author, count }) => [author, count]),
    ),
    part(
      'Fields with no equivalent in the helpdesk',
      [flexible('field'), counts('count')],
      loss.notHeld.map(({ what, count }) => [what, count]),
    ),
    part(
      'Columns that are not imported',
      [flexible('column'), counts('values'), remark('file')],
      loss.unusedColumns.map(({ column, filled, file }) => [column, filled, file]),
    ),
  );
  const intro = paragraph('Data that the import leaves behind. It stays in the export.', { only: 'page' });
  return section(heading('Not imported', { id: 'loss' }), tables.length > 0 && [intro, tables]);
}

/** Columns of the chart, with the next coarser step beyond; of years the newest are shown. */
const MOST_COLUMNS = 24;
const MOST_YEARS = 48;
const STEPS = [
  { name: 'month', months: 1 },
  { name: 'quarter', months: 3 },
  { name: 'year', months: 12 },
] as const;

export function monthBlocks(months: readonly MonthRow[]): Block[] {
  const chart = monthChart(months);
  return chart === undefined ? [] : [heading(chart.title, { id: 'tickets' }), chart];
}

/** Tickets over time, without gaps: a month without a ticket is a column with 0. Undefined without a month. */
export function monthChart(months: readonly MonthRow[]): Of<'chart'> | undefined {
  const [from, to] = [months[0]?.month, months.at(-1)?.month];
  if (from === undefined || to === undefined) return undefined;
  const span = monthNumber(to) - monthNumber(from);
  const { name, months: size } = STEPS.find((step) => span / step.months < MOST_COLUMNS) ?? STEPS[2];
  const statuses = TICKET_STATUSES.filter((status) => months.some(({ byStatus }) => byStatus[status]));
  const columns = new Map<number, number[]>();
  const valuesAt = (month: number) => {
    const bucket = Math.floor(month / size);
    const values = columns.get(bucket) ?? Array.from({ length: statuses.length || 1 }, () => 0);
    columns.set(bucket, values);
    return values;
  };
  // A single wrong date (0001, 9999) would make thousands of empty columns: only gaps of a sane span are filled.
  if (span <= 12 * 60) for (let month = 0; month <= span; month++) valuesAt(monthNumber(from) + month);
  for (const { month, count, byStatus } of months) {
    const values = valuesAt(monthNumber(month));
    const added = statuses.length === 0 ? [count] : statuses.map((status) => byStatus[status] ?? 0);
    for (const [index, value] of added.entries()) values[index] = (values[index] ?? 0) + value;
  }
  const shown = [...columns]
    .slice(-MOST_YEARS)
    .map(([bucket, values]) => ({ label: monthLabel(bucket * size, size), values }));
  const sum = (values: readonly number[]) => values.reduce((all, value) => all + value, 0);
  const total = sum(months.map(({ count }) => count));
  const busiest = shown.reduce((best, column) => (sum(column.values) > sum(best.values) ? column : best));
  return {
    kind: 'chart',
    title: `Tickets by ${name}`,
    summary: `${countOf(total, 'ticket')} from ${from} to ${to}; most in ${busiest.label}: ${formatCount(sum(busiest.values))}.`,
    header: `${name.charAt(0).toUpperCase()}${name.slice(1)}`,
    series:
      statuses.length === 0
        ? [{ label: 'tickets', swatch: 'plain' }]
        : statuses.map((status) => ({ label: status, swatch: status })),
    columns: shown,
  };
}

/** Of `2024-03`: months since the year 0. */
function monthNumber(month: string): number {
  return Number(month.slice(0, 4)) * 12 + Number(month.slice(5, 7)) - 1;
}

function monthLabel(month: number, size: number): string {
  const year = String(Math.floor(month / 12)).padStart(4, '0');
  if (size === 12) return year;
  if (size === 3) return `${year} Q${Math.floor((month % 12) / 3) + 1}`;
  return `${year}-${String((month % 12) + 1).padStart(2, '0')}`;
}
