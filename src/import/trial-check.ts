/** Reads the tickets of a trial back and compares them. */

import type { TrialPick } from '../domain/decisions.ts';
import { isRunTag } from '../domain/identity.ts';
import type { Ledger } from '../domain/ledger.ts';
import type { CheckedTicket } from '../domain/ticket.ts';
import type { CreatedTicket, TicketApi } from '../domain/ticket-api.ts';
import { idsIn } from '../plan/queries.ts';
import { namedHosts } from '../settings/settings.ts';
import { checkTrial, type SentTicket } from '../verify/read-back.ts';
import type { FilesView } from './known-files.ts';
import { nameOf } from './read.ts';
import type { LearntSource, Run } from './run.ts';

/** Keeps the answers to creates, by ticket ID. */
export function listening(api: TicketApi, answers: Map<string, CreatedTicket>): TicketApi {
  return {
    ...api,
    createTicket: async (...call) => {
      const created = await api.createTicket(...call);
      answers.set(created.id, created);
      return created;
    },
  };
}

/** Loaded before anything is sent: the installation may be replaced during a run. */
export const loadAttachmentProbe = () => import('../verify/attachment-probe.ts');

export async function checkTickets(
  { settings, ports }: Run,
  source: LearntSource,
  view: FilesView,
  picks: readonly TrialPick[],
  answers: ReadonlyMap<string, CreatedTicket>,
  ledger: Pick<Ledger, 'get'>,
  api: TicketApi,
): Promise<void> {
  const { createAttachmentProbe } = await loadAttachmentProbe();
  await using probe = createAttachmentProbe(ports.clock, {
    timeoutMs: Math.min(10, settings.run.timeout) * 1000,
    privateHosts: namedHosts(settings.files),
    env: ports.env,
  });
  const sentAs = new Map<string, SentTicket>();
  const where = idsIn(picks.map(({ externalId }) => externalId));
  for (const page of source.plan.entries(where))
    for (const entry of page) {
      if (entry.kind !== 'ticket') continue;
      const { checked } = view(entry.result, nameOf(source, entry.ref));
      const { state, ticketId } = ledger.get(entry.externalId) ?? {};
      if (checked === undefined || state !== 'done' || ticketId === undefined) continue;
      sentAs.set(entry.externalId, sentTicket(source, checked, ticketId, answers.get(ticketId)?.ticket));
    }
  const sent = picks.flatMap(({ externalId, why }) => {
    const ticket = sentAs.get(externalId);
    return ticket === undefined ? [] : [{ ...ticket, why }];
  });
  const { tickets, attachments } = await checkTrial(sent, api, probe, ports.hard);
  const checks = new Map(tickets.map((ticket) => [ticket.externalId, ticket]));
  const missing = { name: 'imported', ok: false, detail: 'The ticket is not complete in the helpdesk.' };
  const isFlawed = checks.size < picks.length || tickets.some(({ checks: of }) => of.some(({ ok }) => !ok));
  const checked = picks.map(({ externalId, why }) => {
    const { ticketId, checks: of = [missing] } = checks.get(externalId) ?? {};
    const { ticket } = sentAs.get(externalId) ?? {};
    return {
      ...{ externalId, ...(ticketId !== undefined && { ticketId }), why, checks: of },
      ...(ticket !== undefined && {
        subject: ticket.subject,
        customer: ticket.contact?.name ?? ticket.contact?.email ?? ticket.contactId ?? '',
        status: ticket.status ?? 'open',
      }),
    };
  });
  source.plan.steps.tell({
    trial: { tickets: checked },
    probed: attachments,
    isFlawed: isFlawed || undefined,
  });
}

function sentTicket(
  { contacts }: LearntSource,
  { externalId, ticket, messages, events }: CheckedTicket,
  ticketId: string,
  created: SentTicket['created'],
): SentTicket {
  const { contact, tags } = ticket;
  const name = contact && contacts.nameOf(contact.email);
  return {
    externalId,
    ticketId,
    ticket: {
      ...ticket,
      ...(created === undefined && tags && { tags: tags.filter((tag) => !isRunTag(tag)) }),
      ...(contact && { contact: { email: contact.email, ...(name !== undefined && { name }) } }),
    },
    messages,
    events,
    created,
  };
}
