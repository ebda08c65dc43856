/**
 * The three writes of the Core API: create a ticket (4.1), replace its messages (4.2), replace its events (4.3).
 * `readOnly` prevents edits in the service (2.1); these calls are how the system that manages a ticket changes it, so
 * they are served for such tickets too.
 */
import type { Context } from 'hono';
import { eventsBody, messagesBody, ticketBody } from '../../check/payloads.ts';
import { keptEvent, keptMessage, keptTicket } from '../faults/altered-data.ts';
import { excerptOf } from '../store/excerpt.ts';
import { publicId, rowNumber } from '../store/kept-values.ts';
import type { MessageToKeep } from '../store/thread.ts';
import { ticketView } from '../store/tickets.ts';
import { coreBody, readJson } from './body.ts';
import {
  atomicMatching,
  type ContactMention,
  type MatchContact,
  mergedMatching,
  racyMatching,
} from './contact-matching.ts';
import { notFound, unprocessable } from './refusal.ts';
import type { SandboxEnv, Service } from './sandbox-env.ts';

export async function createTicket(service: Service, c: Context<SandboxEnv>): Promise<Response> {
  const { store, clock } = service;
  const body = coreBody(ticketBody, await readJson(c, service.maxBodyBytes));
  const match = await matching(service, c, [body]);
  const now = clock.now();
  const kept = keptTicket(body, c.get('traits') ?? {});
  const view = store.group.write(() => {
    const row = store.tickets.insert(kept, match(body, ''), now);
    c.set('effect', { effect: 'created', ticketSeq: row.seq, subject: body.subject });
    return ticketView(row);
  });
  return c.json(service.bareTicket ? view : { ticket: view }, 201);
}

export async function replaceMessages(service: Service, c: Context<SandboxEnv>): Promise<Response> {
  const { store, clock } = service;
  const ticketSeq = existingTicket(service, c);
  const sent = coreBody(messagesBody, await readJson(c, service.maxBodyBytes));
  const traits = c.get('traits') ?? {};
  const body = keptPart(sent, c).map((message) => keptMessage(message, traits));
  const match = await matching(service, c, body);
  const now = clock.now();
  const ids = store.group.write(() => {
    const known = body.some((message) => message.id !== undefined)
      ? store.messages.timesOf(ticketSeq)
      : undefined;
    const kept = new Set<number>();
    const messages = body.map((payload, index): MessageToKeep => {
      const contactSeq = match(payload, `[${index}].`)?.seq ?? null;
      if (payload.id === undefined) return { contactSeq, payload };
      const seq = rowNumber('message', payload.id);
      if (seq === undefined || known?.has(seq) !== true)
        throw unprocessable(`[${index}].id`, `This ticket has no message ${payload.id.slice(0, 100)}.`);
      if (kept.has(seq)) throw unprocessable(`[${index}].id`, 'A message can be kept only once.');
      kept.add(seq);
      return { seq, contactSeq, payload };
    });
    const replaced = store.messages.replace(ticketSeq, messages, now);
    store.tickets.messagesReplaced(ticketSeq, messages.length, beginning(body), now);
    return replaced;
  });
  c.set('effect', { effect: 'replaced', ticketSeq });
  return c.json({ messages: ids.map((id, index) => ({ id, messageId: body[index]?.messageId })) });
}

export async function replaceEvents(service: Service, c: Context<SandboxEnv>): Promise<Response> {
  const { store, clock } = service;
  const ticketSeq = existingTicket(service, c);
  const sent = coreBody(eventsBody, await readJson(c, service.maxBodyBytes));
  const traits = c.get('traits') ?? {};
  const body = keptPart(sent, c).map((event) => keptEvent(event, traits));
  const now = clock.now();
  const match = atomicMatching(store.contacts, now);
  const ids = store.group.write(() => {
    const events = body.map((payload, index) => ({
      contactSeq: match(payload, `[${index}].`)?.seq ?? null,
      payload,
    }));
    const isAppending = traits['events-append'] !== undefined;
    const before = isAppending ? store.events.count(ticketSeq) : 0;
    const replaced = store.events[isAppending ? 'append' : 'replace'](ticketSeq, events, now);
    store.tickets.eventsReplaced(ticketSeq, before + events.length, now);
    return replaced;
  });
  c.set('effect', { effect: 'replaced', ticketSeq });
  return c.json({ ticketId: publicId('ticket', ticketSeq), events: ids.map((id) => ({ id })) });
}

/** The excerpt of the first message that the customer may see. */
function beginning(messages: readonly MessageToKeep['payload'][]): string | null {
  const first = messages.find((message) => message.isInternal !== true && message.content !== '');
  return first === undefined ? null : excerptOf(first.content, first.contentType);
}

/** The whole list, or the half that a faulty service keeps. */
function keptPart<T>(sent: readonly T[], c: Context<SandboxEnv>): readonly T[] {
  return c.get('isHalf') === true ? sent.slice(0, Math.floor(sent.length / 2)) : sent;
}

/** Row number of the ticket in the path. Throws Refusal 404. */
export function existingTicket(service: Service, c: Context<SandboxEnv>): number {
  const id = c.req.param('ticketId') ?? '';
  const seq = rowNumber('ticket', id);
  if (seq === undefined || !service.store.tickets.exists(seq)) throw notFound('ticket', id);
  return seq;
}

function matching(
  service: Service,
  c: Context<SandboxEnv>,
  mentions: readonly ContactMention[],
): MatchContact | Promise<MatchContact> {
  const { store, clock, closing } = service;
  const racyMs = c.get('racyMs') ?? service.racyContactsMs;
  if (c.get('traits')?.['contacts-merged'] !== undefined) return mergedMatching(store.contacts, clock.now());
  if (racyMs === undefined) return atomicMatching(store.contacts, clock.now());
  return racyMatching(store.contacts, mentions, clock, racyMs, closing);
}
