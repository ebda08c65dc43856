/** Tickets: list, read, create (4.1), update. `readOnly` prevents edits in the service (2.1); these calls are how the system that manages a ticket changes it. */
import { z } from 'zod';
import { TICKET_PRIORITIES, TICKET_STATUSES } from '../../domain/payload.ts';
import { isInstant } from '../../time/iso-time.ts';
import { mailCustomer } from '../customer-mail.ts';
import { altered } from '../faults/faults.ts';
import { keptMs, rowNumber } from '../store/kept-values.ts';
import { TICKET_ORDERS, type TicketFilter, type TicketOrder } from '../store/ticket-list.ts';
import type { TicketRow } from '../store/tickets.ts';
import { CHANNELS, cursorPage, ticketSchema, ticketView } from './answers.ts';
import { type CoreBodies, type TicketBody, type TicketChanges, ticketChanges } from './bodies.ts';
import { type MatchContact, matching } from './contact-matching.ts';
import { invalid, notFound, unprocessable } from './refusal.ts';
import { anyOf, type Request, type Route, route, someText, take } from './route.ts';

const instant = z.string().refine(isInstant, 'Must be an ISO-8601 time with an offset from UTC.');
const ticketAnswer = z.object({ ticket: ticketSchema });

export function ticketCalls(bodies: CoreBodies): Route[] {
  return [
    route({
      method: 'GET',
      path: '/tickets',
      kind: 'list',
      summary: 'Tickets, the newest first unless another order is asked for, in pages',
      query: {
        search: someText.describe('In the subject, the name or the e-mail of the contact'),
        status: anyOf(z.enum(TICKET_STATUSES)),
        priority: anyOf(z.enum(TICKET_PRIORITIES)),
        tags: anyOf(z.string()).describe('All of these'),
        assignedToId: anyOf(z.string()),
        channelId: anyOf(z.string()),
        contactId: anyOf(z.string()),
        customerId: anyOf(z.string()),
        appId: anyOf(z.string()),
        minUpdatedAt: instant.optional(),
        maxUpdatedAt: instant.optional(),
        sort: z.enum(['createdAt', 'updatedAt', 'lastMessageAt']).optional(),
        sortDirection: z.enum(['asc', 'desc']).optional(),
        take: take(25),
        cursor: someText,
      },
      answer: z.object({ tickets: z.array(ticketSchema), ...cursorPage }),
      handle({ service: { store }, query, traits, now }) {
        const asked: TicketFilter = {
          search: query.search,
          tags: query.tags,
          any: {
            status: query.status,
            priority: query.priority,
            assigned_to_id: query.assignedToId,
            channel_id: query.channelId,
            // An id that no contact has matches nothing.
            contact_seq: query.contactId?.map((id) => rowNumber('contact', id) ?? -1),
            customer_id: query.customerId,
            app_id: query.appId,
          },
          updatedFrom: query.minUpdatedAt === undefined ? undefined : keptMs(query.minUpdatedAt),
          updatedTo: query.maxUpdatedAt === undefined ? undefined : keptMs(query.maxUpdatedAt),
        };
        const filter = altered(traits, 'filter', asked, now);
        const { sort: by = 'createdAt', sortDirection = query.sort === undefined ? 'desc' : 'asc' } = query;
        const after = query.cursor === undefined ? undefined : placeOf(query.cursor, by, sortDirection);
        const order = sortDirection === 'asc' ? 'oldest' : 'newest';
        // One more than asked for tells whether there is a next page.
        const rows = store.list.rows(filter, { by, order, take: query.take + 1, after });
        const hasNextPage = rows.length > query.take;
        const shown = rows.slice(0, query.take);
        const last = shown.at(-1);
        return {
          tickets: shown.map(ticketView),
          hasNextPage,
          hasPreviousPage: after !== undefined,
          ...(hasNextPage && last !== undefined ? { cursor: cursorOf(last, by, sortDirection) } : {}),
          ...(traits.has('no-total') ? {} : { total: store.list.count(filter) }),
        };
      },
    }),
    route({
      method: 'POST',
      path: '/tickets',
      kind: 'create',
      summary: 'Create a ticket',
      isStated: true,
      effect: 'created',
      body: bodies.ticket,
      status: 201,
      answer: ticketAnswer,
      async handle(request) {
        const { service, body, c, now } = request;
        const { store, bareTicket } = service;
        const match = await matching(request, [body]);
        const kept = asKept(request, body) as TicketBody;
        const ticket = await store.group.write(() => {
          checkIds(kept, match);
          const seq = store.tickets.insert(kept, match(body, '')?.seq ?? null, now);
          c.set('effect', { effect: 'created', ticketSeq: seq, subject: body.subject });
          return store.tickets.get(seq) as TicketRow;
        });
        await mailCustomer(request, ticket, ['We have received your request, and will write to you soon.']);
        return bareTicket ? ticketView(ticket) : { ticket: ticketView(ticket) };
      },
    }),
    route({
      method: 'GET',
      path: '/tickets/{ticketId}',
      kind: 'read',
      summary: 'One ticket',
      answer: ticketAnswer,
      handle: (request) => ({ ticket: ticketView(ticketOf(request)) }),
    }),
    route({
      method: 'PUT',
      path: '/tickets/{ticketId}',
      kind: 'update',
      summary: 'Change fields of a ticket; what is left out stays',
      body: ticketChanges,
      answer: ticketAnswer,
      async handle(request) {
        const { service, body, c, now } = request;
        const { store } = service;
        const { seq } = ticketOf(request);
        const match = await matching(request, [body]);
        const names = body.contact !== undefined || body.contactId !== undefined;
        store.group.write(() => {
          checkIds(body, match);
          const contact = names ? (match(body, '')?.seq ?? null) : undefined;
          store.tickets.update(seq, asKept(request, body), contact, now);
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
  const seq = rowNumber('ticket', id);
  const row = seq === undefined ? undefined : store.tickets.get(seq);
  if (row === undefined) throw notFound('ticket', id);
  return row;
}

/** Throws Refusal 422 for a channel or a further contact that does not exist. */
function checkIds(body: TicketChanges & { contactIds?: string[] }, match: MatchContact): void {
  if (body.channelId !== undefined && !CHANNELS.some(({ id }) => id === body.channelId))
    throw unprocessable('channelId', `There is no channel ${body.channelId.slice(0, 100)}.`);
  for (const [index, contactId] of (body.contactIds ?? []).entries())
    match({ contactId }, `contactIds[${index}].`);
}

const TIMES = ['createdAt', 'resolvedAt', 'closedAt', 'lastMessageAt', 'updatedAt'] as const;

/** As this service keeps what was sent. */
function asKept({ traits }: Pick<Request, 'traits'>, sent: TicketBody | TicketChanges): TicketChanges {
  const kept: Partial<TicketBody> = { ...sent };
  if (traits.size === 0) return kept;
  if (kept.subject !== undefined)
    kept.subject = altered(traits, 'subject', altered(traits, 'text', kept.subject)).toWellFormed() || '-';
  if (kept.tags !== undefined) kept.tags = [...altered(traits, 'tags', kept.tags)];
  for (const name of TIMES) {
    const time = kept[name];
    if (time !== undefined) kept[name] = altered(traits, 'time', time);
  }
  return kept;
}

/** Opaque for clients; what it holds is the order and the place in it. */
function cursorOf(row: TicketRow, by: TicketOrder, direction: string): string {
  return Buffer.from(`${by} ${direction} ${row[TICKET_ORDERS[by]]} ${row.seq}`).toString('base64url');
}

function placeOf(cursor: string, by: TicketOrder, direction: string): { ms: number; seq: number } {
  const [ofBy, ofDirection, ms, seq, ...more] = Buffer.from(cursor, 'base64url')
    .toString('latin1')
    .split(' ');
  const isPlace = more.length === 0 && /^-?\d{1,16}$/.test(ms ?? '') && /^\d{1,16}$/.test(seq ?? '');
  if (!isPlace || ofBy !== by || ofDirection !== direction)
    throw invalid('invalid_parameter', [
      { path: 'cursor', message: 'It is not one that this service gave for this order.' },
    ]);
  return { ms: Number(ms), seq: Number(seq) };
}
