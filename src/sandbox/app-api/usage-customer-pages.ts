/** The customers of the app, those with events and those that were seeded; and one of them: subscription, plan, features, usage. */
import type { Context } from 'hono';
import { html } from 'hono/html';
import type { SandboxEnv, Service } from '../core/sandbox-env.ts';
import { count, day, hrefWith, pager, paging, searchForm, utcDay } from '../pages/page-parts.ts';
import { answerPage, icon, type Markup, missingPage } from '../pages/page-shell.ts';
import type { BillingStatus } from './catalog.ts';
import {
  type AnsweredCustomer,
  type AnsweredFeature,
  type AnsweredMetric,
  customerAnswer,
} from './customer-answer.ts';
import type { CustomerRow, WindowField } from './usage-events.ts';

const PER_PAGE = 50;

export function usageCustomersPage(service: Service, c: Context<SandboxEnv>): Promise<Response> {
  const { usage } = service.store;
  const search = c.req.query('search')?.trim() ?? '';
  const total = usage.countCustomers(search);
  const place = paging(c.req.query('page'), total, PER_PAGE);
  const customers = usage.customers({ search, ...place });
  const content = html`${TO_EVENTS}
<div class="head"><h1>Customers</h1>${searchForm('/usage/customers', { search }, 'Search names and ids')}
<span class="soft number">${count(total, 'customer', 'customers')}</span></div>
${customers.length === 0 ? nobody(search) : table(customers, service)}
${pager('/usage/customers', { search }, place)}`;
  return answerPage(c, { title: 'Customers', section: 'usage', hasSearch: true, content });
}

const TO_EVENTS = html`<div class="path"><a class="button" href="/usage" data-back>${icon('back')}Usage events</a></div>`;

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

const WINDOWS: readonly (readonly [label: string, field: WindowField])[] = [
  ['Period', 'currentValue'],
  ['Month', 'monthToDateValue'],
  ['24 hours', 'last24HoursValue'],
  ['7 days', 'last7DaysValue'],
  ['30 days', 'last30DaysValue'],
  ['90 days', 'last90DaysValue'],
  ['365 days', 'last365DaysValue'],
  ['All time', 'allTimeValue'],
];

/** The colours of tickets' statuses, by what they say: good, wait, stop. */
const COLOURS: Record<BillingStatus, string> = {
  none: '',
  active: 'resolved',
  trialing: 'pending',
  canceled: '',
  frozen: 'open',
};

function statusMark(status: BillingStatus): Markup {
  return html`<span class="pill ${COLOURS[status]}">${status}</span>`;
}

export function usageCustomerPage({ store, clock }: Service, c: Context<SandboxEnv>): Promise<Response> {
  const asked = c.req.query('id') ?? '';
  const customer = customerAnswer(store, asked, clock.now());
  if (customer === undefined)
    return missingPage(c, 'usage', ['customer', asked], html`<a href="/usage/customers">All customers</a>`);
  const name = customer.name ?? customer.id;
  const features = Object.values(customer.features);
  const metrics = Object.values(customer.usage);
  const events = store.usage.count({ customerId: customer.id });
  const content = html`${TO_EVENTS}
<div class="contact-head"><div><h1 dir="auto">${name}</h1>${name === customer.id ? '' : html`<p class="soft">${customer.id}</p>`}</div>
<p class="figures">${statusMark(customer.billingStatus)}</p></div>
${facts(customer, events)}
${section('Usage', metrics.length, 'No event of this customer yet.', () => usageTable(metrics))}
${section('Features', features.length, noFeatures(customer), () => featureTable(features))}`;
  return answerPage(c, { title: name, section: 'usage', content });
}

function facts(customer: AnsweredCustomer, events: number): Markup {
  const { subscription } = customer;
  const plans = asList(subscription?.['lineItems']).map((item) => textOf(asObject(item['plan'])['name']));
  const since = textOf(subscription?.['currentPeriodStart']);
  const trial = textOf(subscription?.['trialExpiresAt']);
  const all: [string, Markup | string][] = [
    ['Plan', plans.filter((plan) => plan !== '').join(' + ')],
    ['Price', subscription === null ? '' : priceOf(subscription)],
    ['Billed by', BILLERS.get(textOf(customer['billingProvider'])) ?? ''],
    ['Domain', textOf(customer['myshopifyDomain'])],
    ['Period since', since === '' ? '' : utcDay(since)],
    ['Trial until', trial === '' ? '' : utcDay(trial)],
    [
      'Events',
      events === 0
        ? 'none'
        : html`<a href="${hrefWith('/usage', {}, { customer: customer.id })}">${count(events, 'event', 'events')}</a>`,
    ],
  ];
  return html`<dl class="tiles card">${all
    .filter(([, value]) => value !== '')
    .map(([label, value]) => html`<div><dt>${label}</dt><dd>${value}</dd></div>`)}</dl>`;
}

const BILLERS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    app_pricing: 'the platform’s app pricing',
    legacy: 'the legacy billing API',
  }),
);
const INTERVALS: ReadonlyMap<string, string> = new Map(
  Object.entries({ EVERY_30_DAYS: 'every 30 days', ANNUAL: 'a year' }),
);

function priceOf(subscription: NonNullable<AnsweredCustomer['subscription']>): string {
  const { currencyCode, interval } = subscription.plan;
  const amount = Number(subscription['total'] ?? 0);
  if (amount === 0) return 'free';
  return `${amount.toLocaleString('en')} ${textOf(currencyCode)} ${INTERVALS.get(textOf(interval)) ?? ''}`.trim();
}

function noFeatures({ subscription }: AnsweredCustomer): string {
  return subscription === null ? 'Without a subscription there are no features.' : 'The plan has none.';
}

function section(title: string, entries: number, without: string, content: () => Markup): Markup {
  return html`<section class="part"><h2>${title}</h2>${entries === 0 ? html`<p class="soft">${without}</p>` : content()}</section>`;
}

/** On a phone the names of the windows stand beside their values (`data-label`). */
function usageTable(metrics: readonly AnsweredMetric[]): Markup {
  return html`<div class="card"><table class="people metrics">
<thead><tr><th scope="col">Metric</th>${WINDOWS.map(([label]) => html`<th scope="col" class="amount">${label}</th>`)}</tr></thead>
<tbody>${metrics.map(
    (metric) =>
      html`<tr><th scope="row"><bdi>${metric.name}</bdi></th>${WINDOWS.map(([label, field]) => html`<td class="amount number" data-label="${label}">${metric[field].toLocaleString('en')}</td>`)}</tr>`,
  )}</tbody></table></div>`;
}

function featureTable(features: readonly AnsweredFeature[]): Markup {
  return html`<div class="card"><table class="people">
<thead><tr><th scope="col">Feature</th><th scope="col">Kind</th><th scope="col" class="amount">Value</th></tr></thead>
<tbody>${features.map(
    ({ name, type, value }) =>
      html`<tr><td><bdi>${name}</bdi></td><td class="soft">${type.replaceAll('_', ' ')}</td><td class="amount number">${valueText(value)}</td></tr>`,
  )}</tbody></table></div>`;
}

function valueText(value: boolean | number): string {
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  return value === -1 ? 'unlimited' : value.toLocaleString('en');
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function asObject(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function asList(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.map(asObject) : [];
}
