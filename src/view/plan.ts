/** Source, cost, files, people, values and months of an import. */

import type { MonthRow } from '../domain/decisions.ts';
import { ACTOR_TYPES, CONTENT_TYPES, TICKET_PRIORITIES, TICKET_STATUSES } from '../domain/payload.ts';
import { countOf, formatCount } from '../domain/printable.ts';
import type { MappedValue } from '../domain/ticket.ts';
import type { Facts, LookFacts } from '../plan/facts.ts';
import * as b from './blocks.ts';
import { formatBytes, formatDay, formatEstimate, formatMinute, idsAndNames } from './format.ts';
import { planOf } from './run-view.ts';
import { changedKinds } from './summary.ts';
import { changesOf } from './verdict.ts';

function firstOf(names: readonly string[], most: number): string {
  const more = names.length - most;
  return `${names.slice(0, most).join(', ')}${more > 0 ? ` and ${formatCount(more)} more` : ''}`;
}

export function sourceFacts({ layout, export: content }: Facts): (b.Fact | false)[] {
  const { files, firstCreatedAt: first, lastCreatedAt: last } = content;
  const named = firstOf(files, 3);
  return [
    files.length > 0 && { label: 'from', value: layout === '' ? named : `${named} (${layout})` },
    first !== undefined &&
      last !== undefined && { label: 'created', value: `${formatDay(first)} to ${formatDay(last)}` },
  ];
}

const MOST_CHANNELS = 4;

export function channelFact({ channels }: Facts['export']): b.Fact | false {
  const [only] = channels;
  if (channels.length === 1) return { label: 'channel', value: only?.channelId ?? 'default' };
  const more = channels.length - MOST_CHANNELS;
  const named = channels
    .slice(0, MOST_CHANNELS)
    .map(({ channelId = 'default', tickets }) => `${channelId}: ${formatCount(tickets)}`);
  const remarks = b.present([...named, more > 0 && countOf(more, 'more', 'more')]);
  return channels.length > 0 && { label: 'channels', value: formatCount(channels.length), remarks };
}

export function toSendFact(known: Facts): b.Fact | false {
  const plan = planOf(known);
  if (plan === undefined) return false;
  const { tickets, updates } = known;
  if (tickets.update + tickets.unchanged === 0)
    return { label: 'to send', value: countOf(tickets.create, 'ticket') };
  return {
    label: 'to send',
    value: changesOf(known).slice(0, -1),
    remarks: updates && changedKinds(updates),
  };
}

export function costFacts(facts: Facts): (b.Fact | false)[] {
  const plan = planOf(facts);
  if (plan === undefined) return [];
  const { requests, estimatedSeconds: seconds, rate } = plan;
  return [
    {
      label: 'requests',
      value: formatCount(requests.total),
      remarks: b.present([
        requests.reads > 0 && `up to ${formatCount(requests.reads)} of them to read`,
        requests.checks > 0 && `and up to ${formatCount(requests.checks)} to check the helpdesk`,
      ]),
    },
    seconds !== undefined && {
      label: 'time',
      value: `about ${formatEstimate(seconds * 1000)}`,
      remarks: [rate === undefined ? 'at least' : `at ${rate}`],
    },
  ];
}

const MOST_HOSTS = 5;

export function fileBlocks({ files, attachments: { stored, hosts }, isDelta }: Facts): b.Block[] {
  if (files === undefined) return [];
  const { wanted, waiting, sized, bytes, expired, ending, first = '', last = '' } = files;
  return [
    b.heading('Files'),
    b.facts([
      {
        label: 'to fetch',
        value: countOf(wanted, 'file'),
        remarks: b.present([
          bytes !== undefined && `about ${formatBytes(bytes)}, by the size of ${formatCount(sized)}`,
          `${formatCount(stored)} already fetched`,
        ]),
      },
      wanted > 0 && {
        label: 'from',
        value: firstOf(
          hosts.map(({ host, files }) => `${host}: ${formatCount(files)}`),
          MOST_HOSTS,
        ),
      },
      waiting > 0 && {
        label: 'waiting',
        value: `${countOf(waiting, 'ticket')} in the helpdesk for missing files`,
        remarks: [isDelta ? 'sent again once they are fetched' : 'run --delta sends them again'],
      },
      ending > 0 && {
        label: 'signatures',
        value: `${countOf(ending, 'file')}, from ${formatMinute(first)} to ${formatMinute(last)}`,
        remarks: ['fetch them before that'],
      },
      expired > 0 && {
        label: 'expired',
        value: countOf(expired, 'file'),
        remarks: ['export again and fetch the files right away'],
      },
    ]),
  ];
}

