/** Not imported: tickets with their source rows. Sign-off: the tickets of a trial, to accept one by one. */
import type { Context } from 'hono';
import { html } from 'hono/html';
import { ticketView } from '../core/answers.ts';
import { readForm } from '../core/body.ts';
import type { SandboxEnv, Service } from '../core/sandbox-env.ts';
import { rowNumber } from '../store/kept-values.ts';
import { type KeptTrialTicket, LEFT_OUT, type LeftOutcome, type SourceRow } from '../store/review.ts';
import { agentNames, count, hrefWith, pager, paging, time } from './page-parts.ts';
import { answerPage, current, icon, type Markup, missingPage } from './page-shell.ts';
import { fieldsCard, thread } from './ticket-page.ts';

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
    ? html`<div class="empty card"><h2>Nothing was left out</h2><p>Imports with <code>--sandbox</code> list here what was not imported, and why.</p></div>`
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

export function acceptancePage({ store }: Service, c: Context<SandboxEnv>): Promise<Response> {
  const tickets = store.review.trial();
  const accepted = tickets.filter(({ accepted_ms: at }) => at !== null).length;
  const content = html`<div class="head"><h1>Sign-off</h1>${
    tickets.length === 0
      ? ''
      : html`<span class="soft">${accepted} of ${count(tickets.length, 'ticket', 'tickets')} accepted</span>`
  }</div>
${
  tickets.length === 0
    ? html`<div class="empty card"><h2>No trial yet</h2><p>A trial imports a few tickets that show everything the export has: <code>helpdesk-import run export.jsonl --sandbox --trial</code></p></div>`
    : html`<ul class="acceptance card">${tickets.map(
        (ticket) =>
          html`<li>${mark(ticket)}<div><a data-row href="/acceptance/${ticket.ticket_id}" dir="auto">${ticket.subject}</a><p class="soft">${ticket.why.join('; ')}</p></div>${checks(ticket)}</li>`,
      )}</ul>`
}`;
  return answerPage(c, { title: 'Sign-off', section: 'acceptance', content });
}

function mark({ accepted_ms: at }: KeptTrialTicket): Markup {
  return html`<span class="mark${at === null ? '' : ' accepted'}"><span class="unseen">${at === null ? 'Not accepted yet' : 'Accepted'}</span></span>`;
}

function checks({ checks: all }: KeptTrialTicket): Markup {
  const failed = all.filter(({ ok }) => !ok).length;
  return failed === 0
    ? html`<span class="pill resolved">${count(all.length, 'check', 'checks')} passed</span>`
    : html`<span class="pill failed">${count(failed, 'check', 'checks')} failed</span>`;
}

/** A ticket of a trial, next to its source. */
export function acceptedPage({ store }: Service, c: Context<SandboxEnv>): Promise<Response> {
  const id = c.req.param('ticketId') ?? '';
  const all = store.review.trial();
  const at = all.findIndex(({ ticket_id: each }) => each === id);
  const ticket = all[at];
  const seq = rowNumber('ticket', id);
  const row = seq === undefined ? undefined : store.tickets.get(seq);
  if (ticket === undefined || row === undefined)
    return missingPage(c, 'acceptance', ['ticket of a trial', id], html`<a href="/acceptance">Sign-off</a>`);
  const step = (by: -1 | 1, label: string, picture: 'up' | 'down', rel: string) => {
    const other = all[at + by];
    return other === undefined
      ? ''
      : html`<a class="button square" rel="${rel}" href="/acceptance/${other.ticket_id}" aria-label="${label}" title="${label}">${icon(picture)}</a>`;
  };
  const { accepted_ms: accepted } = ticket;
  const agentName = agentNames(store.agents);
  const content = html`<div class="path"><a class="button" href="/acceptance" data-back>${icon('back')}Sign-off</a>${step(-1, 'Previous ticket', 'up', 'prev')}${step(1, 'Next ticket', 'down', 'next')}
<span class="id">${at + 1} of ${all.length}</span></div>
<h1 dir="auto">${ticket.subject}</h1>
<form class="accept" method="post">${
    accepted === null
      ? html`<button class="primary" name="accepted" value="yes">Accept this ticket</button>`
      : html`<span class="accepted">Accepted on ${time(new Date(accepted).toISOString())}</span><button name="accepted" value="no">Take it back</button>`
  }</form>
<div class="card look"><h2>What to look at</h2><ul>${ticket.look.map((line) => html`<li>${line}</li>`)}</ul>
<details><summary>${checks(ticket)}</summary><ul>${ticket.checks.map(
    ({ name, ok, detail }) => html`<li>${ok ? '✓' : '✗'} <b>${name}</b> ${detail}</li>`,
  )}</ul></details></div>
<div class="compare"><section aria-labelledby="the-source"><h2 id="the-source">In the source: ticket <bdi>${ticket.external_id}</bdi></h2>${sourceRows(ticket.rows)}</section>
<section aria-labelledby="the-result"><h2 id="the-result">Here: <a href="/tickets/${id}">${id}</a></h2>
<div class="facts">${fieldsCard(ticketView(row), agentName)}</div>
${thread({ store }, c, row, agentName)}</section></div>`;
  return answerPage(c, { title: `${ticket.subject} – Sign-off`, section: 'acceptance', content });
}

/** The only change that pages make. Requests of other sites have no cookie, and are recognised by their origin. */
export async function accept({ store, clock }: Service, c: Context<SandboxEnv>): Promise<Response> {
  const from = c.req.header('sec-fetch-site');
  const id = c.req.param('ticketId') ?? '';
  if (from !== undefined && from !== 'same-origin') return c.text('Accept tickets on these pages only.', 403);
  const accepted = (await readForm(c)).get('accepted');
  if (!store.review.accept(id, accepted === 'yes' ? clock.now() : null))
    return c.text('Ticket not found.', 404);
  return c.redirect(`/acceptance/${id}`, 303);
}
