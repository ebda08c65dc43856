/** The contacts, by e-mail or by the number of their tickets. */
import type { Context } from 'hono';
import { html } from 'hono/html';
import type { SandboxEnv, Service } from '../core/sandbox-env.ts';
import type { ContactOrder, CountedContact } from '../store/contacts.ts';
import { publicId } from '../store/ids.ts';
import { avatar } from './avatar.ts';
import { count, hrefWith, pageNumber, pager, searchForm } from './page-parts.ts';
import { answerPage, current, type Markup } from './page-shell.ts';
import { day } from './times.ts';

const PER_PAGE = 100;

export function contactsPage(service: Service): (c: Context<SandboxEnv>) => Promise<Response> {
  return (c) => {
    const sort: '' | 'tickets' = c.req.query('sort') === 'tickets' ? 'tickets' : '';
    const query = { search: c.req.query('search')?.trim() ?? '', sort };
    const asked = pageNumber(c.req.query('page'));
    const order: ContactOrder = sort === '' ? 'email' : sort;
    const page = (number: number) =>
      service.store.contacts.list({
        search: query.search,
        order,
        take: PER_PAGE,
        offset: (number - 1) * PER_PAGE,
      });
    const first = page(asked);
    const pages = Math.max(1, Math.ceil(first.total / PER_PAGE));
    // A page beyond the last one stands for the last one.
    const { contacts, total } = asked > pages ? page(pages) : first;
    const content = html`<div class="head"><h1>Contacts</h1>${searchForm('/contacts', query, 'Search names and e-mail addresses')}
<span class="soft number">${count(total, 'contact', 'contacts')}</span></div>
${contacts.length === 0 ? nobody(query.search) : table(contacts)}
${pager('/contacts', query, Math.min(asked, pages), pages)}`;
    return answerPage(c, { title: 'Contacts', section: 'contacts', content, views: orders(query) });
  };
}

function orders(query: { search: string; sort: string }): Markup {
  const order = (sort: string, label: string) =>
    html`<li><a href="${hrefWith('/contacts', query, { sort })}"${current(query.sort === sort)}>${label}</a></li>`;
  return html`<nav class="views" aria-label="Order"><h2>Order</h2><ul>${order('', 'By e-mail')}${order('tickets', 'Most tickets first')}</ul></nav>`;
}

function table(contacts: readonly CountedContact[]): Markup {
  return html`<div class="card"><table class="people">
<thead><tr><th scope="col">Name</th><th scope="col" class="wide">E-mail</th><th scope="col" class="amount">Tickets</th><th scope="col" class="amount wide">Newest ticket</th></tr></thead>
<tbody>${contacts.map(contactRow)}</tbody></table></div>`;
}

function contactRow(contact: CountedContact): Markup {
  const name = contact.name ?? contact.email;
  return html`<tr><td><div class="person">${avatar({ key: contact.email, name, kind: 'contact' })}<a data-row href="/contacts/${publicId(
    'contact',
    contact.seq,
  )}"><bdi>${name}</bdi></a></div></td>
<td class="wide soft">${contact.email}</td><td class="amount number">${contact.tickets.toLocaleString('en')}</td>
<td class="amount wide soft">${contact.last_ms === null ? '' : day(new Date(contact.last_ms).toISOString())}</td></tr>`;
}

function nobody(search: string): Markup {
  return search === ''
    ? html`<div class="empty card"><h2>Nobody here yet</h2><p>Contacts arrive with their tickets: one for each e-mail address.</p></div>`
    : html`<div class="empty card"><h2>No contact matches</h2><p><a href="/contacts">All contacts</a></p></div>`;
}
