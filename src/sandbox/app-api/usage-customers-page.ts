/** The customers of the app: those with events and those that were seeded. */
import type { Context } from 'hono';
import { html } from 'hono/html';
import type { SandboxEnv, Service } from '../core/sandbox-env.ts';
import { icon } from '../pages/icons.ts';
import { count, hrefWith, pageNumber, pager, searchForm } from '../pages/page-parts.ts';
import { answerPage, type Markup } from '../pages/page-shell.ts';
import { day } from '../pages/times.ts';
import { customerAnswer } from './customer-answer.ts';
import { statusMark } from './usage-customer-page.ts';
import type { CustomerRow } from './usage-events.ts';

const PER_PAGE = 50;

export function usageCustomersPage(service: Service): (c: Context<SandboxEnv>) => Promise<Response> {
  const { usage } = service.store;
  return (c) => {
    const search = c.req.query('search')?.trim() ?? '';
    const total = usage.countCustomers(search);
    const pages = Math.max(1, Math.ceil(total / PER_PAGE));
    const page = Math.min(pageNumber(c.req.query('page')), pages);
    const customers = usage.customers({ search, take: PER_PAGE, offset: (page - 1) * PER_PAGE });
    const content = html`<div class="path"><a class="button" href="/usage" data-back>${icon('back')}Usage events</a></div>
<div class="head"><h1>Customers</h1>${searchForm('/usage/customers', { search }, 'Search names and ids')}
<span class="soft number">${count(total, 'customer', 'customers')}</span></div>
${customers.length === 0 ? nobody(search) : table(customers, service)}
${pager('/usage/customers', { search }, page, pages)}`;
    return answerPage(c, { title: 'Customers', section: 'usage', content });
  };
}

function table(customers: readonly CustomerRow[], service: Service): Markup {
  return html`<div class="card"><table class="people">
<thead><tr><th scope="col">Customer</th><th scope="col">Status</th><th scope="col" class="wide">Plan</th><th scope="col" class="amount">Events</th><th scope="col" class="amount wide">Newest event</th></tr></thead>
<tbody>${customers.map((row) => customerRow(row, service))}</tbody></table></div>`;
}

function customerRow({ customerId, name, events, last_ms: last }: CustomerRow, service: Service): Markup {
  const { catalog } = service.store;
  const customer = customerAnswer(service.store, customerId, service.clock.now(), 'without usage');
  const plan = customer?.subscription?.plan['name'];
  const called = name ?? catalog.find(customerId)?.myshopifyDomain ?? customerId;
  return html`<tr><td><a data-row href="${hrefWith('/usage/customer', {}, { id: customerId })}"><bdi>${called}</bdi></a>${
    called === customerId ? '' : html` <span class="soft">${customerId}</span>`
  }</td>
<td>${statusMark(customer?.billingStatus ?? 'none')}</td><td class="wide">${typeof plan === 'string' ? plan : ''}</td>
<td class="amount number">${events.toLocaleString('en')}</td>
<td class="amount wide soft">${last === null ? '' : day(new Date(last).toISOString())}</td></tr>`;
}

function nobody(search: string): Markup {
  return search === ''
    ? html`<div class="empty card"><h2>Nobody here yet</h2>
<p>Customers arrive with their usage events, or from a file of plans and customers: <code>helpdesk-import sandbox --billing billing.json</code></p></div>`
    : html`<div class="empty card"><h2>No customer matches</h2><p><a href="/usage/customers">All customers</a></p></div>`;
}
