/**
 * The checks after a trial: every ticket of it is read back and compared with what was sent (specification, 4.6: message
 * order, contact matching, timestamps, attachment accessibility). Reading is promised by nobody (4.5): where the target
 * cannot be read, the answer of the create is all that can be compared, and the check says that it did only that.
 */
import type { Snapshot, TicketApi } from '../domain/ticket-api.ts';
import { type AttachmentProbe, judgeAttachments } from './attachment-probe.ts';
import { type Check, failed, mergeChecks, passed } from './check.ts';
import { ContactIds, compareTicket } from './compare-ticket.ts';
import { compareRead, type ReadBack, readBack, type Sent } from './read-back.ts';

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
  // A target that tells other tickets and answers 404 for this one does not have it.
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
    ...contactIds.see(sent, answered, []),
  ];
}

function attachmentUrls({ messages }: Sent): string[] {
  return messages.flatMap(({ attachments = [] }) => attachments.map(({ url }) => url));
}
