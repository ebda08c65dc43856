/**
 * Tickets as the target reports them, with their messages and events, compared with what was sent (specification, 4.6). Reading
 * is promised by nobody (4.5): where the target cannot be read, the answer of the create is all that can be compared.
 */
import type { EventPayload, MessagePayload, TicketPayload } from '../domain/payload.ts';
import { ApiFailure, type Snapshot, type TicketApi } from '../domain/ticket-api.ts';
import { type AttachmentProbe, judgeAttachments } from './attachment-probe.ts';
import { type Check, failed, mergeChecks, passed } from './check.ts';
import { compareEvents, compareMessages, placesOf } from './compare-messages.ts';
import { ContactIds, compareTicket } from './compare-ticket.ts';

/** What was sent for a ticket, or would be. */
export interface Sent {
  readonly ticket: TicketPayload;
  readonly messages: readonly MessagePayload[];
  readonly events: readonly EventPayload[];
}

export type ReadBack =
  /** Lists that the target does not show are undefined. */
  | {
      readonly kind: 'read';
      readonly ticket: Snapshot;
      readonly messages: readonly Snapshot[] | undefined;
      readonly events: readonly Snapshot[] | undefined;
    }
  | Unread;

type Unread =
  /** 403, 404 or 405: it is not there, or the target cannot be read. What it is shows in the other tickets. */
  | { readonly kind: 'hidden'; readonly status: number | undefined; readonly detail: string }
  /** This ticket could not be read: a refusal, or an answer that makes no sense. */
  | { readonly kind: 'failed'; readonly detail: string };

/** Throws ApiFailure `auth`, `unreachable` and `cut-off`, which concern the whole, and the signal's reason. */
export async function readBack(
  { events: sent }: Sent,
  ticketId: string,
  api: TicketApi,
  signal: AbortSignal,
): Promise<ReadBack> {
  const ticket = await attempt(() => api.readTicket(ticketId, signal), signal);
  if ('kind' in ticket) return ticket;
  const messages = await attempt(() => api.readMessages(ticketId, signal), signal);
  const events =
    sent.length === 0 ? undefined : await attempt(() => api.readEvents(ticketId, signal), signal);
  for (const part of [messages, events])
    if (part !== undefined && 'kind' in part && part.kind === 'failed') return part;
  return {
    kind: 'read',
    ticket: ticket.value,
    messages: 'value' in messages ? messages.value : undefined,
    events: events !== undefined && 'value' in events ? events.value : undefined,
  };
}

async function attempt<T>(
  read: () => Promise<T>,
  signal: AbortSignal,
): Promise<{ readonly value: T } | Unread> {
  try {
    return { value: await read() };
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof ApiFailure)) throw error;
    const { code, status, message } = error;
    if (code === 'target-unreadable') return { kind: 'hidden', status, detail: message };
    if (code === 'refused' || code === 'unknown-outcome') return { kind: 'failed', detail: message };
    throw error;
  }
}

/** In the order of CHECK_NAMES. The first of them, `read back`, says what could not be read. */
export function compareRead(
  sent: Sent,
  { ticket, messages, events }: Extract<ReadBack, { kind: 'read' }>,
  contactIds: ContactIds,
): { readonly checks: Check[]; readonly isWhole: boolean } {
  const unread = [
    ...(messages === undefined ? ['messages'] : []),
    ...(events === undefined && sent.events.length > 0 ? ['events'] : []),
  ];
  const how = unread.length === 0 ? '' : ` Its ${unread.join(' and ')} cannot be read.`;
  const places = placesOf(sent.messages, messages ?? []);
  const pairs = sent.messages.flatMap((message, index) => {
    const same = messages?.[places[index] ?? -1];
    return same === undefined ? [] : [[message, same] as const];
  });
  return {
    isWhole: unread.length === 0,
    checks: mergeChecks([
      passed('read back', `The ticket was read back.${how}`),
      ...compareTicket(sent.ticket, ticket),
      ...(messages === undefined ? [] : compareMessages(sent.messages, messages)),
      ...(events === undefined ? [] : compareEvents(sent.events, events)),
      ...contactIds.see([[sent.ticket, ticket], ...pairs]),
    ]),
  };
}

export interface SentTicket extends Sent {
  readonly externalId: string;
  readonly ticketId: string;
  /** The ticket as the create answered it; absent where an earlier process created it. */
  readonly created?: Readonly<Record<string, unknown>> | undefined;
}

export interface TrialChecks {
  /** In the order of the tickets given. */
  readonly tickets: readonly (Pick<SentTicket, 'externalId' | 'ticketId'> & {
    readonly checks: readonly Check[];
  })[];
  /** Distinct attachments asked for, and how many of them cannot be opened (contract, `attachments`). */
  readonly attachments: { readonly checked: number; readonly unreachable: number };
}

/**
 * Reads the tickets of a trial, one after the other: its checks must not press on the target. Without a probe no attachment is
 * asked for. Throws as `readBack` does; every other failure of a read is a failed check.
 */
export async function checkTrial(
  tickets: readonly SentTicket[],
  api: TicketApi,
  probe: AttachmentProbe | undefined,
  signal: AbortSignal,
): Promise<TrialChecks> {
  const found: { sent: SentTicket; back: ReadBack }[] = [];
  for (const sent of tickets) found.push({ sent, back: await readBack(sent, sent.ticketId, api, signal) });
  const isReadable = found.some(({ back }) => back.kind === 'read');
  const probed = await probe?.probe(tickets.flatMap(attachmentUrls), signal);
  const asked = [...(probed?.values() ?? [])].filter((result) => result.outcome !== 'not-checked');
  const contactIds = new ContactIds();
  return {
    tickets: found.map(({ sent, back }) => ({
      externalId: sent.externalId,
      ticketId: sent.ticketId,
      checks: mergeChecks([
        ...compareBack(sent, back, isReadable, contactIds),
        ...(probed === undefined ? [] : judgeAttachments(attachmentUrls(sent), probed)),
      ]),
    })),
    attachments: {
      checked: asked.length,
      unreachable: asked.filter((result) => result.outcome !== 'reachable').length,
    },
  };
}

function compareBack(
  sent: SentTicket,
  back: ReadBack,
  targetIsReadable: boolean,
  contactIds: ContactIds,
): readonly Check[] {
  const name = 'read back';
  if (back.kind === 'failed') return [failed(name, `The ticket could not be read back: ${back.detail}`)];
  if (back.kind === 'read') return compareRead(sent, back, contactIds).checks;
  // A target that shows other tickets and answers 404 for this one does not have it.
  if (targetIsReadable && back.status === 404)
    return [failed(name, `The target does not have the ticket ${sent.ticketId} any more.`)];
  if (sent.created === undefined)
    return [passed(name, 'Nothing was compared: the target cannot be read, so look at the ticket yourself.')];
  const answered: Snapshot = { ...sent.created, id: sent.ticketId };
  return [
    passed(
      name,
      'The target cannot be read: only what it answered to the create was compared, without messages and events.',
    ),
    ...compareTicket(sent.ticket, answered),
    ...contactIds.see([[sent.ticket, answered]]),
  ];
}

function attachmentUrls({ messages }: Sent): string[] {
  return messages.flatMap(({ attachments = [] }) => attachments.map(({ url }) => url));
}
