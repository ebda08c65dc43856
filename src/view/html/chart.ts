/**
 * A chart of columns as inline SVG. Widths are percentages and heights are pixels, so it fills a phone as well as a page
 * while its text keeps its size. A table below has the same numbers.
 */
import { html } from 'hono/html';
import type { Chart } from '../blocks.ts';
import type { Markup } from '../conversation/thread.ts';
import { formatCount } from '../format.ts';

const HEIGHT = 170;
const TOP = 12;
const BOTTOM = 24;
/** Labels below the axis that fit at full width; half of them go on a phone. */
const MOST_TICKS = 12;

export function chartMarkup({ title, summary, header, series, columns }: Chart): Markup {
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
      // Something that exists is never shown as nothing.
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

/** Round numbers from 0 to at least `most`, three to six of them. */
export function axisTicks(most: number): number[] {
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
