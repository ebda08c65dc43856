/**
 * Column charts as inline SVG: all that the report needs are columns, stacked or not, with an axis and a legend.
 *
 * No plotting library: the well-kept ones draw into a document (a DOM of several megabytes to install for four small
 * charts), measure text in a browser, or bring scripts into the page, and the report has none. What they would do for us, scales
 * and ticks, is forty lines.
 *
 * Widths are percentages and heights are pixels, so a chart fills a phone as well as a page while its text keeps its
 * size. Everything that is drawn stands in a table below it too, for those who cannot see it or want the numbers.
 */

import { html } from 'hono/html';
import { formatCount } from '../format.ts';
import { type Markup, type Part, type Column as TableColumn, table } from './page-parts.ts';

/** Names of colours in the stylesheet. */
export type Tone =
  | 'open'
  | 'pending'
  | 'resolved'
  | 'closed'
  | 'plain'
  | 'done'
  | 'ready'
  | 'rejected'
  | 'failed'
  | 'doubt'
  | 'skipped';

interface Series {
  readonly label: string;
  readonly tone: Tone;
}

export interface ChartColumn {
  /** In the table and in the tip: `March 2024`. */
  readonly label: string;
  /** Below the axis: `Mar`; empty for none. */
  readonly tick: string;
  /** A second line below it: `2024`. */
  readonly below?: string | undefined;
  /** By series, from the axis upwards. */
  readonly values: readonly number[];
}

export interface ColumnChart {
  readonly title: string;
  /** What a person sees at a glance, in one sentence: read aloud in the place of the picture. */
  readonly summary: string;
  /** What the columns are: `Month`. */
  readonly header: string;
  readonly series: readonly Series[];
  readonly columns: readonly ChartColumn[];
  readonly format?: ((value: number) => string) | undefined;
  /** A line across: a limit, with its name. */
  readonly limit?: { readonly value: number; readonly label: string } | undefined;
  /** Pixels of the plot. */
  readonly height?: number | undefined;
  /** Columns touch each other: steps of time rather than things to compare. */
  readonly dense?: boolean | undefined;
}

const TOP = 12;
const BOTTOM = 22;
const SECOND_LINE = 15;
/** Labels below the axis that fit at full width; half of them go on a phone. */
const MOST_TICKS = 12;
/** Labels of the second line that are nearer to each other than this would touch. */
const ROOM_PERCENT = 6;

export function columnChart(chart: ColumnChart): Markup {
  const { title, summary, series, columns, height = 180, limit } = chart;
  const format = chart.format ?? formatCount;
  const sums = columns.map(({ values }) => values.reduce((sum, value) => sum + value, 0));
  const ticks = axisTicks(Math.max(0, limit?.value ?? 0, ...sums));
  const top = ticks.at(-1) ?? 1;
  const y = (value: number) => round(TOP + height - (value / top) * height);
  const labels = ticks.map(format);
  const axisWidth = 14 + 7 * Math.max(...labels.map(({ length }) => length));
  const hasSecondLine = columns.some(({ below }) => below !== undefined);
  const total = TOP + height + BOTTOM + (hasSecondLine ? SECOND_LINE : 0);
  return html`<figure class="chart">
<figcaption>${title}${series.length > 1 && legend(series)}</figcaption>
<div class="plot" role="img" aria-label="${summary}">
<svg class="axis" width="${axisWidth}" height="${total}" aria-hidden="true">${ticks.map(
    (tick, index) => html`<text x="${axisWidth - 8}" y="${y(tick) + 4}" class="end">${labels[index]}</text>`,
  )}</svg>
<svg class="area" width="100%" height="${total}" aria-hidden="true">
${ticks.map((tick) => html`<line class="${tick === 0 ? 'base' : 'grid'}" x1="0" x2="100%" y1="${y(tick)}" y2="${y(tick)}"/>`)}
${columns.map((column, index) => columnMarkup(column, index, chart, y, format))}
${belowMarkup(columns, TOP + height)}
${
  limit !== undefined &&
  html`<line class="limit" x1="0" x2="100%" y1="${y(limit.value)}" y2="${y(limit.value)}"/><text class="limit-name" x="4" y="${y(limit.value) - 5}">${limit.label}</text>`
}
</svg>
</div>
${chartTable(chart, format)}
</figure>`;
}

