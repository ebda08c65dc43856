/** A contact with its tickets. */
import type { Context } from 'hono';
import { html } from 'hono/html';
import { TICKET_STATUSES } from '../../domain/payload.ts';
import type { SandboxEnv, Service } from '../core/sandbox-env.ts';
import { publicId, rowNumber } from '../store/ids.ts';
import { agentNames } from './agent-names.ts';
import { avatar } from './avatar.ts';
import { icon } from './icons.ts';
import { hrefWith, pageNumber, pager } from './page-parts.ts';
import { answerPage } from './page-shell.ts';
import { ticketRows } from './ticket-rows.ts';

const PER_PAGE = 50;

export function contactPage(service: Service): (c: Context<SandboxEnv>) => Promise<Response> {
  const { contacts, list, agents, facets } = service.store;
  return (c) => {
    const asked = c.req.param('contactId') ?? '';
    const seq = rowNumber('contact', asked);
    const contact = seq === undefined ? undefined : contacts.bySeq(seq);
    if (contact === undefined) {
      const content = html`<div class="empty card"><h1>There is no contact ${asked.slice(0, 100)}</h1><p><a href="/contacts">All contacts</a></p></div>`;
      return answerPage(c, { title: 'No such contact', section: 'contacts', content, status: 404 });
    }
    const id = publicId('contact', contact.seq);
    const filter = { contactSeq: contact.seq };
    const counts = list.countsByStatus(filter);
    const total = Object.values(counts).reduce((sum, number) => sum + number, 0);
    const pages = Math.max(1, Math.ceil(total / PER_PAGE));
    const page = Math.min(pageNumber(c.req.query('page')), pages);
    const rows = list.rows(filter, { order: 'newest', take: PER_PAGE, offset: (page - 1) * PER_PAGE });
    const name = contact.name ?? contact.email;
    const content = html`<div class="path"><a class="button" href="/contacts" data-back>${icon('back')}Contacts</a></div>
<div class="contact-head">${avatar({ key: contact.email, name, kind: 'contact' }, 'large')}
<div><h1 dir="auto">${name}</h1><p class="soft">${contact.email}</p></div>
<p class="figures">${TICKET_STATUSES.filter((status) => (counts[status] ?? 0) > 0).map(
      (status) =>
        html`<a class="pill ${status}" href="${hrefWith('/', {}, { contact: id, status })}">${(counts[status] ?? 0).toLocaleString('en')} ${status}</a>`,
    )}</p></div>
${
  rows.length === 0
    ? html`<div class="empty card"><h2>No tickets of this contact</h2><p>The address stands in messages of others’ tickets.</p></div>`
    : ticketRows(rows, agentNames(agents), facets.all().everywhere)
}
${pager(`/contacts/${id}`, {}, page, pages)}`;
    return answerPage(c, { title: name, section: 'contacts', content });
  };
}
