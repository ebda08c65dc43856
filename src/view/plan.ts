/** Source, cost, files, people, values and months of an import. */

import type { AgentOffer, MonthRow } from '../domain/decisions.ts';
import { ACTOR_TYPES, CONTENT_TYPES, TICKET_PRIORITIES, TICKET_STATUSES } from '../domain/payload.ts';
import { countOf, formatCount } from '../domain/printable.ts';
import type { MappedValue } from '../domain/ticket.ts';
import type { Facts, LookFacts } from '../plan/facts.ts';
import * as b from './blocks.ts';
import { quoteArgument } from './command-line.ts';
import { formatBytes, formatDay, formatEstimate, formatMinute, idsAndNames } from './format.ts';
import { planOf } from './run-view.ts';
import { changedKinds } from './summary.ts';
import { changesOf } from './verdict.ts';

function firstOf(names: readonly string[], most: number): string {
  const more = names.length - most;
  return `${names.slice(0, most).join(', ')}${more > 0 ? ` and ${formatCount(more)} more` : ''}`;
}

export function sourceFacts({ layout, export: content }: Facts): (b.Fact | false)[] {
  const { files, timezone, firstCreatedAt: first, lastCreatedAt: last } = content;
  const named = firstOf(files, 3);
  return [
    files.length > 0 && { label: 'from', value: layout === '' ? named : `${named} (${layout})` },
    first !== undefined &&
      last !== undefined && {
        label: 'created',
        value: [first, last].map((at) => formatDay(at, timezone)).join(' to '),
      },
  ];
}

const MOST_CHANNELS = 4;

export function channelFact({ channels }: Facts['export']): b.Fact | false {
  const [only] = channels;
  if (channels.length === 1)
    return only?.channelId !== undefined && { label: 'channel', value: only.channelId };
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

/** `Nora Kim (12) → agt_11?` */
export function offersText(offers: readonly AgentOffer[]): string {
  return offers.map(({ name, id, uses }) => `${name} (${formatCount(uses)}) → ${id}?`).join(' · ');
}

export const offerOption = ({ name, id }: AgentOffer) => `--set ${quoteArgument(`agents.${name}=${id}`)}`;

function lookFacts({ agents, team, offers, contacts, tickets }: LookFacts, later: number): b.Fact[] {
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
    offers.length > 0 && {
      label: 'by name',
      value: offersText(offers),
      remarks: [`if they are, add ${offers.map(offerOption).join(' ')}`],
    },
    contacts !== undefined && {
      label: 'customers',
      value:
        contacts.asked === 1
          ? `the first ${contacts.found > 0 ? 'exists' : 'is new'}`
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

const MOST_MONTHS = 24;
const MOST_YEARS = 48;

/** By month, or by year if there are many months. */
export function monthBlocks(months: readonly MonthRow[]): b.Block[] {
  const isLong = months.length > MOST_MONTHS;
  const periods = [...Map.groupBy(months, ({ month }) => month.slice(0, isLong ? 4 : 7))];
  const statuses = TICKET_STATUSES.filter((status) => months.some(({ byStatus }) => byStatus[status]));
  const sum = (counts: readonly number[]) => counts.reduce((all, count) => all + count, 0);
  const rows = periods
    .slice(-MOST_YEARS)
    .map(([period, of]) => [
      period,
      sum(of.map(({ count }) => count)),
      ...statuses.map((status) => sum(of.map(({ byStatus }) => byStatus[status] ?? 0))),
    ]);
  const columns = ['created', b.counts('tickets'), ...statuses.map(b.counts)];
  return b.section(
    b.heading(`Tickets by ${isLong ? 'year' : 'month'}`, { id: 'tickets' }),
    rows.length > 0 && b.table({ columns, rows }),
  );
}
