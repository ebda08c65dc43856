/** The list of contacts, and one contact with its tickets. */
import type { Context } from 'hono';
import { html } from 'hono/html';
import { TICKET_STATUSES } from '../../domain/payload.ts';
import type { SandboxEnv, Service } from '../core/request.ts';
import { publicId } from '../store/kept-values.ts';
import type { CountedContact } from '../store/people.ts';
import { ticketRows } from './inbox-page.ts';
import { agentNames, avatar, count, day, hrefWith, pager, paging, searchForm } from './page-parts.ts';
import { answerPage, icon, type Markup, missingPage } from './page-shell.ts';

const CONTACTS_PER_PAGE = 100;
const TICKETS_PER_PAGE = 50;

export function contactsPage({ store }: Service, c: Context<SandboxEnv>): Promise<Response> {
  const query = { search: c.req.query('search')?.trim() ?? '' };
  const { total } = store.contacts.list({ search: query.search, take: 0, offset: 0 });
  const place = paging(c.req.query('page'), total, CONTACTS_PER_PAGE);
  const { contacts } = store.contacts.list({ search: query.search, ...place });
  const content = html`<div class="head"><h1>Contacts</h1>${searchForm('/contacts', query, 'Search names and e-mail addresses')}
<span class="soft number">${count(total, 'contact', 'contacts')}</span></div>
${contacts.length === 0 ? noContacts(query.search) : table(contacts)}
${pager('/contacts', query, place)}`;
  return answerPage(c, { title: 'Contacts', section: 'contacts', hasSearch: true, content });
}

function table(contacts: readonly CountedContact[]): Markup {
  return html`<div class="card"><table class="people">
<thead><tr><th scope="col">Name</th><th scope="col" class="wide">E-mail</th><th scope="col" class="amount">Tickets</th><th scope="col" class="amount wide">Newest ticket</th></tr></thead>
<tbody>${contacts.map(contactRow)}</tbody></table></div>`;
}

function contactRow({ seq, email, name, tickets, last_ms: last }: CountedContact): Markup {
  const called = name ?? email;
  return html`<tr><td><div class="person">${avatar({ key: email, name: called, kind: 'contact' })}<a data-row href="/contacts/${publicId('contact', seq)}"><bdi>${called}</bdi></a></div></td>
<td class="wide soft">${email}</td><td class="amount number">${tickets.toLocaleString('en')}</td>
<td class="amount wide soft">${last === null ? '' : day(new Date(last).toISOString())}</td></tr>`;
}

function noContacts(search: string): Markup {
  return search === ''
    ? html`<div class="empty card"><h2>No contacts yet</h2><p>Contacts come with their tickets, one for each e-mail address.</p></div>`
    : html`<div class="empty card"><h2>No contact matches</h2><p><a href="/contacts">All contacts</a></p></div>`;
}

export function contactPage({ store }: Service, c: Context<SandboxEnv>): Promise<Response> {
  const { contacts, search, agents } = store;
  const asked = c.req.param('contactId') ?? '';
  const contact = contacts.get(asked);
  if (contact === undefined)
    return missingPage(c, 'contacts', ['contact', asked], html`<a href="/contacts">All contacts</a>`);
  const id = publicId('contact', contact.seq);
  const { total, statuses: counts, rows: rowsOf } = search.find({ contact: contact.seq });
  const place = paging(c.req.query('page'), total, TICKETS_PER_PAGE);
  const rows = rowsOf('created', 'newest', place.take, place.offset);
  const name = contact.name ?? contact.email;
  const figure = (status: string, number: number) =>
    html`<a class="pill ${status}" href="${hrefWith('/', {}, { contact: id, status })}">${number.toLocaleString('en')} ${status}</a>`;
  const content = html`<div class="path"><a class="button" href="/contacts" data-back>${icon('back')}Contacts</a></div>
<div class="contact-head">${avatar({ key: contact.email, name, kind: 'contact' }, 'large')}
<div><h1 dir="auto">${name}</h1><p class="soft">${contact.email}</p></div>
<p class="figures">${TICKET_STATUSES.filter((status) => (counts[status] ?? 0) > 0).map((status) => figure(status, counts[status] ?? 0))}</p></div>
${
  rows.length === 0
    ? html`<div class="empty card"><h2>No tickets of this contact</h2><p>The address occurs in messages of other tickets.</p></div>`
    : ticketRows(rows, agentNames(agents), search.everywhere())
}
${pager(`/contacts/${id}`, {}, place)}`;
  return answerPage(c, { title: name, section: 'contacts', content });
}
