/** Reads tickets back and compares them (4.6). Without reads (4.5) only the answer to the create can be compared. */
import type { EventPayload, MessagePayload, TicketPayload } from '../domain/payload.ts';
import type { Snapshot, TicketApi } from '../domain/ticket-api.ts';
import { isUnread } from '../helpdesk/api.ts';
import { type AttachmentProbe, judgeAttachments } from './attachment-probe.ts';
import { type Check, failed, mergeChecks, passed } from './check.ts';
import { compareEvents, compareMessages, placesOf } from './compare-messages.ts';
import { ContactIds, compareTicket } from './compare-ticket.ts';

export interface Sent {
  readonly ticket: TicketPayload;
  readonly messages: readonly MessagePayload[];
  readonly events: readonly EventPayload[];
}

export type ReadBack =
  | {
      readonly kind: 'read';
      readonly ticket: Snapshot;
      readonly messages: readonly Snapshot[] | undefined;
      readonly events: readonly Snapshot[] | undefined;
    }
  | Unread;

type Unread =
  /** 403, 404 or 405: the ticket is missing, or the helpdesk cannot be read; other tickets show which. */
  | { readonly kind: 'hidden'; readonly status: number | undefined; readonly detail: string }
  | { readonly kind: 'failed'; readonly detail: string };

/** Throws ApiFailure `auth`, `unreachable` and `cut-off`, and the signal's reason. */
export async function readBack(
  { events: sent }: Sent,
  ticketId: string,
  api: Pick<TicketApi, 'readTicket' | 'readMessages' | 'readEvents'>,
  signal: AbortSignal,
): Promise<ReadBack> {
  const ticket = await attempt(api.readTicket(ticketId, signal), signal);
  if ('kind' in ticket) return ticket;
  const messages = await attempt(api.readMessages(ticketId, signal), signal);
  if ('kind' in messages && messages.kind === 'failed') return messages;
  const events =
    sent.length === 0 ? { value: undefined } : await attempt(api.readEvents(ticketId, signal), signal);
  if ('kind' in events && events.kind === 'failed') return events;
  return {
    kind: 'read',
    ticket: ticket.value,
    messages: 'value' in messages ? messages.value : undefined,
    events: 'value' in events ? events.value : undefined,
  };
}

async function attempt<T>(asked: Promise<T>, signal: AbortSignal): Promise<{ readonly value: T } | Unread> {
  try {
    return { value: await asked };
  } catch (error) {
    signal.throwIfAborted();
    if (!isUnread(error)) throw error;
    const { code, status, message } = error;
    return code === 'target-unreadable'
      ? { kind: 'hidden', status, detail: message }
      : { kind: 'failed', detail: message };
  }
}

/** `read back` names what could not be read. */
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
  /** Absent if an earlier process created it. */
  readonly created?: Readonly<Record<string, unknown>> | undefined;
}

export interface TrialChecks {
  readonly tickets: readonly (Pick<SentTicket, 'externalId' | 'ticketId'> & {
    readonly checks: readonly Check[];
  })[];
  readonly attachments: { readonly checked: number; readonly unreachable: number };
}

/** One after the other, to spare the helpdesk. Throws as `readBack` does; other failures are failed checks. */
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
  // Other tickets show, so this one is missing.
  if (targetIsReadable && back.status === 404)
    return [failed(name, `The helpdesk no longer has the ticket ${sent.ticketId}.`)];
  if (sent.created === undefined)
    return [
      passed(name, 'Nothing was compared: the helpdesk cannot be read, so look at the ticket yourself.'),
    ];
  const answered: Snapshot = { ...sent.created, id: sent.ticketId };
  return [
    passed(
      name,
      'The helpdesk cannot be read: only what it answered to the create was compared, without messages and events.',
    ),
    ...compareTicket(sent.ticket, answered),
    ...contactIds.see([[sent.ticket, answered]]),
  ];
}

function attachmentUrls({ messages }: Sent): string[] {
  return messages.flatMap(({ attachments = [] }) => attachments.map(({ url }) => url));
}
