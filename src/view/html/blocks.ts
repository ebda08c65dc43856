/** `html` escapes whatever a template takes in, unless it is markup. */
import { html, raw } from 'hono/html';
import { fitFrame } from '../../domain/frame.ts';
import { formatCount } from '../../domain/printable.ts';
import {
  type Block,
  type Fact,
  type Item,
  type Line,
  type Of,
  plainText,
  spansOf,
  type Tone,
} from '../blocks.ts';
import { cut } from '../conversation/conversation.ts';
import type { Markup } from '../conversation/thread.ts';
import { conversationMarkup } from './conversation.ts';

type Part = Markup | string | undefined | false | readonly Part[];

const LONGEST = { value: 160, sentence: 300 } as const;

export interface Section {
  readonly heading: Of<'heading'>;
  readonly blocks: readonly Block[];
}

export function sectionsOf(blocks: readonly Block[]): { lead: Block[]; sections: Section[] } {
  const lead: Block[] = [];
  const sections: { heading: Of<'heading'>; blocks: Block[] }[] = [];
  for (const block of blocks) {
    if (block.only === 'screen') continue;
    if (block.kind === 'heading' && block.level === 2) sections.push({ heading: block, blocks: [] });
    else (sections.at(-1)?.blocks ?? lead).push(block);
  }
  return { lead, sections };
}

export function sectionMarkup({ heading: { id, text, count }, blocks }: Section): Markup {
  return html`<section id="${id}" aria-labelledby="${id}-title">
<h2 id="${id}-title">${text}${count !== undefined && html` <span class="count">${formatCount(count)}</span>`}</h2>
${blocksMarkup(blocks, text)}
</section>`;
}

/** `title` names tables without a caption. */
export function blocksMarkup(blocks: readonly Block[], title = ''): Markup {
  const shown = blocks.filter(({ only }) => only !== 'screen');
  const isStep = (block: Block | undefined) => block?.kind === 'command';
  return html`${shown.map((block, index) => {
    if (!isStep(block)) return html`${blockMarkup(block, title)}\n`;
    if (isStep(shown[index - 1])) return '';
    const end = shown.findIndex((other, at) => at > index && !isStep(other));
    return html`<ol class="steps">${shown.slice(index, end === -1 ? undefined : end).map((step) => blockMarkup(step, title))}</ol>\n`;
  })}`;
}

type Draw<B> = (block: B, title: string) => Markup;

const DRAW: { readonly [K in Block['kind']]: Draw<Of<K>> } = {
  heading: (block) => (block.level === 1 ? verdictMarkup(block) : html`<h3>${block.text}</h3>`),
  facts: factsMarkup,
  table: tableMarkup,
  list: listMarkup,
  paragraph: paragraphMarkup,
  command: ({ text, settings, command }) =>
    html`<li><span class="plainly">${text}</span>${settings !== undefined && html`<pre>${settings.join('\n')}</pre>`}${command !== undefined && html`<code>${command.split(' ').map((word) => html`<span>${word}</span> `)}</code>`}</li>`,
  frame: frameMarkup,
  chart: chartMarkup,
  conversation: (block) => conversationMarkup(block, blocksMarkup(block.below ?? [])),
};

function blockMarkup(block: Block, title: string): Markup {
  return (DRAW[block.kind] as Draw<Block>)(block, title);
}

function lineMarkup(line: Line, most: number = LONGEST.sentence): Part {
  return spansOf(line).map(({ text, tone, look, swatch, to }) => {
    const shown = cut(text, most);
    const inner = html`<bdi>${shown}</bdi>`;
    const linked = to === undefined ? inner : html`<a href="#${to}">${inner}</a>`;
    const classes = [look === 'tag' ? 'tag' : '', tone ?? ''].filter(Boolean).join(' ');
    return [
      swatch !== undefined && html`<i class="swatch tone-${swatch}"></i>`,
      classes === '' ? linked : html`<span class="${classes}">${linked}</span>`,
    ];
  });
}

const MARKS: Readonly<Record<'good' | 'warn' | 'bad', readonly [label: string, path: string]>> = {
  good: ['Good', '<circle cx="15" cy="15" r="14"/><path class="mark" d="M9 15.5l4.2 4L21 11"/>'],
  warn: [
    'Attention',
    '<path class="back" d="M15 2.5 28.5 26.5h-27z"/><path class="mark" d="M15 11v7M15 22v.2"/>',
  ],
  bad: ['Problems', '<circle cx="15" cy="15" r="14"/><path class="mark" d="M10.5 10.5l9 9M19.5 10.5l-9 9"/>'],
};

