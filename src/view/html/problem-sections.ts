/** What is wrong, grouped, with examples; what will not arrive although nothing is wrong; tickets to look at one by one. */

import { html } from 'hono/html';
import { fitFrame } from '../../domain/frame.ts';
import type { Problem, Severity } from '../../domain/problem.ts';
import type { SourceFrame } from '../../domain/source.ts';
import { adviceFor } from '../advice.ts';
import { countOf, formatCount } from '../format.ts';
import {
  type Column,
  cut,
  excerptSection,
  type Markup,
  moreNote,
  type Part,
  type Section,
  table,
  time,
  value,
} from './page-parts.ts';
import { type ReportData, type ReportedGroup, SHOWN } from './report-data.ts';

export function problemSection(data: ReportData): Section | undefined {
  const { problems } = data;
  if (problems === undefined || problems.total === 0) return undefined;
  const { groups } = problems;
  const rest = groups.total - groups.rows.length;
  return {
    id: 'problems',
    title: 'Problems',
    count: problems.total,
    content: html`${severityMarkup('error', groups.rows, problems.errors, data)}
${severityMarkup('warning', groups.rows, problems.warnings, data)}
${moreNote(rest, rest === 1 ? 'other kind of problem' : 'other kinds of problems')}`,
  };
}

function severityMarkup(
  severity: Severity,
  all: readonly ReportedGroup[],
  count: number,
  { kind, tickets: { rejected } }: ReportData,
): Markup {
  const groups = all.filter((group) => group.severity === severity);
  if (groups.length === 0) return html``;
  const not =
    kind === 'dry-run' ? 'would not be imported' : rejected === 1 ? 'was not imported' : 'were not imported';
  const title =
    severity === 'warning'
      ? `${countOf(count, 'warning')}: these do not stop an import`
      : rejected > 0
        ? `${countOf(rejected, 'ticket')} ${not}, because of ${countOf(count, 'error')}`
        : countOf(count, 'error');
  return html`<h3>${title}</h3>${groups.map(groupMarkup)}`;
}

function groupMarkup({ severity, code, field, count, examples, frame }: ReportedGroup): Markup {
  const advice = adviceFor(code);
  return html`<article class="problem ${severity}"><div class="times">${formatCount(count)}</div><div>
<h4>${advice?.title ?? code}${field !== undefined && html` <code>${value(field, 120)}</code>`}</h4>
${advice !== undefined && html`<p class="todo">${advice.todo}</p>`}
<ul>${[...Map.groupBy(examples, ({ message }) => message).values()].map((same, index) => exampleMarkup(same, index === 0 ? frame : undefined))}</ul>
</div></article>
`;
}

/** A sentence once, with the places that it is said of. */
function exampleMarkup(same: readonly Problem[], frame: SourceFrame | undefined): Markup {
  return html`<li>${value(same[0]?.message ?? '', 400)}<span class="where">${same.map((example, index) => [index > 0 && '; ', placeOf(example, index === 0 ? frame : undefined)])}</span>${frame !== undefined && frameMarkup(frame)}</li>`;
}

/** Columns of a line that are shown; a narrow window scrolls. */
const LINE_WIDTH = 110;

/** The line of the export, with what is wrong marked. */
function frameMarkup(frame: SourceFrame): Markup {
  const { before, marked, after } = fitFrame(frame, LINE_WIDTH);
  return html`<pre class="line" role="group" tabindex="0" aria-label="Line ${frame.line} of ${cut(frame.file, 120)}"><span class="number">${frame.line}</span><code dir="ltr">${before}<mark>${marked}</mark>${after}</code></pre>`;
}

/** Where the bad value stands, or else where its record begins. */
function placeOf({ file, line, ticket, count }: Problem, frame: SourceFrame | undefined): Part {
  const parts: Part[] = [];
  if (frame !== undefined) {
    const { column } = frame;
    parts.push(html`${value(frame.file, 120)}:${frame.line}${column !== undefined && `:${column}`}`);
  } else if (file !== undefined && file !== '')
    parts.push(html`${value(file, 120)}${line !== undefined && `:${line}`}`);
  if (ticket !== undefined) parts.push(html`ticket ${value(ticket, 120)}`);
  if (count > 1) parts.push(`${formatCount(count)} times`);
  return parts.map((part, index) => [index > 0 && ' · ', part]);
}

