/**
 * The dry run's plan on screen: what is in the export, what maps to what, what would be sent and how long it would take,
 * and what would not arrive. A support lead signs this off, so it says everything and sends nothing.
 */
import { printable } from '../../domain/printable.ts';
import type { LossReport, MappingRow, Survey, TargetLook } from '../../domain/survey.ts';
import { countOf, formatBytes, formatCount, formatDay, formatEstimate, idsAndNames } from '../format.ts';
import { monthLines } from './month-chart.ts';
import type { Style } from './style.ts';
import { type Cell, type Column, type Fact, factLines, heading, tableLines, wrap } from './text-block.ts';

interface PlanViewInput {
  readonly survey: Survey;
  readonly loss?: LossReport;
  /** e.g. `native`. */
  readonly layout: string;
  /** As the user named them. */
  readonly files: readonly string[];
  /** The budget behind the estimate, e.g. `1000/60 and 5000/300`; absent where there is none. */
  readonly rate?: string | undefined;
  readonly look?: TargetLook | undefined;
}

/** Lines. Outcomes and problems are the summary's (summary-view.ts). */
export function planLines(input: PlanViewInput, style: Style): string[] {
  const { survey } = input;
  return [
    style.bold(`Plan for ${countOf(survey.tickets.read, 'ticket')}`),
    ...factLines(facts(input, style), style),
    ...(input.look?.target === undefined ? [] : lookLines(input.look, style)),
    ...mappingLines(survey, style),
    ...monthLines(survey.months, style),
    ...(input.loss === undefined ? [] : lossLines(input.loss, style)),
    ...trialPickLines(survey, style),
  ];
}

function facts({ survey, layout, files, rate }: PlanViewInput, style: Style): Fact[] {
  const { messages, events, attachments, contacts, requests, batches, orphans, longestThread } = survey;
  const list = (...parts: readonly (string | false)[]) => parts.filter((part) => part !== false).join(', ');
  const named = `${files.slice(0, 3).join(', ')}${files.length > 3 ? ` and ${files.length - 3} more` : ''}`;
  const found: (Fact | false)[] = [
    { label: 'from', text: `${named} (${layout})` },
    survey.firstCreatedAt !== undefined &&
      survey.lastCreatedAt !== undefined && {
        label: 'created',
        text: `${formatDay(survey.firstCreatedAt)} to ${formatDay(survey.lastCreatedAt)}`,
      },
    {
      label: 'messages',
      text: list(
        `${formatCount(messages.read)}${messages.internal > 0 ? ` (${countOf(messages.internal, 'internal note')})` : ''}`,
        longestThread !== undefined &&
          `longest thread ${formatCount(longestThread.messages)} (ticket ${longestThread.externalId})`,
      ),
    },
    { label: 'events', text: formatCount(events.read) },
    survey.channels.length > 0 && { label: 'channels', text: channelText(survey.channels) },
    {
      label: 'attachments',
      text: `${formatCount(attachments.read)}${attachments.bytes > 0 ? ` (${formatBytes(attachments.bytes)})` : ''}`,
    },
    {
      label: 'contacts',
      text: list(
        `${formatCount(contacts.distinct)} different`,
        contacts.merged > 0 && `${formatCount(contacts.merged)} with several names (the newest is taken)`,
      ),
    },
    orphans.messages + orphans.events > 0 && {
      label: 'without ticket',
      text: list(
        orphans.messages > 0 && countOf(orphans.messages, 'message'),
        orphans.events > 0 && countOf(orphans.events, 'event'),
      ),
      paint: style.yellow,
    },
    ...survey.skippedBecause.map(({ reason, count }) => ({
      label: 'skipped',
      text: `${formatCount(count)}: ${reason}`,
    })),
    {
      label: 'to send',
      text: list(
        countOf(requests.creates, 'ticket'),
        `${formatCount(requests.messages)} with messages`,
        `${formatCount(requests.events)} with events`,
        requests.updates > 0 &&
          `${formatCount(requests.updates)} with a new status, priority, assignee or tags`,
        `in ${countOf(batches.count, 'batch', 'batches')} of ${formatCount(batches.size)}`,
      ),
    },
    {
      label: 'requests',
      text: list(
        formatCount(requests.total),
        requests.reads > 0 && `of them up to ${formatCount(requests.reads)} to read what is there`,
        requests.checks > 0 &&
          `and up to ${formatCount(requests.checks)} to recognise the target and to count`,
      ),
      paint: style.bold,
    },
    survey.estimatedSeconds !== undefined &&
      requests.total > 0 && {
        label: 'time',
        text: `about ${formatEstimate(survey.estimatedSeconds * 1000)}${rate === undefined ? '' : ` at ${rate}`}`,
        paint: style.bold,
      },
  ];
  return found.filter((fact) => fact !== false);
}

/** Channels that are named. */
const MOST_CHANNELS = 6;

/** A channel decides whether a ticket can be answered, and from which address. */
export function channelText(channels: Survey['channels']): string {
  const shown = channels
    .slice(0, MOST_CHANNELS)
    .map(
      ({ channelId, tickets }) =>
        `${channelId ?? 'the default channel of the helpdesk'} ${formatCount(tickets)}`,
    );
  const more = channels.length - shown.length;
  return `${shown.join(', ')}${more > 0 ? ` and ${countOf(more, 'more', 'more')}` : ''}`;
}

