/** A trial, while it goes on: what was sent for its few tickets, to be compared with what the target tells afterwards. */
import type { CheckedTicket } from '../domain/checked.ts';
import type { Ledger } from '../domain/ledger.ts';
import type { TrialPick } from '../domain/survey.ts';
import type { CreatedTicket, TicketApi } from '../domain/ticket-api.ts';
import type { TrialTicket } from '../report/summary.ts';
import type { AttachmentProbe } from '../verify/attachment-probe.ts';
import { buildChecklist } from '../verify/checklist.ts';
import { checkTrial, type SentTicket } from '../verify/trial-checks.ts';

export class TrialRecord {
  readonly #picks: readonly TrialPick[];
  readonly #checked = new Map<string, CheckedTicket>();
  readonly #answers = new Map<string, CreatedTicket>();

  constructor(picks: readonly TrialPick[]) {
    this.#picks = picks;
  }

  get ids(): ReadonlySet<string> {
    return new Set(this.#picks.map(({ externalId }) => externalId));
  }

  take(checked: CheckedTicket): void {
    this.#checked.set(checked.externalId, checked);
  }

  /** The same API; what creates answer is kept, by ticket id. A trial is a few tickets. */
  listening(api: TicketApi): TicketApi {
    return {
      ...api,
      createTicket: async (ticket, signal) => {
        const created = await api.createTicket(ticket, signal);
        this.#answers.set(created.id, created);
        return created;
      },
    };
  }

  /** Reads the tickets of the trial back and compares. Throws what concerns the whole run. */
  async check(
    ledger: Pick<Ledger, 'get'>,
    api: TicketApi,
    probe: AttachmentProbe,
    nameOf: (email: string) => string | undefined,
    signal: AbortSignal,
  ) {
    const sent = this.#picks.flatMap(({ externalId, why }) => {
      const checked = this.#checked.get(externalId);
      const record = ledger.get(externalId);
      if (checked === undefined || record?.state !== 'done' || record.ticketId === undefined) return [];
      return [{ ...this.#sentTicket(checked, record.ticketId, nameOf), why }];
    });
    const { tickets, attachments } = await checkTrial(sent, api, probe, signal);
    const checks = new Map(tickets.map((ticket) => [ticket.externalId, ticket] as const));
    const list = buildChecklist(sent, new Map(tickets.map(({ externalId, checks: of }) => [externalId, of])));
    return {
      attachments,
      tickets: this.#picks.map(({ externalId, why }): TrialTicket => {
        const checked = checks.get(externalId);
        return checked === undefined
          ? {
              externalId,
              why,
              checks: [{ name: 'imported', ok: false, detail: 'The ticket is not complete in the target.' }],
            }
          : { externalId, ticketId: checked.ticketId, why, checks: checked.checks };
      }),
      checklist: list,
      failed:
        checks.size < this.#picks.length || tickets.some(({ checks: of }) => of.some((check) => !check.ok)),
    };
  }

  #sentTicket(
    { externalId, ticket, messages, events }: CheckedTicket,
    ticketId: string,
    nameOf: (email: string) => string | undefined,
  ): SentTicket {
    const created = this.#answers.get(ticketId)?.ticket;
    const email = ticket.contact?.email;
    const name = email === undefined ? undefined : nameOf(email);
    return {
      externalId,
      ticketId,
      ticket:
        email === undefined
          ? ticket
          : { ...ticket, contact: { email, ...(name === undefined ? {} : { name }) } },
      messages,
      events,
      ...(created === undefined ? {} : { created }),
    };
  }
}