export function lossSection({ loss, tickets, mostRows = SHOWN.lossRows }: ReportData): Section | undefined {
  if (loss === undefined) return undefined;
  const part = (caption: string, columns: readonly Column[], rows: readonly (readonly Part[])[]) =>
    lossTable(caption, columns, rows, Math.min(mostRows, SHOWN.lossRows));
  const number = (title: string): Column => ({ title, align: 'right' });
  const remark = (title: string): Column => ({ title, isRemark: true });
  const parts = [
    part(
      'Agents without an agent id',
      [{ title: 'Agent' }, number('Messages and events'), remark('What happens')],
      byCount(loss.agentsWithoutId).map(({ agent, count, fallback }) => [
        value(agent),
        formatCount(count),
        fallback === undefined
          ? tickets.rejected > 0
            ? html`<span class="tag bad">their tickets are rejected</span>`
            : 'no agent is named'
          : html`sent on behalf of ${value(fallback)}`,
      ]),
    ),
    part(
      'Values that are in no value map',
      [{ title: 'Value' }, { title: 'Field' }, number('Count'), remark('What happens')],
      byCount(loss.unmappedValues).map(({ field, value: unmapped, count, action }) => [
        value(unmapped),
        field,
        formatCount(count),
        action === 'error' || action === 'rejected'
          ? html`<span class="tag bad">rejected</span>`
          : value(action),
      ]),
    ),
    part(
      'Authors known neither as agent nor as customer',
      [{ title: 'Author' }, number('Messages')],
      byCount(loss.unknownAuthors).map(({ author, count }) => [value(author), formatCount(count)]),
    ),
    part(
      'Fields that the helpdesk has no place for',
      [{ title: 'Field' }, number('Count')],
      byCount(loss.notHeld).map(({ what, count }) => [value(what), formatCount(count)]),
    ),
    part(
      'Columns that no rule uses',
      [{ title: 'Column' }, number('Rows that fill it'), remark('File')],
      loss.unusedColumns
        .toSorted((a, b) => b.filled - a.filled)
        .map(({ column, filled, file }) => [value(column), formatCount(filled), value(file, 120)]),
    ),
  ].filter((markup) => markup !== undefined);
  if (parts.length === 0) return undefined;
  return {
    id: 'loss',
    title: 'What will not arrive',
    content: html`<p class="intro">Data of the source that the import leaves behind. Nothing of it is lost in the source.</p>
${parts}`,
  };
}

function byCount<T extends { readonly count: number }>(rows: readonly T[]): T[] {
  return rows.toSorted((a, b) => b.count - a.count);
}

function lossTable(
  caption: string,
  columns: readonly Column[],
  rows: readonly (readonly Part[])[],
  most: number,
): Markup | undefined {
  if (rows.length === 0) return undefined;
  return table({
    caption,
    columns,
    rows: rows.slice(0, most),
    more: rows.length - most,
  });
}

export function doubtSection({ inDoubt }: ReportData): Section | undefined {
  return excerptSection(inDoubt, {
    id: 'in-doubt',
    title: 'Tickets in doubt',
    intro: html`These were sent, and no answer says whether they arrived. They are not sent again before that is known. Look for each in the helpdesk by its subject, contact and time; <code>helpdesk-import resolve</code> settles them.`,
    columns: [{ title: 'Ticket' }, { title: 'What to look for' }, { title: 'Sent' }],
    row: ({ externalId, subject, email, createdAt, sentAt, reason }) => [
      value(externalId),
      html`${subject !== undefined && value(subject)}<br><span class="soft">${joined([
        email !== undefined && value(email),
        createdAt !== undefined && html`created ${time(createdAt)}`,
      ])}</span>${reason !== undefined && html`<br><span class="soft">${value(reason)}</span>`}`,
      sentAt === undefined ? '–' : time(sentAt),
    ],
  });
}

export function failedSection({ failed }: ReportData): Section | undefined {
  return excerptSection(failed, {
    id: 'failed',
    title: 'Tickets that the helpdesk refused',
    intro: `The next run tries ${failed.total === 1 ? 'it' : 'them'} again, and sends only what is missing. ${countOf(failed.total, 'ticket')} with the reason that was given:`,
    columns: [{ title: 'Ticket' }, { title: 'In the helpdesk' }, { title: 'Reason' }],
    row: ({ externalId, ticketId, code, status, reason }) => [
      value(externalId),
      ticketId === undefined ? html`<span class="soft">no</span>` : html`${value(ticketId)}, incomplete`,
      html`${value(reason)}<br><span class="soft">${adviceFor(code)?.title ?? code}${status !== undefined && ` (HTTP ${status})`}</span>`,
    ],
  });
}

function joined(parts: readonly Part[]): Part {
  return parts.filter((part) => part !== false).map((part, index) => [index > 0 && ' · ', part]);
}
