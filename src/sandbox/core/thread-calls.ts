/** Messages and events of a ticket: pages, and replacement (4.2, 4.3). */
import { z } from 'zod';
import { rowNumber } from '../store/kept-values.ts';
import type { SandboxStore } from '../store/store.ts';
import type { Entries, EntryView, MessageView } from '../store/thread.ts';
import { type EventBody, eventBodies, type MessageBody, messageBodies } from './bodies.ts';
import { invalid, notFound, unprocessable } from './request.ts';
import { MOST_TAKE, one, type Route, route, take } from './router.ts';
import { checkAgent, matchContact, ticketOf } from './ticket-calls.ts';

/** In a list, as in a deployed service. */
const SHOWN_CHARACTERS = 4_000;

const unknownCursor = 'Unknown cursor.';
const cursor = z.string().regex(/^\d{1,15}$/, unknownCursor);

function listedMessage(message: MessageView): MessageView {
  const { content } = message;
  if (content.length <= SHOWN_CHARACTERS) return message;
  return { ...message, content: `${content.slice(0, SHOWN_CHARACTERS)}…` };
}

interface EntryKind<View extends EntryView, Body extends MessageBody | EventBody> {
  readonly entriesIn: (store: SandboxStore) => Entries<View, Body>;
  readonly listed: (entry: View) => View;
  readonly changed: (store: SandboxStore, seq: number, now: number, thread: readonly View[]) => void;
}

function entryCalls<View extends EntryView, Body extends MessageBody | EventBody>(
  kind: 'messages' | 'events',
  body: z.ZodType<Body[]>,
  { entriesIn, listed, changed }: EntryKind<View, Body>,
): Route[] {
  const path = `/tickets/:ticketId/${kind}`;
  const list = route({
    method: 'GET',
    path,
    query: { take: take(MOST_TAKE), cursor: one(cursor.optional()) },
    handle(request) {
      const { take: asked, cursor: from = '0' } = request.query;
      const { ticketNumber, messageCount, eventCount } = ticketOf(request);
      const total = kind === 'messages' ? messageCount : eventCount;
      const offset = Number(from);
      if (offset > total) throw invalid('invalid_parameter', [{ path: 'cursor', message: unknownCursor }]);
      const hasNextPage = offset + asked < total;
      return {
        [kind]: entriesIn(request.service.store).ofTicket(ticketNumber, asked, offset).map(listed),
        hasNextPage,
        hasPreviousPage: offset > 0,
        cursor: hasNextPage ? String(offset + asked) : undefined,
        total,
      };
    },
  });
  const replace = route({
    method: 'PUT',
    path,
    body,
    handle(request) {
      const { service, now } = request;
      const { store } = service;
      const ticketId = request.param('ticketId');
      const seq = store.tickets.number(ticketId);
      if (seq === undefined) throw notFound('ticket', ticketId);
      const entries = entriesIn(store);
      const views = store.write(() => {
        const kept = new Set<string>();
        const matched = new Map<string, number | null>();
        const sent = request.body.map((entry, index) => {
          checkAgent(service, entry.agentId, `[${index}].agentId`);
          const named = 'contact' in entry ? entry.contact : undefined;
          const who = JSON.stringify([named, entry.contactId]);
          const contactSeq = matched.get(who) ?? matchContact(request, entry, `[${index}].contactId`);
          matched.set(who, contactSeq);
          const id = 'id' in entry ? entry.id : undefined;
          if (id === undefined) return { contactSeq, body: entry };
          if (entries.one(seq, id) === undefined)
            throw unprocessable(`[${index}].id`, `This ticket has no message ${id.slice(0, 100)}.`);
          if (kept.has(id)) throw unprocessable(`[${index}].id`, 'A message can be kept only once.');
          kept.add(id);
          return { seq: rowNumber('message', id), contactSeq, body: entry };
        });
        entries.replace(seq, sent, now);
        const all = entries.ofTicket(seq);
        changed(store, seq, now, all);
        return all;
      });
      return { [kind]: views };
    },
  });
  return [list, replace];
}

export const THREAD_CALLS: readonly Route[] = [
  ...entryCalls('messages', messageBodies, {
    entriesIn: ({ messages }) => messages,
    listed: listedMessage,
    changed: ({ tickets }, seq, now, thread) => tickets.messagesChanged(seq, now, thread),
  }),
  ...entryCalls('events', eventBodies, {
    entriesIn: ({ events }) => events,
    listed: (event) => event,
    changed: ({ tickets }, seq, now, { length }) => tickets.eventsChanged(seq, now, length),
  }),
  route({
    method: 'GET',
    path: '/tickets/:ticketId/messages/:messageId',
    handle(request) {
      const id = request.param('messageId');
      const message = request.service.store.messages.one(ticketOf(request).ticketNumber, id);
      if (message === undefined) throw notFound('message', id);
      return { message };
    },
  }),
];
