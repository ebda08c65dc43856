/** The contacts, by e-mail, each with the number of its tickets. */
import type { Context } from 'hono';
import { html } from 'hono/html';
import type { SandboxEnv, Service } from '../core/sandbox-env.ts';
import { publicId } from '../store/ids.ts';
import { count, hrefWith, pageNumber, pager, searchForm } from './page-parts.ts';
import { answerPage } from './page-shell.ts';

const PER_PAGE = 100;

export function contactsPage(service: Service): (c: Context<SandboxEnv>) => Promise<Response> {
  return (c) => {
    const query = { search: c.req.query('search') ?? '' };
    const asked = pageNumber(c.req.query('page'));
    const page = (number: number) =>
      service.store.contacts.list({ ...query, take: PER_PAGE, offset: (number - 1) * PER_PAGE });
    const first = page(asked);
    const pages = Math.max(1, Math.ceil(first.total / PER_PAGE));
    // A page beyond the last one stands for the last one.
    const { contacts, total } = asked > pages ? page(pages) : first;
    const lines = contacts.map(
      (contact) =>
        html`<li class="row"><span><a href="${hrefWith(
          '/',
          {},
          {
            contact: publicId('contact', contact.seq),
          },
        )}">${contact.name ?? contact.email}</a> ${
          contact.name === null ? '' : html`<span class="soft">${contact.email}</span>`
        }</span><span class="soft">${count(contact.tickets, 'ticket', 'tickets')}</span></li>`,
    );
    const content = html`<h1>Contacts</h1>
${searchForm('/contacts', query, 'Name or e-mail')}
<p class="soft">${count(total, 'contact', 'contacts')}</p>
${lines.length === 0 ? html`<p>Nobody here.</p>` : html`<ul class="list">${lines}</ul>`}
${pager('/contacts', query, Math.min(asked, pages), pages)}`;
    return answerPage(c, { title: 'Contacts', section: 'contacts', content });
  };
}
