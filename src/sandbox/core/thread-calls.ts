/** Messages and events of a ticket: pages, and replacement (4.2, 4.3). */
import { z } from 'zod';
import { rowNumber } from '../store/kept-values.ts';
import type { MessageRow, MessageToKeep } from '../store/thread.ts';
import { eventView, type MessageView, messageView } from './answers.ts';
import type { CoreBodies } from './bodies.ts';
import { matching } from './contact-matching.ts';
import { invalid, notFound, unprocessable } from './refusal.ts';
import { MOST_TAKE, type Route, route, take } from './route.ts';
import { checkAgent, ticketOf } from './ticket-calls.ts';

/** Characters of `content` in a list, as in a deployed service. */
const SHOWN_CHARACTERS = 4_000;

const paged = {
  take: take(MOST_TAKE),
  cursor: z
    .string()
    .regex(/^\d{1,15}$/, 'Unknown cursor.')
    .optional(),
};

export function threadCalls(bodies: CoreBodies): Route[] {
  return [
    route({
      method: 'GET',
      path: '/tickets/:ticketId/messages',
      kind: 'read',
      query: paged,
      handle(request) {
        const { seq, message_count: total } = ticketOf(request);
        const { place, reported } = pageOf(request.query, total);
        const rows = request.service.store.messages.ofTicket(seq, place.take, place.offset);
        return { messages: rows.map(listed), ...reported };
      },
    }),
    route({
      method: 'GET',
      path: '/tickets/:ticketId/messages/:messageId',
      kind: 'read',
      handle(request) {
        const id = request.param('messageId');
        const row = request.service.store.messages.one(ticketOf(request).seq, rowNumber('message', id) ?? -1);
        if (row === undefined) throw notFound('message', id);
        return { message: messageView(row) };
      },
    }),
    route({
      method: 'PUT',
      path: '/tickets/:ticketId/messages',
      kind: 'messages',
      isStated: true,
      effect: 'replaced',
      body: bodies.messages,
      handle(request) {
        const { service, c, now, body } = request;
        const { seq } = ticketOf(request);
        const { store } = service;
        const match = matching(request);
        store.write(() => {
          const kept = new Set<number>();
          const messages = body.map((payload, index): MessageToKeep => {
            checkAgent(service, payload.agentId, `[${index}].agentId`);
            const contactSeq = match(payload, `[${index}].contactId`)?.seq ?? null;
            const own = payload.id === undefined ? undefined : rowNumber('message', payload.id);
            if (payload.id !== undefined && (own === undefined || store.messages.one(seq, own) === undefined))
              throw unprocessable(`[${index}].id`, `This ticket has no message ${payload.id.slice(0, 100)}.`);
            if (own !== undefined && kept.has(own))
              throw unprocessable(`[${index}].id`, 'A message can be kept only once.');
            if (own !== undefined) kept.add(own);
            return { seq: own, contactSeq, payload };
          });
          store.messages.replace(seq, messages, now);
          store.tickets.threadChanged(seq, now);
        });
        c.set('effect', { effect: 'replaced', ticketSeq: seq });
        return { messages: store.messages.ofTicket(seq).map(messageView) };
      },
    }),
    route({
      method: 'GET',
      path: '/tickets/:ticketId/events',
      kind: 'read',
      query: paged,
      handle(request) {
        const { seq, event_count: total } = ticketOf(request);
        const { place, reported } = pageOf(request.query, total);
        const rows = request.service.store.events.ofTicket(seq, place.take, place.offset);
        return { events: rows.map(eventView), ...reported };
      },
    }),
    route({
      method: 'PUT',
      path: '/tickets/:ticketId/events',
      kind: 'events',
      isStated: true,
      effect: 'replaced',
      body: bodies.events,
      handle(request) {
        const { service, c, now, body } = request;
        const { store } = service;
        const { seq } = ticketOf(request);
        const match = matching(request);
        store.write(() => {
          const events = body.map((payload, index) => {
            checkAgent(service, payload.agentId, `[${index}].agentId`);
            return { contactSeq: match(payload, `[${index}].contactId`)?.seq ?? null, payload };
          });
          store.events[c.get('appendsEvents') === true ? 'append' : 'replace'](seq, events, now);
          store.tickets.threadChanged(seq, now);
        });
        c.set('effect', { effect: 'replaced', ticketSeq: seq });
        return { events: store.events.ofTicket(seq).map(eventView) };
      },
    }),
  ];
}

/** As a list shows it. */
function listed(row: MessageRow): MessageView {
  const message = messageView(row);
  const isLong = row.content.length > SHOWN_CHARACTERS;
  return isLong ? { ...message, content: `${row.content.slice(0, SHOWN_CHARACTERS)}…` } : message;
}

/** The requested page, and the fields of the answer about the other pages. */
function pageOf(query: { take: number; cursor?: string | undefined }, total: number) {
  const offset = Number(query.cursor ?? 0);
  if (offset > total) throw invalid('invalid_parameter', [{ path: 'cursor', message: 'Unknown cursor.' }]);
  const hasNextPage = offset + query.take < total;
  return {
    place: { take: query.take, offset },
    reported: {
      hasNextPage,
      hasPreviousPage: offset > 0,
      ...(hasNextPage ? { cursor: String(offset + query.take) } : {}),
      total,
    },
  };
}
