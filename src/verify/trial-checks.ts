/**
 * The checks after a trial: every ticket of it is read back and compared with what was sent (specification, 4.6: message
 * order, contact matching, timestamps, attachment accessibility). Reading is promised by nobody (4.5): where the target
 * cannot be read, the answer of the create is all that can be compared, and the check says that it did only that.
 */
import type { EventPayload, MessagePayload, TicketPayload } from '../domain/payload.ts';
import { ApiFailure, type Snapshot, type TicketApi } from '../domain/ticket-api.ts';
import { type AttachmentProbe, judgeAttachments } from './attachment-probe.ts';
import { type Check, mergeChecks } from './check.ts';
import { compareEvents, compareMessages } from './compare-messages.ts';
import { compareTicket } from './compare-ticket.ts';
import { type ContactIds, createContactIds, seenContacts } from './contact-ids.ts';

export interface SentTicket {
  readonly externalId: string;
  readonly ticketId: string;
  readonly ticket: TicketPayload;
  readonly messages: readonly MessagePayload[];
  readonly events: readonly EventPayload[];
  /** The ticket as the create answered it; absent where an earlier process created it. */
  readonly created?: Readonly<Record<string, unknown>>;
}

export interface TicketChecks {
  readonly externalId: string;
  readonly ticketId: string;
  readonly checks: readonly Check[];
}

export interface TrialChecks {
  /** In the order of the tickets given. */
  readonly tickets: readonly TicketChecks[];
  /** Distinct attachments asked for, and how many of them cannot be opened (contract, `attachments`). */
  readonly attachments: { readonly checked: number; readonly unreachable: number };
}

/** What reading one ticket back gave. Lists that the target does not tell are undefined. */
type ReadBack =
  | {
      readonly kind: 'read';
      readonly ticket: Snapshot;
      readonly messages: readonly Snapshot[] | undefined;
      readonly events: readonly Snapshot[] | undefined;
    }
  | { readonly kind: 'unreadable'; readonly status: number | undefined }
  | { readonly kind: 'failed'; readonly detail: string };

/**
 * Reads one ticket after the other: a trial is small, and its checks must not press on the target. Without a probe no
 * attachment is asked for. Throws ApiFailure `auth`, `unreachable` and `cut-off`, which concern the whole run, and the
 * signal's reason; every other failure of a read is a failed check.
 */
export async function checkTrial(
  tickets: readonly SentTicket[],
  api: TicketApi,
  probe: AttachmentProbe | undefined,
  signal: AbortSignal,
): Promise<TrialChecks> {
  const backs: ReadBack[] = [];
  for (const sent of tickets) backs.push(await readBack(sent, api, signal));
  const readable = backs.some((back) => back.kind === 'read');

  const urls = tickets.flatMap((sent) => attachmentUrls(sent));
  const probed = await probe?.probe(urls, signal);
  const asked = [...(probed?.values() ?? [])].filter((result) => result.outcome !== 'not-checked');

  const contactIds = createContactIds();
  return {
    tickets: tickets.map((sent, index) => {
      const checks = compareBack(sent, backs[index], readable, contactIds);
      const access = probed && judgeAttachments(attachmentUrls(sent), probed);
      return {
        externalId: sent.externalId,
        ticketId: sent.ticketId,
        checks: mergeChecks(access === undefined ? checks : [...checks, access]),
      };
    }),
    attachments: {
      checked: asked.length,
      unreachable: asked.filter((result) => result.outcome !== 'reachable').length,
    },
  };
}

async function readBack(sent: SentTicket, api: TicketApi, signal: AbortSignal): Promise<ReadBack> {
  const ticket = await attempt(() => api.readTicket(sent.ticketId, signal), signal);
  if (ticket.kind !== 'read') return ticket;
  const messages = await attempt(() => api.readMessages(sent.ticketId, signal), signal);
  if (messages.kind === 'failed') return messages;
  const events =
    sent.events.length === 0 ? undefined : await attempt(() => api.readEvents(sent.ticketId, signal), signal);
  if (events?.kind === 'failed') return events;
  return {
    kind: 'read',
    ticket: ticket.value,
    messages: messages.kind === 'read' ? messages.value : undefined,
    events: events?.kind === 'read' ? events.value : undefined,
  };
}

type Attempt<T> =
  | { readonly kind: 'read'; readonly value: T }
  | { readonly kind: 'unreadable'; readonly status: number | undefined }
  | { readonly kind: 'failed'; readonly detail: string };

async function attempt<T>(read: () => Promise<T>, signal: AbortSignal): Promise<Attempt<T>> {
  try {
    return { kind: 'read', value: await read() };
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof ApiFailure)) throw error;
    switch (error.code) {
      case 'target-unreadable':
        return { kind: 'unreadable', status: error.status };
      case 'refused':
      case 'unknown-outcome':
        return { kind: 'failed', detail: `The ticket could not be read back: ${error.message}` };
      case 'auth':
      case 'unreachable':
      case 'cut-off':
        throw error;
    }
  }
}

function compareBack(
  sent: SentTicket,
  back: ReadBack | undefined,
  targetIsReadable: boolean,
  contactIds: ContactIds,
): Check[] {
  const name = 'read back';
  if (back?.kind === 'failed') return [{ name, ok: false, detail: back.detail }];
  if (back?.kind === 'read') {
    const untold = [
      ...(back.messages === undefined ? ['messages'] : []),
      ...(back.events === undefined && sent.events.length > 0 ? ['events'] : []),
    ];
    const how = untold.length === 0 ? '' : ` Its ${untold.join(' and ')} cannot be read.`;
    return [
      { name, ok: true, detail: `The ticket was read back.${how}` },
      ...compareTicket(sent.ticket, back.ticket),
      ...(back.messages === undefined ? [] : compareMessages(sent.messages, back.messages)),
      ...(back.events === undefined ? [] : compareEvents(sent.events, back.events)),
      ...seenContacts(sent, back.ticket, back.messages ?? [], contactIds),
    ];
  }
  // A target that tells other tickets and answers 404 for this one does not have it.
  if (targetIsReadable && back?.kind === 'unreadable' && back.status === 404)
    return [{ name, ok: false, detail: `The target does not have the ticket ${sent.ticketId} any more.` }];
  if (sent.created === undefined)
    return [
      {
        name,
        ok: true,
        detail: 'Nothing was compared: the target cannot be read, so look at the ticket yourself.',
      },
    ];
  const answered: Snapshot = { ...sent.created, id: sent.ticketId };
  return [
    {
      name,
      ok: true,
      detail:
        'The target cannot be read: only what it answered to the create was compared, without messages and events.',
    },
    ...compareTicket(sent.ticket, answered),
    ...seenContacts(sent, answered, [], contactIds),
  ];
}

function attachmentUrls(sent: SentTicket): string[] {
  return sent.messages.flatMap((message) => (message.attachments ?? []).map(({ url }) => url));
}
