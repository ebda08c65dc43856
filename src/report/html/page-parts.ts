/** Pieces that the sections of a report are made of: tables, facts, notes. */
import { formatCount } from '../format.ts';
import { html, type Markup, NOTHING, type Part } from './markup.ts';

/** One section of the report, with its entry in the contents. */
export interface Section {
  readonly id: string;
  readonly title: string;
  /** Behind the title: a count. */
  readonly count?: number | undefined;
  readonly content: Markup;
}

export function sectionMarkup({ id, title, count, content }: Section): Markup {
  return html`<section id="${id}" aria-labelledby="${id}-title">
<h2 id="${id}-title">${title}${count !== undefined && html` <span class="count">${formatCount(count)}</span>`}</h2>
${content}
</section>`;
}

export interface Column {
  readonly title: string;
  readonly align?: 'right';
  /** Takes what is left of the width, and is soft: a remark. */
  readonly isRemark?: boolean;
}

export interface TableSpec {
  /** What the table holds; always there for those who cannot see it. */
  readonly caption: string;
  readonly hideCaption?: boolean;
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly Part[])[];
  /** Rows that are not shown. */
  readonly more?: number;
}

/** The first cell of a row is its heading. What is too wide for the window scrolls, with the keyboard too. */
export function table({ caption, hideCaption = false, columns, rows, more = 0 }: TableSpec): Markup {
  const classes = columns.map(({ align, isRemark }) =>
    align === 'right' ? html` class="number"` : isRemark === true ? html` class="remark"` : NOTHING,
  );
  const cell = (content: Part, index: number) =>
    index === 0 ? html`<th scope="row">${content}</th>` : html`<td${classes[index]}>${content}</td>`;
  return html`<div class="scroll" role="group" aria-label="${caption}" tabindex="0"><table>
<caption${hideCaption && html` class="unseen"`}>${caption}</caption>
<thead><tr>${columns.map(({ title }, index) => html`<th scope="col"${classes[index]}>${title}</th>`)}</tr></thead>
<tbody>
${rows.map((row) => html`<tr>${row.map(cell)}</tr>\n`)}</tbody>
</table></div>${moreNote(more)}`;
}

/** `and 12 more`, where there are more. */
export function moreNote(more: number, what = 'more'): Markup {
  return more > 0 ? html`<p class="more">and ${formatCount(more)} ${what}</p>` : NOTHING;
}

export interface Fact {
  readonly label: string;
  readonly value: Part;
}

export function facts(list: readonly (Fact | false)[]): Markup {
  const shown = list.filter((fact) => fact !== false);
  if (shown.length === 0) return NOTHING;
  return html`<dl class="facts">${shown.map(
    ({ label, value }) => html`<div><dt>${label}</dt><dd>${value}</dd></div>`,
  )}</dl>`;
}

/** `2024-03-05 10:22 UTC` of an ISO-8601 time in UTC; the exact one stands in the element. */
export function time(iso: string): Markup {
  return html`<time datetime="${iso}">${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC</time>`;
}

/** The same of milliseconds since the epoch. */
export function timeOf(milliseconds: number): Markup {
  const date = new Date(milliseconds);
  return Number.isNaN(date.getTime()) ? html`–` : time(date.toISOString());
}
