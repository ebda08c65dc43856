/** Messages and events of a ticket: pages, and replacement (4.2, 4.3). */
import { z } from 'zod';
import { rowNumber } from '../store/kept-values.ts';
import type { EntryToKeep, MessageView } from '../store/thread.ts';
import type { CoreBodies, MessageBody } from './bodies.ts';
import { invalid, notFound, unprocessable } from './request.ts';
import { MOST_TAKE, one, type Route, route, take } from './router.ts';
import { checkAgent, matchContact, ticketOf } from './ticket-calls.ts';

/** Characters of `content` in a list, as in a deployed service. */
const SHOWN_CHARACTERS = 4_000;

const paged = {
  take: take(MOST_TAKE),
  cursor: one(
    z
      .string()
      .regex(/^\d{1,15}$/, 'Unknown cursor.')
      .optional(),
  ),
};

export function threadCalls(bodies: CoreBodies): Route[] {
  return [
    route({
      method: 'GET',
      path: '/tickets/:ticketId/messages',
      kind: 'read',
      query: paged,
      handle(request) {
        const { ticketNumber: seq, messageCount: total } = ticketOf(request);
        const { place, reported } = pageOf(request.query, total);
        const messages = request.service.store.messages.ofTicket(seq, place.take, place.offset);
        return { messages: messages.map(listed), ...reported };
      },
    }),
    route({
      method: 'GET',
      path: '/tickets/:ticketId/messages/:messageId',
      kind: 'read',
      handle(request) {
        const id = request.param('messageId');
        const message = request.service.store.messages.one(ticketOf(request).ticketNumber, id);
        if (message === undefined) throw notFound('message', id);
        return { message };
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
        const { ticketNumber: seq } = ticketOf(request);
        const { store } = service;
        store.write(() => {
          const kept = new Set<string>();
          const messages = body.map((message, index): EntryToKeep<MessageBody> => {
            const { id } = message;
            checkAgent(service, message.agentId, `[${index}].agentId`);
            const contactSeq = matchContact(request, message, `[${index}].contactId`);
            if (id === undefined) return { contactSeq, body: message };
            if (store.messages.one(seq, id) === undefined)
              throw unprocessable(`[${index}].id`, `This ticket has no message ${id.slice(0, 100)}.`);
            if (kept.has(id)) throw unprocessable(`[${index}].id`, 'A message can be kept only once.');
            kept.add(id);
            return { seq: rowNumber('message', id), contactSeq, body: message };
          });
          store.messages.replace(seq, messages, now);
          store.tickets.threadChanged(seq, now);
        });
        c.set('effect', { effect: 'replaced', ticketSeq: seq });
        return { messages: store.messages.ofTicket(seq) };
      },
    }),
    route({
      method: 'GET',
      path: '/tickets/:ticketId/events',
      kind: 'read',
      query: paged,
      handle(request) {
        const { ticketNumber: seq, eventCount: total } = ticketOf(request);
        const { place, reported } = pageOf(request.query, total);
        return { events: request.service.store.events.ofTicket(seq, place.take, place.offset), ...reported };
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
        const { ticketNumber: seq } = ticketOf(request);
        store.write(() => {
          const events = body.map((event, index) => {
            checkAgent(service, event.agentId, `[${index}].agentId`);
            return { contactSeq: matchContact(request, event, `[${index}].contactId`), body: event };
          });
          store.events[c.get('appendsEvents') === true ? 'append' : 'replace'](seq, events, now);
          store.tickets.threadChanged(seq, now);
        });
        c.set('effect', { effect: 'replaced', ticketSeq: seq });
        return { events: store.events.ofTicket(seq) };
      },
    }),
  ];
}

/** As a list shows it. */
function listed(message: MessageView): MessageView {
  const { content } = message;
  if (content.length <= SHOWN_CHARACTERS) return message;
  return { ...message, content: `${content.slice(0, SHOWN_CHARACTERS)}…` };
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