export function lookBlocks({ people: { look, later } }: Facts): b.Block[] {
  const shown = look === undefined ? [] : lookFacts(look, later);
  return b.section(b.heading('In the helpdesk', { id: 'look' }), shown.length > 0 && b.facts(shown));
}

function lookFacts({ agents, team, contacts, tickets }: LookFacts, later: number): b.Fact[] {
  const unknown = agents.unknown.slice(0, 3).join(', ');
  return b.present<b.Fact>([
    agents.asked > 0 && {
      label: 'agents',
      value: `${formatCount(agents.found)} of ${formatCount(agents.asked)}`,
      remarks: b.present([
        'found by their address',
        unknown !== '' && `not ${unknown}${agents.unknown.length > 3 ? ' …' : ''}`,
      ]),
    },
    later > 0 && { label: 'later', value: `${countOf(later, 'agent')} looked up at import` },
    team !== undefined && { label: 'agent IDs', value: idsAndNames(team.first, team.total) },
    contacts !== undefined && {
      label: 'customers',
      value:
        contacts.asked === 1
          ? `the first ${contacts.found === 1 ? 'exists' : 'is new'}`
          : `${formatCount(contacts.found)} of the first ${formatCount(contacts.asked)} exist`,
      remarks: b.present([
        contacts.renamed > 0 && `${formatCount(contacts.renamed)} with another name, which stays`,
      ]),
    },
    tickets !== undefined && {
      label: 'tickets',
      value:
        tickets.ofSource === 0
          ? 'none of this source'
          : `${tickets.isMore ? 'more than ' : ''}${countOf(tickets.ofSource, 'ticket')} of this source`,
      remarks: b.present([
        tickets.unknown > 0 &&
          `${formatCount(tickets.unknown)} of this export that the checkpoint does not have`,
      ]),
    },
  ]);
}

const KINDS: Readonly<Record<MappedValue['kind'], readonly [title: string, taken: readonly string[]]>> = {
  status: ['Status', TICKET_STATUSES],
  priority: ['Priority', TICKET_PRIORITIES],
  actor: ['Author', ACTOR_TYPES],
  contentType: ['Content type', CONTENT_TYPES],
};
const MOST_ROWS = 12;

export function mappingBlocks({ mapping, mappingLeftOut }: Facts): b.Block[] {
  const nothing = { text: '(nothing)', tone: 'soft' } as const;
  const rows = Object.entries(KINDS).flatMap(([kind, [title, taken]]) =>
    mapping
      .filter((row) => row.kind === kind)
      .slice(0, MOST_ROWS)
      .map(({ from, to, count }, index): (b.Line | number)[] => [
        { text: index === 0 ? title : '', tone: 'strong' },
        from || nothing,
        to === '' ? nothing : taken.includes(to) ? to : { text: `${to}: rejected`, tone: 'bad' },
        count,
      ]),
  );
  const columns = ['field', b.flexible('in the export'), b.flexible('becomes'), b.counts('count')];
  const more = mappingLeftOut + mapping.length - rows.length;
  return b.section(
    b.heading('How values are mapped', { id: 'mapping' }),
    rows.length > 0 && b.table({ columns, rows, more }),
  );
}

const MOST_COLUMNS = 24;
const MOST_YEARS = 48;
const STEPS = [
  { name: 'month', months: 1 },
  { name: 'quarter', months: 3 },
  { name: 'year', months: 12 },
] as const;

export function monthBlocks(months: readonly MonthRow[]): b.Block[] {
  const chart = monthChart(months);
  return chart === undefined ? [] : [b.heading(chart.title, { id: 'tickets' }), chart];
}

export function monthChart(months: readonly MonthRow[]): b.Of<'chart'> | undefined {
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

function monthNumber(month: string): number {
  return Number(month.slice(0, 4)) * 12 + Number(month.slice(5, 7)) - 1;
}

function monthLabel(month: number, size: number): string {
  const year = String(Math.floor(month / 12)).padStart(4, '0');
  if (size === 12) return year;
  if (size === 3) return `${year} Q${Math.floor((month % 12) / 3) + 1}`;
  return `${year}-${String((month % 12) + 1).padStart(2, '0')}`;
}
