/** Messages and events of a ticket: read in pages, replaced as a whole (4.2, 4.3), added one by one. */
import { z } from 'zod';
import { mailCustomer } from '../customer-mail.ts';
import { altered, shortened, type Traits } from '../faults/faults.ts';
import { rowNumber } from '../store/kept-values.ts';
import type { EventToKeep, MessageRow, MessageToKeep } from '../store/thread.ts';
import {
  cursorPage,
  eventSchema,
  eventView,
  type MessageView,
  messageSchema,
  messageView,
} from './answers.ts';
import { type CoreBodies, type EventBody, type MessageBody, oneEvent, oneMessage } from './bodies.ts';
import { atomicMatching, matching } from './contact-matching.ts';
import { invalid, notFound, unprocessable } from './refusal.ts';
import { MOST_TAKE, type Request, type Route, route, take } from './route.ts';
import { ticketOf } from './ticket-calls.ts';

const paged = {
  take: take(MOST_TAKE),
  cursor: z
    .string()
    .regex(/^\d{1,15}$/, 'It is not one that this service gave.')
    .optional(),
};

export function threadCalls(bodies: CoreBodies): Route[] {
  return [
    route({
      method: 'GET',
      path: '/tickets/{ticketId}/messages',
      kind: 'read',
      summary: 'The messages of a ticket, in pages; `content` may be shortened, `fullContent` is the whole',
      query: paged,
      answer: z.object({ messages: z.array(messageSchema), ...cursorPage }),
      handle(request) {
        const { seq, message_count: total } = ticketOf(request);
        const { service, traits } = request;
        const { place, reported } = pageOf(request, total);
        const rows = service.store.messages.ofTicket(seq, place.take, place.offset);
        return { messages: rows.map((row) => listed(row, service.shownCharacters, traits)), ...reported };
      },
    }),
    route({
      method: 'GET',
      path: '/tickets/{ticketId}/messages/{messageId}',
      kind: 'read',
      summary: 'One message, whole',
      answer: z.object({ message: messageSchema }),
      handle(request) {
        const id = request.param('messageId');
        const row = request.service.store.messages.one(ticketOf(request).seq, rowNumber('message', id) ?? -1);
        if (row === undefined) throw notFound('message', id);
        return { message: wholeView(row) };
      },
    }),
    route({
      method: 'PUT',
      path: '/tickets/{ticketId}/messages',
      kind: 'messages',
      summary:
        'Replace all messages: elements with the id of a message keep it, the others are new, and what is left out goes',
      isStated: true,
      effect: 'replaced',
      body: bodies.messages,
      answer: z.object({ messages: z.array(messageSchema) }),
      async handle(request) {
        const { service, c, now } = request;
        const { seq } = ticketOf(request);
        const { store } = service;
        const sent = keptPart(request).map((message) => asKept(request, message));
        const match = await matching(request, sent);
        store.group.write(() => {
          const kept = new Set<number>();
          const messages = sent.map((payload, index): MessageToKeep => {
            const contactSeq = match(payload, `[${index}].`)?.seq ?? null;
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
        await mailCustomer(request, ticketOf(request), repliesIn(sent));
        return { messages: store.messages.ofTicket(seq).map(wholeView) };
      },
    }),
    route({
      method: 'POST',
      path: '/tickets/{ticketId}/messages',
      kind: 'messages',
      summary: 'Add one message',
      body: oneMessage,
      status: 201,
      answer: z.object({ message: messageSchema }),
      async handle(request) {
        const { service, c, now } = request;
        const { store } = service;
        const { seq } = ticketOf(request);
        if (request.body.id !== undefined) throw unprocessable('id', 'A new message has no id yet.');
        const payload = asKept(request, request.body);
        const match = await matching(request, [payload]);
        const added = store.group.write(() => {
          const message = { contactSeq: match(payload, '')?.seq ?? null, payload };
          const number = store.messages.append(seq, message, now);
          store.tickets.threadChanged(seq, now);
          return number;
        });
        c.set('effect', { effect: 'stored', ticketSeq: seq });
        await mailCustomer(request, ticketOf(request), repliesIn([payload]));
        return { message: wholeView(store.messages.one(seq, added) as MessageRow) };
      },
    }),
    route({
      method: 'GET',
      path: '/tickets/{ticketId}/events',
      kind: 'read',
      summary: 'The events of a ticket, in pages',
      query: paged,
      answer: z.object({ events: z.array(eventSchema), ...cursorPage }),
      handle(request) {
        const { seq, event_count: total } = ticketOf(request);
        const { place, reported } = pageOf(request, total);
        const rows = request.service.store.events.ofTicket(seq, place.take, place.offset);
        return { events: rows.map(eventView), ...reported };
      },
    }),
    route({
      method: 'PUT',
      path: '/tickets/{ticketId}/events',
      kind: 'events',
      summary: 'Replace all events',
      isStated: true,
      effect: 'replaced',
      body: bodies.events,
      answer: z.object({ events: z.array(eventSchema) }),
      handle(request) {
        const { store } = request.service;
        const { seq } = ticketOf(request);
        keepEvents(
          request,
          seq,
          keptPart(request),
          request.traits.has('events-append') ? 'append' : 'replace',
        );
        request.c.set('effect', { effect: 'replaced', ticketSeq: seq });
        return { events: store.events.ofTicket(seq).map(eventView) };
      },
    }),
    route({
      method: 'POST',
      path: '/tickets/{ticketId}/events',
      kind: 'events',
      summary: 'Add one event',
      body: oneEvent,
      status: 201,
      answer: z.object({ event: eventSchema }),
      handle(request) {
        const { seq } = ticketOf(request);
        keepEvents(request, seq, [request.body], 'append');
        request.c.set('effect', { effect: 'stored', ticketSeq: seq });
        const [event] = request.service.store.events.ofTicket(seq).slice(-1).map(eventView);
        return { event };
      },
    }),
  ];
}

/** What agents write to the customer; elements with an id were there before. */
function repliesIn(messages: readonly MessageBody[]): string[] {
  return messages.flatMap(({ id, actorType, isInternal, content }) =>
    id === undefined && actorType === 'agent' && isInternal !== true ? content : [],
  );
}

function keepEvents(
  { service: { store }, traits, now }: Request<unknown>,
  ticketSeq: number,
  sent: readonly EventBody[],
  how: 'append' | 'replace',
): void {
  const match = atomicMatching(store.contacts, now);
  store.group.write(() => {
    const events = sent.map((event, index): EventToKeep => {
      const { occurredAt } = event;
      const payload =
        occurredAt === undefined ? event : { ...event, occurredAt: altered(traits, 'time', occurredAt) };
      return { contactSeq: match(payload, `[${index}].`)?.seq ?? null, payload };
    });
    store.events[how](ticketSeq, events, now);
    store.tickets.threadChanged(ticketSeq, now);
  });
}

/** As this service keeps what was sent. */
function asKept({ traits }: Pick<Request, 'traits'>, sent: MessageBody): MessageBody {
  if (traits.size === 0) return sent;
  const { content, occurredAt } = sent;
  return {
    ...sent,
    content: altered(traits, 'text', content),
    ...(occurredAt === undefined ? {} : { occurredAt: altered(traits, 'time', occurredAt) }),
  };
}

/** The whole list, or the half that a faulty service keeps. */
function keptPart<T>({ body, c }: Request<unknown, T[]>): T[] {
  return c.get('reported')?.isHalf === true ? body.slice(0, Math.floor(body.length / 2)) : body;
}

function wholeView(row: MessageRow): MessageView {
  return { ...messageView(row), fullContent: row.content };
}

/** As a list shows it. */
function listed(row: MessageRow, characters: number, traits: Traits): MessageView {
  return altered(traits, 'shown', shortened(messageView(row), characters));
}

/** The page that is asked for, and what the answer tells of those before and behind it. */
function pageOf(
  { query, traits }: Request<{ take: number; cursor: string | undefined }, unknown>,
  total: number,
) {
  const size = altered(traits, 'pageSize', query.take);
  const offset = Number(query.cursor ?? 0);
  if (offset > total)
    throw invalid('invalid_parameter', [
      { path: 'cursor', message: 'It is not one that this service gave.' },
    ]);
  const hasNextPage = offset + size < total;
  return {
    place: { take: size, offset },
    reported: {
      hasNextPage,
      hasPreviousPage: offset > 0,
      ...(hasNextPage ? { cursor: String(offset + size) } : {}),
      total,
    },
  };
}
