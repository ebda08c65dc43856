/** Reads the tickets of a trial back and compares them. */

import type { TrialPick } from '../domain/decisions.ts';
import { isRunTag } from '../domain/identity.ts';
import type { Ledger } from '../domain/ledger.ts';
import type { CheckedTicket } from '../domain/ticket.ts';
import type { CreatedTicket, TicketApi } from '../domain/ticket-api.ts';
import { idsIn } from '../plan/queries.ts';
import { checkTrial, type SentTicket } from '../verify/read-back.ts';
import { examineExport } from './examine.ts';
import type { ImportJob } from './import-job.ts';
import type { JobResult } from './survey-export.ts';

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
  job: ImportJob,
  picks: readonly TrialPick[],
  answers: ReadonlyMap<string, CreatedTicket>,
  ledger: Pick<Ledger, 'get'>,
  api: TicketApi,
): Promise<NonNullable<JobResult['trial']>> {
  const { pace, ports } = job;
  const { createAttachmentProbe } = await loadAttachmentProbe();
  await using probe = createAttachmentProbe(ports.clock, {
    timeoutMs: Math.min(10_000, pace.timeoutMs),
    privateHosts: job.attachments.privateHosts,
    env: ports.env,
  });
  const sentAs = new Map<string, SentTicket>();
  const where = idsIn(picks.map(({ externalId }) => externalId));
  for await (const chunk of examineExport(job, ports.hard, ledger, where))
    for (const examined of chunk) {
      if (examined.kind !== 'ticket') continue;
      const { externalId, record, result } = examined;
      if (result.checked === undefined || record?.state !== 'done' || record.ticketId === undefined) continue;
      const created = answers.get(record.ticketId)?.ticket;
      sentAs.set(externalId, sentTicket(job, result.checked, record.ticketId, created));
    }
  const sent = picks.flatMap(({ externalId, why }) => {
    const ticket = sentAs.get(externalId);
    return ticket === undefined ? [] : [{ ...ticket, why }];
  });
  const { tickets, attachments } = await checkTrial(sent, api, probe, ports.hard);
  const checks = new Map(tickets.map((ticket) => [ticket.externalId, ticket]));
  const missing = { name: 'imported', ok: false, detail: 'The ticket is not complete in the helpdesk.' };
  return {
    attachments,
    tickets: picks.map(({ externalId, why }) => {
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
    }),
    failed: checks.size < picks.length || tickets.some(({ checks: of }) => of.some(({ ok }) => !ok)),
  };
}

function sentTicket(
  { names }: ImportJob,
  { externalId, ticket, messages, events }: CheckedTicket,
  ticketId: string,
  created: SentTicket['created'],
): SentTicket {
  const { contact, tags } = ticket;
  const name = contact && names.nameOf(contact.email);
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
