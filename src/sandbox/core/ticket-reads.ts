/** What can be read from the Core API (public facts; the specification promises none of it). */
import type { Context } from 'hono';
import { isEmail } from '../../check/email.ts';
import { shownFilter, shownMessage, wholePart } from '../faults/altered-data.ts';
import { organizationOf } from '../faults/change-data.ts';
import { rowNumber } from '../store/kept-values.ts';
import { contactView } from '../store/people.ts';
import { eventView, messageView } from '../store/thread.ts';
import { ticketView } from '../store/tickets.ts';
import { cursorFor, listQuery } from './list-query.ts';
import { notFound, Refusal } from './refusal.ts';
import type { SandboxEnv, Service } from './sandbox-env.ts';
import { existingTicket } from './ticket-writes.ts';

export function listTickets(service: Service, c: Context<SandboxEnv>): Response {
  const { list } = service.store;
  const { filter: asked, order, take, after, impossible } = listQuery(c.req.queries());
  const traits = c.get('traits') ?? {};
  const filter = shownFilter(asked, traits, service.clock.now());
  if (impossible) return c.json({ tickets: [], cursor: null, hasNextPage: false, total: 0 });
  // One more than asked for tells whether there is a next page.
  const rows = list.rows(filter, { order, take: take + 1, ...(after === undefined ? {} : { after }) });
  const hasNextPage = rows.length > take;
  const page = rows.slice(0, take);
  const lastRow = page.at(-1);
  const cursor =
    hasNextPage && lastRow !== undefined
      ? cursorFor({ createdMs: lastRow.created_ms, seq: lastRow.seq })
      : null;
  const total = traits['no-total'] === undefined ? { total: list.count(filter) } : {};
  return c.json({ tickets: page.map(ticketView), cursor, hasNextPage, ...total });
}

export function readTicket(service: Service, c: Context<SandboxEnv>): Response {
  const seq = existingTicket(service, c);
  const row = service.store.tickets.get(seq);
  if (row === undefined) throw notFound('ticket', c.req.param('ticketId') ?? '');
  return c.json({ ticket: ticketView(row) });
}

export function readMessages(service: Service, c: Context<SandboxEnv>): Response {
  const rows = service.store.messages.ofTicket(existingTicket(service, c));
  const traits = c.get('traits') ?? {};
  const first = wholeNumber('cursor', c.req.query('cursor'), 0, Number.MAX_SAFE_INTEGER);
  const after = first + (wholePart(traits['threads-paged']) ?? rows.length);
  const shown = rows.slice(first, after).map((row) => shownMessage(messageView(row), traits));
  const hasNextPage = after < rows.length;
  const next = hasNextPage ? { cursor: String(after) } : {};
  return c.json({ messages: shown, hasNextPage, ...next, total: rows.length });
}

/** One message whole, whatever lists show of it. */
export function readMessage(service: Service, c: Context<SandboxEnv>): Response {
  const ticketSeq = existingTicket(service, c);
  const id = c.req.param('messageId') ?? '';
  const seq = rowNumber('message', id);
  const row = service.store.messages.ofTicket(ticketSeq).find((message) => message.seq === seq);
  if (row === undefined) throw notFound('message', id);
  const view = messageView(row);
  return c.json({ message: { ...view, fullContent: view.content } });
}

/** Whose workspace this is: made up once, and kept with the data. */
export function readOrganization({ store }: Service, c: Context<SandboxEnv>): Response {
  return c.json({ organization: organizationOf(store) });
}

export function readMe(service: Service, c: Context<SandboxEnv>): Response {
  const organization = organizationOf(service.store);
  const user = { id: `usr_${organization.id.slice('org_'.length)}`, name: 'Import', email: null };
  return c.json({ user, organization });
}

export function readEvents(service: Service, c: Context<SandboxEnv>): Response {
  const rows = service.store.events.ofTicket(existingTicket(service, c));
  return c.json({ events: rows.map(eventView) });
}

/** `GET /agents?email=`; without an e-mail all of them. */
export function findAgents(service: Service, c: Context<SandboxEnv>): Response {
  const { agents } = service.store;
  const email = c.req.query('email');
  if (email === undefined || email.trim() === '') return c.json({ agents: agents.all() });
  const known = agents.byEmail(email);
  if (known !== undefined) return c.json({ agents: [known] });
  if (!service.inventAgents || !isEmail(email)) return c.json({ agents: [] });
  return c.json({ agents: [agents.add({ email })] });
}

/** `GET /contacts`: by e-mail, in pages of `take` from `offset`. */
export function listContacts(service: Service, c: Context<SandboxEnv>): Response {
  const search = c.req.query('email') ?? c.req.query('search') ?? '';
  const take = wholeNumber('take', c.req.query('take'), 25, 100);
  const offset = wholeNumber('offset', c.req.query('offset'), 0, Number.MAX_SAFE_INTEGER);
  const { contacts, total } = service.store.contacts.list({ search, take, offset });
  return c.json({
    contacts: contacts.map((row) => ({ ...contactView(row), ticketCount: row.tickets })),
    hasNextPage: offset + contacts.length < total,
    total,
  });
}

export function readContact(service: Service, c: Context<SandboxEnv>): Response {
  const id = c.req.param('contactId') ?? '';
  const seq = rowNumber('contact', id);
  const row = seq === undefined ? undefined : service.store.contacts.bySeq(seq);
  if (row === undefined) throw notFound('contact', id);
  return c.json({ contact: contactView(row) });
}

function wholeNumber(name: string, text: string | undefined, absent: number, most: number): number {
  if (text === undefined || text === '') return absent;
  const number = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (!(number <= most) || (name === 'take' && number < 1))
    throw new Refusal(400, 'invalid_parameter', `${name}: must be a whole number up to ${most}.`);
  return number;
}
