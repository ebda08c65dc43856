/** What is in the export: tickets over time, threads, completion; and what becomes of its values and its people. */

import { html } from 'hono/html';
import { ACTOR_TYPES, CONTENT_TYPES, TICKET_PRIORITIES, TICKET_STATUSES } from '../../domain/payload.ts';
import type { MappingRow, Survey } from '../../domain/survey.ts';
import { countOf, formatBytes, formatCount, formatEstimate } from '../format.ts';
import type { Distribution } from './chart-data.ts';
import { monthChart } from './chart-data.ts';
import { columnChart } from './column-chart.ts';
import { excerptSection, facts, type Markup, moreNote, type Section, table, value } from './page-parts.ts';
import { type ReportData, SHOWN } from './report-data.ts';

export function ticketsSection(data: ReportData): Section | undefined {
  const { survey, threads, completion } = data;
  const byMonth = monthChart(survey?.months ?? []);
  const charts = [
    threads !== undefined && threads.total > 0 ? threadChart(threads, survey?.longestThread) : undefined,
    completion !== undefined && completion.total > 0 ? completionChart(completion) : undefined,
  ].filter((chart) => chart !== undefined);
  if (byMonth === undefined && charts.length === 0) return undefined;
  return {
    id: 'tickets',
    title: 'The tickets in the export',
    content: html`${byMonth !== undefined && columnChart(byMonth)}
${charts.length > 0 && html`<div class="charts">${charts}</div>`}`,
  };
}

function threadChart(
  { bins, total, median = 0 }: Distribution,
  longest: Survey['longestThread'] | undefined,
): Markup {
  const behind =
    longest === undefined
      ? ''
      : `; the longest thread has ${formatCount(longest.messages)} (ticket ${longest.externalId})`;
  return columnChart({
    title: 'Messages per ticket',
    summary: `Half of the ${countOf(total, 'ticket')} have ${countOf(median, 'message')} or fewer${behind}.`,
    header: 'Messages',
    series: [{ label: 'Tickets', tone: 'plain' }],
    columns: bins.map(({ label, count }) => ({
      label: label === '1' ? '1 message' : `${label} messages`,
      tick: label,
      values: [count],
    })),
    height: 130,
  });
}

function completionChart({ bins, total, median = 0 }: Distribution): Markup {
  return columnChart({
    title: 'Time from creation to completion',
    summary: `Of ${countOf(total, 'completed ticket')}, half took ${formatEstimate(median)} or less.`,
    header: 'Time',
    series: [{ label: 'Tickets', tone: 'plain' }],
    columns: bins.map(({ label, short, count }) => ({ label, tick: short ?? label, values: [count] })),
    height: 130,
  });
}

const MAPPING_KINDS: readonly { readonly kind: MappingRow['kind']; readonly title: string }[] = [
  { kind: 'status', title: 'Status' },
  { kind: 'priority', title: 'Priority' },
  { kind: 'actor', title: 'Author' },
  { kind: 'contentType', title: 'Content type' },
];

/** What the helpdesk takes; another value is an error of its ticket. */
const TAKEN: Readonly<Record<MappingRow['kind'], readonly string[]>> = {
  status: TICKET_STATUSES,
  priority: TICKET_PRIORITIES,
  actor: ACTOR_TYPES,
  contentType: CONTENT_TYPES,
};

export function mappingSection({ survey, mostRows = SHOWN.mappingPerKind }: ReportData): Section | undefined {
  if (survey === undefined || survey.mapping.length === 0) return undefined;
  const most = Math.min(mostRows, SHOWN.mappingPerKind);
  const { mapping, mappingLeftOut } = survey;
  const tables = MAPPING_KINDS.flatMap(({ kind, title }) => {
    const rows = mapping.filter((row) => row.kind === kind);
    if (rows.length === 0) return [];
    const isTaken = ({ to }: MappingRow) => to === '' || TAKEN[kind].includes(to);
    const kept = rows.filter((row) => row.from === row.to && isTaken(row));
    const changed = rows.filter((row) => !kept.includes(row));
    const nothing = html`<span class="soft">(nothing)</span>`;
    return html`${
      changed.length === 0
        ? html`<p class="caption">${title}</p>`
        : table({
            caption: title,
            columns: [{ title: 'In the export' }, { title: 'Becomes' }, { title: 'Count', align: 'right' }],
            rows: changed
              .slice(0, most)
              .map((row) => [
                row.from === '' ? nothing : value(row.from),
                !isTaken(row)
                  ? html`<span class="tag bad">rejected</span>`
                  : row.to === ''
                    ? nothing
                    : value(row.to),
                formatCount(row.count),
              ]),
            more: changed.length - most,
          })
    }${
      kept.length > 0 &&
      html`<p class="more">Unchanged: ${kept.slice(0, most).map(({ to, count }, index) => [index > 0 && ', ', value(to), ` (${formatCount(count)})`])}</p>`
    }`;
  });
  return {
    id: 'mapping',
    title: 'What becomes what',
    content: html`<p class="intro">Values of the source and what the helpdesk will have in their place.</p>
<div class="pairs">${tables.map((markup) => html`<div>${markup}</div>`)}</div>${moreNote(mappingLeftOut, 'rarer values are not listed')}`,
  };
}

export function contactsSection({ survey, mergedContacts }: ReportData): Section | undefined {
  return excerptSection(mergedContacts ?? { rows: [], total: survey?.contacts.merged ?? 0 }, {
    id: 'contacts',
    title: 'Contacts with several names',
    intro:
      'The helpdesk knows a contact by the address. These addresses have more than one name in the export; the newest one is taken.',
    columns: [{ title: 'Address' }, { title: 'Name that is taken' }, { title: 'Names', align: 'right' }],
    row: ({ email, name, names }) => [value(email), value(name), formatCount(names)],
  });
}

export function attachmentSection({ survey, attachmentChecks, kind }: ReportData): Section | undefined {
  const attachments = survey?.attachments;
  if (attachments === undefined || attachments.read === 0) return undefined;
  const checked = attachmentChecks !== undefined && attachmentChecks.checked > 0;
  return {
    id: 'attachments',
    title: 'Attachments',
    content: html`<p class="intro">Attachments are carried over as links: the files stay where they are, and must stay reachable there.</p>
${facts([
  { label: 'Listed in the export', value: formatCount(attachments.read) },
  attachments.bytes > 0 && { label: 'Size, as far as it is given', value: formatBytes(attachments.bytes) },
  {
    label: 'Opened to see whether they are there',
    value: checked
      ? formatCount(attachmentChecks.checked)
      : `none${kind === 'dry-run' ? '; a trial opens those of its tickets' : ''}`,
  },
  checked && {
    label: 'Cannot be opened',
    value:
      attachmentChecks.unreachable === 0
        ? html`<span class="tag good">none</span>`
        : html`<span class="tag bad">${formatCount(attachmentChecks.unreachable)}</span> see <a href="#problems">Problems</a>`,
  },
])}`,
  };
}