function verdictMarkup({ text, tone }: Of<'heading'>): Markup {
  const known = tone === 'good' || tone === 'bad' ? tone : 'warn';
  const [label, path] = MARKS[known];
  return html`<div class="verdict ${known}"><svg viewBox="0 0 30 30" role="img" aria-label="${label}">${raw(path)}</svg><h1>${text}</h1></div>`;
}

function factsMarkup({ facts, areTiles = false }: Of<'facts'>): Markup {
  if (facts.length === 0) return html``;
  const fact = ({ label, value, remarks = [], tone }: Fact) => {
    const shown = lineMarkup(value, LONGEST.value);
    const behind = remarks.map((remark) => html`<span class="soft"> ${cut(remark, LONGEST.value)}</span>`);
    return html`<div><dt>${label}</dt><dd${toned(tone)}>${areTiles ? html`<b>${shown}</b>` : shown}${behind}</dd></div>`;
  };
  return html`<dl class="${areTiles ? 'tiles' : 'facts'}">${facts.map(fact)}</dl>`;
}

function toned(tone: Tone | undefined): Part {
  return tone === undefined ? '' : html` class="${tone}"`;
}

/** Wide tables scroll, with the keyboard too. */
function tableMarkup({ caption, columns, rows, sum, more = 0, bar }: Of<'table'>, title: string): Markup {
  const classes = columns.map(({ align, isRemark }) =>
    align === 'right' ? html` class="number"` : isRemark === true ? html` class="remark"` : '',
  );
  const cell = (line: Line, index: number) =>
    index === 0 && plainText(line) !== ''
      ? html`<th scope="row">${lineMarkup(line, LONGEST.value)}</th>`
      : html`<td${classes[index]}>${lineMarkup(line, LONGEST.value)}</td>`;
  return html`${bar !== undefined && barMarkup(bar)}<div class="scroll" role="group" aria-label="${caption ?? title}" tabindex="0"><table${bar !== undefined && html` class="outcomes"`}>
<caption${caption === undefined && html` class="unseen"`}>${caption ?? title}</caption>
<thead><tr>${columns.map(({ title = '' }, index) => html`<th scope="col"${classes[index]}>${title}</th>`)}</tr></thead>
<tbody>
${rows.map((row) => html`<tr>${row.map(cell)}</tr>\n`)}${sum !== undefined && html`<tr class="sum">${sum.map(cell)}</tr>`}</tbody>
</table></div>${moreMarkup(more)}`;
}

function moreMarkup(more: number): Markup {
  return more > 0 ? html`<p class="more">and ${formatCount(more)} more</p>` : html``;
}

function barMarkup(parts: NonNullable<Of<'table'>['bar']>): Markup {
  const sum = parts.reduce((all, { count }) => all + count, 0);
  const wide = parts.map(({ count }) => Math.max(count, sum / 250));
  const total = wide.reduce((all, width) => all + width, 0);
  let x = 0;
  const boxes = parts.map(({ swatch }, index) => {
    const width = ((wide[index] ?? 0) / total) * 100;
    const box = html`<rect class="tone-${swatch}" x="${x.toFixed(3)}%" width="${width.toFixed(3)}%" y="-2" height="22"/>`;
    x += width;
    return box;
  });
  return parts.length === 0 ? html`` : html`<svg class="bar" aria-hidden="true">${boxes}</svg>`;
}

const LIST_CLASSES = { bullets: 'bullets', checks: 'checks', boxes: 'checklist', counts: '' } as const;

function listMarkup({ look, items, more = 0 }: Of<'list'>): Markup {
  const below = (item: Item) => (item.below === undefined ? '' : blocksMarkup(item.below));
  if (look === 'counts')
    return html`${items.map((item) => html`<article class="problem ${item.tone ?? 'warn'}"><div class="times">${item.lead}</div><div><h3>${lineMarkup(item.text)}</h3>${below(item)}</div></article>\n`)}${moreMarkup(more)}`;
  const lead = ({ lead: name, tone }: Item) =>
    look === 'checks'
      ? html`<span class="unseen">${tone === 'good' ? 'passed' : 'failed'}: </span>${name !== undefined && html`<b>${cut(name, LONGEST.value)}</b> `}`
      : '';
  return html`<ul class="${LIST_CLASSES[look]}">${items.map(
    (item) =>
      html`<li class="${item.tone ?? ''}"><div>${lead(item)}${lineMarkup(item.text)}${below(item)}</div></li>`,
  )}</ul>${moreMarkup(more)}`;
}

