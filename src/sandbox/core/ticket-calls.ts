/** Tickets: list, read, create (4.1), update. `readOnly` (2.1) is for people: these calls change such tickets too. */
import { z } from 'zod';
import { rowNumber } from '../store/kept-values.ts';
import type { TicketRow } from '../store/tickets.ts';
import { CHANNELS, ticketView } from './answers.ts';
import { type CoreBodies, type TicketChanges, ticketChanges } from './bodies.ts';
import { type MatchContact, matching } from './contact-matching.ts';
import { invalid, notFound, unprocessable } from './refusal.ts';
import { type Request, type Route, route, someTexts, take } from './route.ts';
import type { Service } from './sandbox-env.ts';

export function ticketCalls(bodies: CoreBodies): Route[] {
  return [
    route({
      method: 'GET',
      path: '/tickets',
      kind: 'list',
      query: {
        search: z.string().optional(),
        /** All of these. */
        tags: someTexts,
        take: take(25),
        cursor: z.string().optional(),
      },
      handle({ service: { store }, query, c }) {
        const { search, tags, cursor } = query;
        const filter = { search, tags, hidden: c.get('hidden') };
        const after = cursor === undefined ? undefined : placeOf(cursor);
        // One more than requested shows whether there is a next page.
        const rows = store.tickets.list(filter, { take: query.take + 1, after });
        const hasNextPage = rows.length > query.take;
        const shown = rows.slice(0, query.take);
        const last = shown.at(-1);
        return {
          tickets: shown.map(ticketView),
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
      kind: 'create',
      isStated: true,
      effect: 'created',
      body: bodies.ticket,
      status: 201,
      handle(request) {
        const { service, body, c, now } = request;
        const { store } = service;
        const match = matching(request);
        return store.write(() => {
          checkIds(service, body, match);
          const seq = store.tickets.insert(body, match(body, 'contactId')?.seq ?? null, now);
          c.set('effect', { effect: 'created', ticketSeq: seq, subject: body.subject });
          return { ticket: ticketView(store.tickets.get(seq) as TicketRow) };
        });
      },
    }),
    route({
      method: 'GET',
      path: '/tickets/:ticketId',
      kind: 'read',
      handle: (request) => ({ ticket: ticketView(ticketOf(request)) }),
    }),
    route({
      method: 'PUT',
      path: '/tickets/:ticketId',
      kind: 'update',
      body: ticketChanges,
      handle(request) {
        const { service, body, c, now } = request;
        const { store } = service;
        const { seq } = ticketOf(request);
        const match = matching(request);
        const names = body.contact !== undefined || body.contactId !== undefined;
        store.write(() => {
          checkIds(service, body, match);
          const contact = names ? (match(body, 'contactId')?.seq ?? null) : undefined;
          store.tickets.update(seq, body, contact, now);
        });
        c.set('effect', { effect: 'stored', ticketSeq: seq });
        return { ticket: ticketView(ticketOf(request)) };
      },
    }),
  ];
}

/** The ticket in the path. Throws Refusal 404. */
export function ticketOf({ service: { store }, param }: Pick<Request, 'service' | 'param'>): TicketRow {
  const id = param('ticketId');
  const row = store.tickets.get(rowNumber('ticket', id) ?? -1);
  if (row === undefined) throw notFound('ticket', id);
  return row;
}

/** Throws Refusal 422 for an agent, a channel or a further contact that does not exist. */
function checkIds(
  service: Service,
  body: TicketChanges & { contactIds?: string[] },
  match: MatchContact,
): void {
  checkAgent(service, body.assignedToId, 'assignedToId');
  if (body.channelId !== undefined && !CHANNELS.some(({ id }) => id === body.channelId))
    throw unprocessable('channelId', `There is no channel ${body.channelId.slice(0, 100)}.`);
  for (const [index, contactId] of (body.contactIds ?? []).entries())
    match({ contactId }, `contactIds[${index}]`);
}

/** Throws Refusal 422 for an agent who is not in the service's team. */
export function checkAgent({ store, inventAgents }: Service, id: string | undefined, path: string): void {
  if (id === undefined || inventAgents || store.agents.byId(id) !== undefined) return;
  if (store.agents.all().length > 0) throw unprocessable(path, `There is no agent ${id.slice(0, 100)}.`);
}

/** Opaque for clients: the place in the order, newest first. */
function cursorOf(row: TicketRow): string {
  return Buffer.from(`${row.created_ms} ${row.seq}`).toString('base64url');
}

function placeOf(cursor: string): { ms: number; seq: number } {
  const place = /^(-?\d{1,16}) (\d{1,16})$/.exec(Buffer.from(cursor, 'base64url').toString('latin1'));
  if (place === null) throw invalid('invalid_parameter', [{ path: 'cursor', message: 'Unknown cursor.' }]);
  return { ms: Number(place[1]), seq: Number(place[2]) };
}
