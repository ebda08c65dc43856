import type { Context } from 'hono';
import { html } from 'hono/html';
import type { SandboxEnv, Service } from '../core/request.ts';
import { LEFT_OUT, type LeftOut, type LeftOutcome, type SourceRow } from '../store/review.ts';
import { count, hrefWith, pager, paging } from './page-parts.ts';
import { answerPage, current, type Markup } from './page-shell.ts';

const PER_PAGE = 25;

const OUTCOMES: Readonly<Record<LeftOutcome, readonly [label: string, meaning: string]>> = {
  rejected: ['Rejected', 'Something in it is invalid, so it was not sent.'],
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
  const content = html`<div class="head"><h1>Not imported</h1><span class="soft">${outcome === undefined ? 'Tickets left out of the last import.' : OUTCOMES[outcome][1]}</span></div>
${
  rows.length === 0
    ? html`<div class="empty card"><h2>Nothing was left out</h2><p>Imports with <code>--sandbox</code> note here what did not arrive, and why.</p></div>`
    : html`<ul class="left-out">${[...Map.groupBy(rows, kindOf)].map(([, tickets]) => kindCard(tickets))}</ul>`
}
${pager('/left-out', query, place)}`;
  return answerPage(c, { title: 'Not imported', section: 'left-out', content, views });
}

/** Reasons that differ only in quoted words are one kind. */
function kindOf({ outcome, reason }: LeftOut): string {
  return `${outcome} ${reason.replaceAll(/"[^"\n]*"|\d+/g, '')}`;
}

function kindCard(tickets: readonly LeftOut[]): Markup {
  const [first] = tickets;
  if (first === undefined) return html``;
  return html`<li class="card"><h2 class="reason">${first.reason}</h2>
<p class="about"><span class="pill ${first.outcome}">${OUTCOMES[first.outcome][0]}</span><span>${count(tickets.length, 'ticket', 'tickets')}</span></p>
${tickets.map((left) => {
  const line = html`<bdi>${left.subject ?? left.external_id ?? 'A record without a ticket'}</bdi> <span class="soft">${left.external_id === null ? '' : html`Ticket <bdi>${left.external_id}</bdi> · `}${left.place}</span>`;
  const more = html`${left.reason === first.reason ? '' : html`<p class="reason">${left.reason}</p>`}${
    left.ticket_id === null ? '' : html`<a href="/tickets/${left.ticket_id}">What is here of it</a>`
  }`;
  return left.rows.length === 0
    ? html`<p>${line} ${more}</p>`
    : html`<details><summary>${line}</summary>${more}<p class="soft">${count(left.rows.length, 'row', 'rows')} of the export</p>${sourceRows(left.rows)}</details>`;
})}</li>`;
}

function sourceRows(rows: readonly SourceRow[]): Markup {
  return html`<div class="source-rows">${rows.map(
    ({ place, fields }) =>
      html`<section><h3>${place}</h3><dl>${fields.map(([name, value]) => html`<dt>${name}</dt><dd dir="auto">${value}</dd>`)}</dl></section>`,
  )}</div>`;
}