function paragraphMarkup({ text, tone, look }: Of<'paragraph'>): Markup {
  const classes = [look ?? '', tone ?? ''].filter(Boolean).join(' ');
  return html`<p class="${classes}">${lineMarkup(text)}</p>`;
}

const LINE_WIDTH = 110;

function frameMarkup({ frame }: Of<'frame'>): Markup {
  const { before, marked, after } = fitFrame(frame, LINE_WIDTH);
  return html`<pre class="line" role="group" tabindex="0" aria-label="Line ${frame.line} of ${cut(frame.file, 120)}"><span class="number">${frame.line}</span><code dir="ltr">${before}<mark>${marked}</mark>${after}</code></pre>`;
}

const HEIGHT = 170;
const TOP = 12;
const BOTTOM = 24;
const MOST_TICKS = 12;

/** Widths are percentages and heights pixels, so it fills a phone as well as a page. A table below has the same numbers. */
function chartMarkup({ title, summary, header, series, columns }: Of<'chart'>): Markup {
  const sums = columns.map(({ values }) => values.reduce((sum, value) => sum + value, 0));
  const ticks = axisTicks(Math.max(0, ...sums));
  const top = ticks.at(-1) ?? 1;
  const y = (value: number) => round(TOP + HEIGHT - (value / top) * HEIGHT);
  const axis = 14 + 7 * Math.max(...ticks.map((tick) => formatCount(tick).length));
  const slot = 100 / columns.length;
  const step = Math.ceil(columns.length / MOST_TICKS);
  const boxes = columns.map(({ values }, index) => {
    let below = 0;
    return values.map((value, at) => {
      if (value <= 0) return '';
      const [from, to] = [y(below), y(below + value)];
      below += value;
      // Something is never shown as nothing.
      const size = Math.max(1, round(from - to));
      return html`<rect class="tone-${series[at]?.swatch ?? 'plain'}" x="${round((index + 0.12) * slot)}%" width="${round(0.76 * slot)}%" y="${round(from - size)}" height="${size}"/>`;
    });
  });
  const labels = columns.map(({ label }, index) =>
    index % step !== 0
      ? ''
      : html`<text class="tick${(index / step) % 2 === 1 ? ' rare' : ''}" x="${round((index + 0.5) * slot)}%" y="${TOP + HEIGHT + 17}">${label}</text>`,
  );
  return html`<figure class="chart">
<figcaption><span>${summary}</span>${
    series.length > 1 &&
    html`<span class="legend">${series.map(({ label, swatch }) => html`<span><i class="swatch tone-${swatch}"></i>${label}</span>`)}</span>`
  }</figcaption>
<div class="plot" role="img" aria-label="${summary}">
<svg class="axis" width="${axis}" height="${TOP + HEIGHT + BOTTOM}" aria-hidden="true">${ticks.map(
    (tick) => html`<text x="${axis - 8}" y="${y(tick) + 4}" class="end">${formatCount(tick)}</text>`,
  )}</svg>
<svg class="area" width="100%" height="${TOP + HEIGHT + BOTTOM}" aria-hidden="true">
${ticks.map((tick) => html`<line class="${tick === 0 ? 'base' : 'grid'}" x1="0" x2="100%" y1="${y(tick)}" y2="${y(tick)}"/>`)}
${boxes}${labels}
</svg>
</div>
<details class="numbers"><summary>Show the numbers</summary><div class="scroll" role="group" aria-label="${title}" tabindex="0"><table>
<caption class="unseen">${title}</caption>
<thead><tr><th scope="col">${header}</th>${series.map(({ label }) => html`<th scope="col" class="number">${label}</th>`)}</tr></thead>
<tbody>${columns.map(
    ({ label, values }) =>
      html`<tr><th scope="row">${label}</th>${series.map((_, at) => html`<td class="number">${formatCount(values[at] ?? 0)}</td>`)}</tr>`,
  )}</tbody></table></div></details>
</figure>`;
}

function axisTicks(most: number): number[] {
  if (most <= 0) return [0, 1];
  const rough = most / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max(1, ([1, 2, 2.5, 5, 10].find((factor) => factor * power >= rough) ?? 10) * power);
  const whole = Number.isInteger(step) ? step : Math.ceil(step);
  return Array.from({ length: Math.ceil(most / whole) + 1 }, (_, index) => index * whole);
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
