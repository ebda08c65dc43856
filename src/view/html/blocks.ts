/** `html` escapes whatever a template takes in, unless it is markup. */
import { html, raw } from 'hono/html';
import { fitFrame } from '../../domain/frame.ts';
import { formatCount } from '../../domain/printable.ts';
import * as b from '../blocks.ts';
import { isCommand, partsOf } from '../command-line.ts';
import { cut } from '../conversation/conversation.ts';
import type { Markup } from '../conversation/thread.ts';
import { conversationMarkup } from './conversation.ts';

type Part = Markup | string | undefined | false | readonly Part[];

const LONGEST = { value: 160, sentence: 300 } as const;

export interface Section {
  readonly heading: b.Of<'heading'>;
  readonly blocks: readonly b.Block[];
}

export function sectionsOf(blocks: readonly b.Block[]): { lead: b.Block[]; sections: Section[] } {
  const lead: b.Block[] = [];
  const sections: { heading: b.Of<'heading'>; blocks: b.Block[] }[] = [];
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
export function blocksMarkup(blocks: readonly b.Block[], title = ''): Markup {
  const shown = blocks.filter(({ only }) => only !== 'screen');
  const isStep = (block: b.Block | undefined) => block?.kind === 'command';
  return html`${shown.map((block, index) => {
    if (!isStep(block)) return html`${blockMarkup(block, title)}\n`;
    if (isStep(shown[index - 1])) return '';
    const end = shown.findIndex((other, at) => at > index && !isStep(other));
    return html`<ol class="steps">${shown.slice(index, end === -1 ? undefined : end).map((step) => blockMarkup(step, title))}</ol>\n`;
  })}`;
}

type Draw<B> = (block: B, title: string) => Markup;

const DRAW: { readonly [K in b.Block['kind']]: Draw<b.Of<K>> } = {
  heading: (block) => (block.level === 1 ? verdictMarkup(block) : html`<h3>${block.text}</h3>`),
  facts: factsMarkup,
  table: tableMarkup,
  list: listMarkup,
  paragraph: paragraphMarkup,
  command: ({ text, settings, command }) =>
    html`<li><span class="plainly">${text}</span>${settings !== undefined && html`<pre>${settings.join('\n')}</pre>`}${command !== undefined && html`<code>${command.split(' ').map((word) => html`<span>${word}</span> `)}</code>`}</li>`,
  frame: frameMarkup,
  conversation: (block) => conversationMarkup(block, blocksMarkup(block.below ?? [])),
};

function blockMarkup(block: b.Block, title: string): Markup {
  return (DRAW[block.kind] as Draw<b.Block>)(block, title);
}

function lineMarkup(line: b.Line, most: number = LONGEST.sentence): Part {
  return b.spansOf(line).map(({ text, tone, look, swatch, to }) => {
    const inner = partsOf(text).map((part, at) =>
      isCommand(at) ? html`<code>${part}</code>` : html`<bdi>${cut(part, most)}</bdi>`,
    );
    const linked =
      to === undefined ? html`${inner}` : html`<a href="${to.startsWith('/') ? to : `#${to}`}">${inner}</a>`;
    const classes = [look === 'tag' ? 'tag' : '', tone ?? ''].filter(Boolean).join(' ');
    return [
      swatch !== undefined && html`<i class="swatch tone-${swatch}"></i>`,
      classes === '' ? linked : html`<span class="${classes}">${linked}</span>`,
    ];
  });
}

const MARKS: Readonly<Record<'good' | 'warn' | 'bad', readonly [label: string, path: string]>> = {
  good: ['Good', '<circle cx="15" cy="15" r="14"/><path class="mark" d="M9 15.5l4.2 4L21 11"/>'],
  warn: ['Attention', '<path d="M15 2.5 28.5 26.5h-27z"/><path class="mark" d="M15 11v7M15 22v.2"/>'],
  bad: ['Problems', '<circle cx="15" cy="15" r="14"/><path class="mark" d="M10.5 10.5l9 9M19.5 10.5l-9 9"/>'],
};

function verdictMarkup({ text, tone }: b.Of<'heading'>): Markup {
  const known = tone === 'good' || tone === 'bad' ? tone : 'warn';
  const [label, path] = MARKS[known];
  return html`<div class="verdict ${known}"><svg viewBox="0 0 30 30" role="img" aria-label="${label}">${raw(path)}</svg><h1>${text}</h1></div>`;
}

function factsMarkup({ facts, areTiles = false }: b.Of<'facts'>): Markup {
  if (facts.length === 0) return html``;
  const fact = ({ label, value, remarks = [], tone }: b.Fact) => {
    const shown = lineMarkup(value, LONGEST.value);
    const behind = remarks.map((remark) => html`<span class="soft"> ${cut(remark, LONGEST.value)}</span>`);
    return html`<div><dt>${label}</dt><dd${toned(tone)}>${areTiles ? html`<b>${shown}</b>` : shown}${behind}</dd></div>`;
  };
  return html`<dl class="${areTiles ? 'tiles' : 'facts'}">${facts.map(fact)}</dl>`;
}

function toned(tone: b.Tone | undefined): Part {
  return tone === undefined ? '' : html` class="${tone}"`;
}

/** Wide tables scroll, with the keyboard too. */
function tableMarkup({ caption, columns, rows, sum, more = 0, bar }: b.Of<'table'>, title: string): Markup {
  const classes = columns.map(({ align, isRemark }) =>
    align === 'right' ? html` class="number"` : isRemark === true ? html` class="remark"` : '',
  );
  const cell = (line: b.Line, index: number) =>
    index === 0 && b.plainText(line) !== ''
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

/** Something is never shown as nothing. */
function barMarkup(parts: NonNullable<b.Of<'table'>['bar']>): Markup {
  if (parts.length === 0) return html``;
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
  return html`<svg class="bar" width="100%" aria-hidden="true">${boxes}</svg>`;
}

const LIST_CLASSES = { bullets: 'bullets', checks: 'checks', counts: '' } as const;

function listMarkup({ look, items, more = 0 }: b.Of<'list'>): Markup {
  const below = (item: b.Item) => (item.below === undefined ? '' : blocksMarkup(item.below));
  if (look === 'counts')
    return html`${items.map((item) => html`<article class="problem ${item.tone ?? 'warn'}"><div class="times">${item.lead}</div><div><h3>${lineMarkup(item.text)}</h3>${below(item)}</div></article>\n`)}${moreMarkup(more)}`;
  const lead = ({ lead: name, tone }: b.Item) =>
    look === 'checks'
      ? html`<span class="unseen">${tone === 'good' ? 'passed' : 'failed'}: </span>${name !== undefined && html`<b>${cut(name, LONGEST.value)}</b> `}`
      : '';
  return html`<ul class="${LIST_CLASSES[look]}">${items.map(
    (item) =>
      html`<li class="${item.tone ?? ''}"><div>${lead(item)}${lineMarkup(item.text)}${below(item)}</div></li>`,
  )}</ul>${moreMarkup(more)}`;
}

function paragraphMarkup({ text, tone, look }: b.Of<'paragraph'>): Markup {
  const classes = [look ?? '', tone ?? ''].filter(Boolean).join(' ');
  return html`<p class="${classes}">${lineMarkup(text)}</p>`;
}

const LINE_WIDTH = 110;

function frameMarkup({ frame }: b.Of<'frame'>): Markup {
  const { before, marked, after } = fitFrame(frame, LINE_WIDTH);
  return html`<pre class="line" role="group" tabindex="0" aria-label="Line ${frame.line} of ${cut(frame.file, 120)}"><span class="number">${frame.line}</span><code dir="ltr">${before}<mark>${marked}</mark>${after}</code></pre>`;
}
