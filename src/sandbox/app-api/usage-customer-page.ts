/** A customer of the app: subscription, plan, features, and each metric over its windows. */
import type { Context } from 'hono';
import { html } from 'hono/html';
import type { SandboxEnv, Service } from '../core/sandbox-env.ts';
import { icon } from '../pages/icons.ts';
import { hrefWith } from '../pages/page-parts.ts';
import { answerPage, type Markup } from '../pages/page-shell.ts';
import {
  type AnsweredCustomer,
  type AnsweredFeature,
  type AnsweredMetric,
  customerAnswer,
} from './customer-answer.ts';
import type { WindowField } from './usage-windows.ts';

const WINDOWS: readonly (readonly [label: string, field: WindowField])[] = [
  ['Now', 'currentValue'],
  ['24 hours', 'last24HoursValue'],
  ['7 days', 'last7DaysValue'],
  ['30 days', 'last30DaysValue'],
  ['90 days', 'last90DaysValue'],
  ['365 days', 'last365DaysValue'],
  ['Month', 'monthToDateValue'],
  ['All time', 'allTimeValue'],
];

export function usageCustomerPage(service: Service): (c: Context<SandboxEnv>) => Promise<Response> {
  return (c) => {
    const asked = c.req.query('id') ?? '';
    const customer = customerAnswer(service.store, asked, service.clock.now());
    if (customer === undefined) {
      const content = html`<div class="empty card"><h1>There is no customer ${asked.slice(0, 100)}</h1><p><a href="/usage">All usage events</a></p></div>`;
      return answerPage(c, { title: 'No such customer', section: 'usage', content, status: 404 });
    }
    const name = customer.name ?? customer.id;
    const plan = customer.subscription?.plan['name'];
    const features = Object.entries(customer.features);
    const metrics = Object.values(customer.usage);
    const content = html`<div class="path"><a class="button" href="/usage" data-back>${icon('back')}Usage events</a></div>
<div class="contact-head"><div><h1 dir="auto">${name}</h1><p class="soft">${customer.id}</p></div>
<p class="figures"><span class="pill">${customer.billingStatus}</span>${typeof plan === 'string' ? html`<span class="pill">${plan}</span>` : ''}
<a href="${hrefWith('/usage', {}, { customer: customer.id })}">Events</a></p></div>
${section('Usage', metrics.length, 'No event of this customer yet.', () => usageTable(metrics))}
${section('Features', features.length, features.length === 0 ? noFeatures(customer) : '', () => featureTable(features))}`;
    return answerPage(c, { title: name, section: 'usage', content });
  };
}

function noFeatures({ subscription }: AnsweredCustomer): string {
  return subscription === null ? 'Without a subscription there are none.' : 'The plan has none.';
}

function section(title: string, entries: number, without: string, content: () => Markup): Markup {
  return html`<h2>${title}</h2>${entries === 0 ? html`<p class="soft">${without}</p>` : content()}`;
}

function usageTable(metrics: readonly AnsweredMetric[]): Markup {
  return html`<div class="card"><table class="people">
<thead><tr><th scope="col">Metric</th>${WINDOWS.map(([label]) => html`<th scope="col" class="amount">${label}</th>`)}</tr></thead>
<tbody>${metrics.map(
    (metric) =>
      html`<tr><td><bdi>${metric.name}</bdi></td>${WINDOWS.map(([, field]) => html`<td class="amount number">${metric[field].toLocaleString('en')}</td>`)}</tr>`,
  )}</tbody></table></div>`;
}

function featureTable(features: readonly (readonly [key: string, feature: AnsweredFeature])[]): Markup {
  return html`<div class="card"><table class="people">
<thead><tr><th scope="col">Feature</th><th scope="col">Kind</th><th scope="col" class="amount">Value</th></tr></thead>
<tbody>${features.map(
    ([, { name, type, value }]) =>
      html`<tr><td><bdi>${name}</bdi></td><td class="soft">${type.replaceAll('_', ' ')}</td><td class="amount number">${valueText(value)}</td></tr>`,
  )}</tbody></table></div>`;
}

function valueText(value: boolean | number): string {
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  return value === -1 ? 'unlimited' : value.toLocaleString('en');
}
