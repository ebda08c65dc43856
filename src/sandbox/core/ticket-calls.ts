/** `readOnly` (2.1) is for people: these calls change such tickets too. */
import type { ContactRef } from '../../domain/payload.ts';
import { publicId } from '../store/kept-values.ts';
import { CHANNELS, type TicketView } from '../store/tickets.ts';
import { type TicketChanges, ticketBody, ticketChanges } from './bodies.ts';
import { invalid, notFound, type Service, unprocessable } from './request.ts';
import { type Request, type Route, route, someText, someTexts, take } from './router.ts';

export const TICKET_CALLS: readonly Route[] = [
  route({
    method: 'GET',
    path: '/tickets',
    query: {
      search: someText,
      tags: someTexts,
      take: take(25),
      cursor: someText,
      minUpdatedAt: someText,
    },
    handle({ service: { store }, query }) {
      const { search, tags, cursor, minUpdatedAt } = query;
      const filter = { search, tags, minUpdatedAt };
      const after = cursor === undefined ? undefined : placeOf(cursor);
      const found = store.tickets.list(filter, { take: query.take + 1, after });
      const hasNextPage = found.length > query.take;
      const tickets = found.slice(0, query.take);
      const last = tickets.at(-1);
      return {
        tickets,
        hasNextPage,
        hasPreviousPage: after !== undefined,
        ...(hasNextPage && last !== undefined ? { cursor: cursorOf(last) } : {}),
        total: store.tickets.count(filter),
      };
    },
  }),
  route({
    method: 'POST',
    path: '/tickets',
    body: ticketBody,
    status: 201,
    handle(request) {
      const { service, body, now } = request;
      const { store } = service;
      return store.write(() => {
        checkIds(service, body);
        const seq = store.tickets.insert(body, matchContact(request, body, 'contactId'), now);
        const ticketId = publicId('ticket', seq);
        return { ticket: store.tickets.get(ticketId) };
      });
    },
  }),
  route({
    method: 'GET',
    path: '/tickets/:ticketId',
    handle: (request) => ({ ticket: ticketOf(request) }),
  }),
  route({
    method: 'PUT',
    path: '/tickets/:ticketId',
    body: ticketChanges,
    handle(request) {
      const { service, body, now } = request;
      const { store } = service;
      const { ticketNumber: seq } = ticketOf(request);
      const names = body.contact !== undefined || body.contactId !== undefined;
      store.write(() => {
        checkIds(service, body);
        store.tickets.update(seq, body, names ? matchContact(request, body, 'contactId') : undefined, now);
      });
      return { ticket: ticketOf(request) };
    },
  }),
];

/** Throws Refusal 404. */
export function ticketOf({ service: { store }, param }: Pick<Request, 'service' | 'param'>): TicketView {
  const id = param('ticketId');
  const ticket = store.tickets.get(id);
  if (ticket === undefined) throw notFound('ticket', id);
  return ticket;
}

/** By address, created if needed, or by ID (2.5). `path` is its place in the body. Call inside a write. */
export function matchContact(
  { service: { store }, c, now }: Pick<Request, 'service' | 'c' | 'now'>,
  {
    contact,
    contactId,
  }: { readonly contact?: ContactRef | undefined; readonly contactId?: string | undefined },
  path: string,
): number | null {
  const contacts = c.get('contacts') ?? store.contacts;
  if (contact !== undefined) return contacts.matchOrCreate(contact, now).seq;
  if (contactId === undefined) return null;
  const known = contacts.get(contactId);
  if (known === undefined) throw unprocessable(path, `There is no customer ${contactId.slice(0, 100)}.`);
  return known.seq;
}

function checkIds(service: Service, body: TicketChanges): void {
  checkAgent(service, body.assignedToId, 'assignedToId');
  if (body.channelId !== undefined && !CHANNELS.some(({ id }) => id === body.channelId))
    throw unprocessable('channelId', `There is no channel ${body.channelId.slice(0, 100)}.`);
}

export function checkAgent({ store, inventAgents }: Service, id: string | undefined, path: string): void {
  if (id === undefined || inventAgents || store.agents.byId(id) !== undefined) return;
  if (store.agents.all().length > 0) throw unprocessable(path, `There is no agent ${id.slice(0, 100)}.`);
}

/** Opaque: the place in the order, newest first. */
function cursorOf({ createdAt, ticketNumber }: TicketView): string {
  return Buffer.from(`${Date.parse(createdAt)} ${ticketNumber}`).toString('base64url');
}

function placeOf(cursor: string): { ms: number; seq: number } {
  const place = /^(-?\d{1,16}) (\d{1,16})$/.exec(Buffer.from(cursor, 'base64url').toString('latin1'));
  if (place === null) throw invalid('invalid_parameter', [{ path: 'cursor', message: 'Unknown cursor.' }]);
  return { ms: Number(place[1]), seq: Number(place[2]) };
}
