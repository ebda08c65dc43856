/**
 * What the sections of a report are made of: markup, tables, facts, notes. The report holds texts of an export, of
 * strangers, in every corner: `html` escapes whatever a template takes in, unless it is markup itself.
 */
import { html } from 'hono/html';
import { formatCount } from '../format.ts';

/** Escaped markup, as hono's `html` makes it. */
export type Markup = ReturnType<typeof html>;

/** What a template takes: nothing for undefined, null and false; lists one part behind the other. */
export type Part = Markup | string | number | undefined | null | false | readonly Part[];

/** Characters that no document may hold, and those that mean something to a terminal: line feed and tab may stay. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this is about
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\ufffe\uffff]/g;

/** A text that may stand in a document, not yet escaped. */
export function documentText(text: string): string {
  return text.toWellFormed().replace(/\r\n?/g, '\n').replace(CONTROL, '\ufffd');
}

/** The same of all texts of a value, however deep they stand. */
export function documentTexts<T>(value: T): T {
  if (typeof value === 'string') return documentText(value) as T;
  if (Array.isArray(value)) return value.map(documentTexts) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, documentTexts(part)])) as T;
}

/** At most so many characters, an ellipsis behind what was cut; never within a character. */
export function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  const end = /[\ud800-\udbff]/.test(text[most - 1] ?? '') ? most - 1 : most;
  return `${text.slice(0, end)}…`;
}

/** The longest text from outside that stands in a line or a cell. */
const LONGEST_VALUE = 300;

/** A short text from outside: cut, and kept from turning the writing direction of what stands around it. */
export function value(text: string, most = LONGEST_VALUE): Markup {
  return html`<bdi>${cut(text, most)}</bdi>`;
}

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
  readonly align?: 'right' | undefined;
  /** Takes what is left of the width, and is soft: a remark. */
  readonly isRemark?: boolean | undefined;
}

interface TableSpec {
  /** What the table holds; always there for those who cannot see it. */
  readonly caption: string;
  readonly hideCaption?: boolean | undefined;
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly Part[])[];
  /** Rows that are not shown. */
  readonly more?: number | undefined;
}

/** The first cell of a row is its heading. What is too wide for the window scrolls, with the keyboard too. */
export function table({ caption, hideCaption = false, columns, rows, more = 0 }: TableSpec): Markup {
  const classes = columns.map(({ align, isRemark }) =>
    align === 'right' ? html` class="number"` : isRemark === true ? html` class="remark"` : '',
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

/** A section that is one table, of some of many; undefined where there are none. */
export function excerptSection<T>(
  { rows, total }: { readonly rows: readonly T[]; readonly total: number },
  spec: Pick<Section, 'id' | 'title'> & {
    readonly intro: Part;
    readonly columns: readonly Column[];
    readonly row: (entry: T) => readonly Part[];
  },
): Section | undefined {
  if (total === 0) return undefined;
  const { id, title, intro, columns, row } = spec;
  const list = table({
    caption: title,
    hideCaption: true,
    columns,
    rows: rows.map(row),
    more: total - rows.length,
  });
  return { id, title, count: total, content: html`<p class="intro">${intro}</p>\n${list}` };
}

/** `and 12 more`, where there are more. */
export function moreNote(more: number, what = 'more'): Markup {
  return more > 0 ? html`<p class="more">and ${formatCount(more)} ${what}</p>` : html``;
}

export interface Fact {
  readonly label: string;
  readonly value: Part;
}

export function facts(list: readonly (Fact | false)[]): Markup {
  const shown = list.filter((fact) => fact !== false);
  if (shown.length === 0) return html``;
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
