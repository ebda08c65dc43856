/** What an import into this service left out, with the reason and the rows of the export. */
import type { Context } from 'hono';
import { html } from 'hono/html';
import type { SandboxEnv, Service } from '../core/request.ts';
import { LEFT_OUT, type LeftOutcome, type SourceRow } from '../store/review.ts';
import { count, hrefWith, pager, paging } from './page-parts.ts';
import { answerPage, current, type Markup } from './page-shell.ts';

const PER_PAGE = 25;

const OUTCOMES: Readonly<Record<LeftOutcome, readonly [label: string, meaning: string]>> = {
  rejected: ['Rejected', 'Something in it is not valid, so it was not sent.'],
  failed: ['Failed', 'It was sent, and the service refused it or a part of it.'],
  'in-doubt': ['In doubt', 'Its create was sent and no answer came: it may be here or not.'],
};

export function leftOutPage({ store }: Service, c: Context<SandboxEnv>): Promise<Response> {
  const outcome = LEFT_OUT.find((each) => each === c.req.query('outcome'));
  const counts = store.review.counts();
  const all = LEFT_OUT.reduce((sum, each) => sum + (counts[each] ?? 0), 0);
  const total = outcome === undefined ? all : (counts[outcome] ?? 0);
  const place = paging(c.req.query('page'), total, PER_PAGE);
  const rows = store.review.page(outcome, place.take, place.offset);
  const query = { outcome: outcome ?? '' };
  const view = (value: LeftOutcome | '', label: string, number: number) =>
    html`<li><a href="${hrefWith('/left-out', {}, { outcome: value })}"${current(value === query.outcome)}>${label}<span class="number">${number.toLocaleString('en')}</span></a></li>`;
  const views = html`<nav class="views" aria-label="Outcome"><h2>Outcome</h2><ul>${view('', 'All', all)}${LEFT_OUT.map((each) => view(each, OUTCOMES[each][0], counts[each] ?? 0))}</ul></nav>`;
  const content = html`<div class="head"><h1>Not imported</h1><span class="soft">${outcome === undefined ? 'What the last imports with --sandbox left out.' : OUTCOMES[outcome][1]}</span></div>
${
  rows.length === 0
    ? html`<div class="empty card"><h2>Nothing was left out</h2><p>Imports with <code>--sandbox</code> note here what did not arrive, and why.</p></div>`
    : html`<ul class="left-out">${rows.map(
        (
          left,
        ) => html`<li class="card"><h2 dir="auto">${left.subject ?? left.external_id ?? 'A record without a ticket'}</h2>
<p class="about"><span class="pill ${left.outcome}">${OUTCOMES[left.outcome][0]}</span>${left.external_id === null ? '' : html`<span>Ticket <bdi>${left.external_id}</bdi></span>`}<span class="soft">${left.place}</span>${
          left.ticket_id === null ? '' : html`<a href="/tickets/${left.ticket_id}">What is here of it</a>`
        }</p>
<p class="reason">${left.reason}</p>
${left.rows.length === 0 ? '' : html`<details><summary>${count(left.rows.length, 'row', 'rows')} of the source</summary>${sourceRows(left.rows)}</details>`}</li>`,
      )}</ul>`
}
${pager('/left-out', query, place)}`;
  return answerPage(c, { title: 'Not imported', section: 'left-out', content, views });
}

function sourceRows(rows: readonly SourceRow[]): Markup {
  return html`<div class="source-rows">${rows.map(
    ({ place, fields }) =>
      html`<section><h3>${place}</h3><dl>${fields.map(([name, value]) => html`<dt>${name}</dt><dd dir="auto">${value}</dd>`)}</dl></section>`,
  )}</div>`;
}