function columnMarkup(
  column: ChartColumn,
  index: number,
  { series, columns, dense = false, height = 180 }: ColumnChart,
  y: (value: number) => number,
  format: (value: number) => string,
): Markup {
  const slot = 100 / columns.length;
  const gap = dense ? 0 : Math.min(0.3, 0.1 + columns.length * 0.01) * slot;
  const [x, width] = [index * slot + gap / 2, slot - gap];
  let below = 0;
  const boxes: Markup[] = [];
  for (const [at, value] of column.values.entries()) {
    if (value <= 0) continue;
    const [from, to] = [y(below), y(below + value)];
    below += value;
    // Something that is there is never shown as nothing.
    const size = Math.max(1, round(from - to));
    boxes.push(
      html`<rect class="tone-${series[at]?.tone ?? 'plain'}" x="${round(x)}%" width="${round(width)}%" y="${round(from - size)}" height="${size}"/>`,
    );
  }
  const reported = series
    .map(({ label }, at) => ({ label, value: column.values[at] ?? 0 }))
    .filter(({ value }) => value > 0 || series.length === 1)
    .map(({ label, value }) => (series.length === 1 ? format(value) : `${label} ${format(value)}`));
  return html`<g><title>${column.label}: ${reported.length === 0 ? format(0) : reported.join(', ')}</title><rect class="hit" x="${round(index * slot)}%" width="${round(slot)}%" y="${TOP}" height="${height}"/>${boxes}</g>${tickMarkup(column, index, columns, slot, TOP + height)}`;
}

function tickMarkup(
  { tick }: ChartColumn,
  index: number,
  columns: readonly ChartColumn[],
  slot: number,
  base: number,
): Part {
  const step = Math.ceil(columns.length / MOST_TICKS);
  if (index % step !== 0 || tick === '') return false;
  const rare = columns.length > MOST_TICKS / 2 && (index / step) % 2 === 1 ? ' rare' : '';
  return html`<text class="tick${rare}" x="${round((index + 0.5) * slot)}%" y="${base + 16}">${tick}</text>`;
}

/** The second line below the axis; a label that would run into the next one gives way to it. */
function belowMarkup(columns: readonly ChartColumn[], base: number): Part {
  const labels = columns.flatMap(({ below }, index) =>
    below === undefined ? [] : [{ below, x: ((index + 0.5) * 100) / columns.length }],
  );
  return labels
    .filter(({ x }, index) => (labels[index + 1]?.x ?? Number.POSITIVE_INFINITY) - x > ROOM_PERCENT)
    .map(({ below, x }, index, all) => {
      const rare = all.length > MOST_TICKS / 2 && index % 2 === 1 ? ' rare' : '';
      return html`<text class="tick${rare}" x="${round(x)}%" y="${base + 31}">${below}</text>`;
    });
}

function legend(series: readonly Series[]): Markup {
  return html`<span class="legend">${series.map(
    ({ label, tone }) => html`<span><i class="swatch tone-${tone}"></i>${label}</span>`,
  )}</span>`;
}

function chartTable(
  { title, header, series, columns }: ColumnChart,
  format: (value: number) => string,
): Markup {
  const heads: TableColumn[] = [
    { title: header },
    ...series.map(({ label }) => ({ title: label, align: 'right' as const })),
  ];
  const rows = columns.map(({ label, values }) => [
    label,
    ...series.map((_, index) => format(values[index] ?? 0)),
  ]);
  return html`<details class="numbers"><summary>Show the numbers</summary>${table({
    caption: title,
    columns: heads,
    rows,
    hideCaption: true,
  })}</details>`;
}

/** Round numbers from 0 to at least `most`, three to six of them. */
export function axisTicks(most: number): number[] {
  if (most <= 0) return [0, 1];
  const rough = most / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 2.5, 5, 10].find((factor) => factor * power >= rough) ?? 10) * power;
  // Half a ticket is none: small counts go up in whole steps.
  const whole = most >= 4 && step < 1 ? 1 : step;
  const ticks = Math.ceil(most / whole - 1e-9);
  return Array.from({ length: ticks + 1 }, (_, index) => Number((index * whole).toPrecision(12)));
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