/** What the target was asked; only what it told. */
export function lookFacts({ agents, team, contacts, tickets }: TargetLook): Fact[] {
  const found: (Fact | false)[] = [
    agents.asked > 0 && {
      label: 'agents',
      text: `${formatCount(agents.found)} of ${formatCount(agents.asked)} without an ID in the settings are known by their address${agents.unknown.length === 0 ? '' : `; not ${agents.unknown.slice(0, 3).join(', ')}${agents.unknown.length > 3 ? ' …' : ''}`}`,
    },
    agents.later > 0 && { label: '', text: `${formatCount(agents.later)} looked up at import` },
    team !== undefined && { label: 'agent IDs', text: idsAndNames(team.first, team.total) },
    contacts !== undefined && {
      label: 'contacts',
      text: `${formatCount(contacts.found)} of the first ${formatCount(contacts.asked)} exist${contacts.renamed === 0 ? '' : `, ${formatCount(contacts.renamed)} with another name, which the import replaces`}`,
    },
    tickets !== undefined && {
      label: 'tickets',
      text:
        tickets.ofSource === 0
          ? 'none of this source yet'
          : `${formatCount(tickets.ofSource)} of this source${tickets.unknown === 0 ? '' : `, ${formatCount(tickets.unknown)} of this export that the checkpoint does not know`}`,
    },
  ];
  return found.filter((fact) => fact !== false);
}

function lookLines(look: TargetLook, style: Style): string[] {
  const found = lookFacts(look);
  return found.length === 0 ? [] : [...heading('In the target', style), ...factLines(found, style)];
}

const KINDS: readonly { readonly kind: MappingRow['kind']; readonly title: string }[] = [
  { kind: 'status', title: 'Status' },
  { kind: 'priority', title: 'Priority' },
  { kind: 'actor', title: 'Author' },
  { kind: 'contentType', title: 'Content type' },
];
const MAPPING_COLUMNS: readonly Column[] = [
  {},
  { header: 'in the export', flexible: true },
  {},
  { header: 'becomes', flexible: true },
  { header: 'count', align: 'right' },
];
/** Rows of one kind that are shown. */
const MOST_ROWS = 12;

function mappingLines({ mapping, mappingLeftOut }: Survey, style: Style): string[] {
  if (mapping.length === 0) return [];
  const rows: Cell[][] = [];
  let hidden = mappingLeftOut;
  for (const { kind, title } of KINDS) {
    const ofKind = mapping.filter((row) => row.kind === kind);
    hidden += Math.max(0, ofKind.length - MOST_ROWS);
    for (const [index, { from, to, count }] of ofKind.slice(0, MOST_ROWS).entries())
      rows.push([
        { text: index === 0 ? title : '', paint: style.bold },
        from === '' ? { text: '(nothing)', paint: style.dim } : from,
        { text: style.symbols.arrow, paint: style.dim },
        to,
        formatCount(count),
      ]);
  }
  return [
    ...heading('What maps to what', style),
    ...tableLines(rows, MAPPING_COLUMNS, style),
    ...(hidden === 0 ? [] : [style.dim(`  and ${countOf(hidden, 'rarer value')}`)]),
  ];
}

function trialPickLines({ trial }: Survey, style: Style): string[] {
  if (trial.length === 0) return [];
  return [
    ...heading('A trial would take', style),
    ...trial.flatMap(({ externalId, why }) =>
      wrap(printable(`${externalId}: ${why.join('; ')}`), style, {
        indent: 2,
        lead: `${style.symbols.bullet} `,
      }),
    ),
  ];
}

/** Rows of each part that are shown. */
const MOST_LOST = 10;

/** Lines; none where nothing is lost. */
function lossLines(loss: LossReport, style: Style): string[] {
  const parts = [
    part(
      'Columns that no rule uses',
      [{ flexible: true }, { align: 'right' }, { flexible: true }],
      loss.unusedColumns
        .toSorted((a, b) => b.filled - a.filled)
        .map(({ column, filled, file }) => [
          column,
          `${formatCount(filled)} filled`,
          { text: file, paint: style.dim },
        ]),
      style,
    ),
    part(
      'Values that are in no value map',
      [{}, { flexible: true }, { align: 'right' }, { flexible: true }],
      loss.unmappedValues
        .toSorted((a, b) => b.count - a.count)
        .map(({ field, value, count, action }) => [
          field,
          `"${value}"`,
          formatCount(count),
          { text: action, paint: style.dim },
        ]),
      style,
    ),
    part(
      'Agents without an agent id',
      [{ flexible: true }, { align: 'right' }, { flexible: true }],
      loss.agentsWithoutId
        .toSorted((a, b) => b.count - a.count)
        .map(({ agent, count, fallback }) => [
          agent,
          formatCount(count),
          fallback === undefined
            ? { text: 'no fallback agent', paint: style.yellow }
            : { text: `${style.symbols.arrow} ${fallback}`, paint: style.dim },
        ]),
      style,
    ),
    part(
      'Authors known neither as agent nor as customer',
      [{ flexible: true }, { align: 'right' }],
      loss.unknownAuthors
        .toSorted((a, b) => b.count - a.count)
        .map(({ author, count }) => [author, formatCount(count)]),
      style,
    ),
    part(
      'Fields that the service has no place for',
      [{ flexible: true }, { align: 'right' }],
      loss.notHeld.toSorted((a, b) => b.count - a.count).map(({ what, count }) => [what, formatCount(count)]),
      style,
    ),
  ].flat();
  return parts.length === 0 ? [] : [...heading('What will not arrive', style), ...parts];
}

function part(
  title: string,
  columns: readonly Column[],
  rows: readonly (readonly Cell[])[],
  style: Style,
): string[] {
  if (rows.length === 0) return [];
  const hidden = rows.length - MOST_LOST;
  return [
    `  ${style.yellow(title)}`,
    ...tableLines(rows.slice(0, MOST_LOST), columns, style, 4),
    ...(hidden > 0 ? [style.dim(`    and ${countOf(hidden, 'more', 'more')}`)] : []),
  ];
}
