/** Digests of what never changes in a ticket's source, by which a reused ID is another ticket. */
import { OriginTally, requireSameSource } from '../checkpoint/same-source.ts';
import { originReader } from '../domain/identity.ts';
import type { TicketRecord } from '../domain/ledger.ts';
import type { TicketPayload } from '../domain/payload.ts';
import type { CheckResult } from '../domain/ticket.ts';

/** Settings that shape creation times and requesters. */
interface OriginSettings {
  readonly source: Readonly<
    Partial<Record<'timezone' | 'dayFirst' | 'missingTimes' | 'missingCreatedAt', unknown>>
  >;
  readonly people: { readonly customersWithoutEmail: unknown };
  readonly mapping?: unknown;
}

export function originsOf({ source, people, mapping }: OriginSettings): (ticket: TicketPayload) => string {
  const { timezone, dayFirst, missingTimes, missingCreatedAt } = source;
  const { customersWithoutEmail } = people;
  return originReader(
    JSON.stringify([timezone, dayFirst, missingTimes, missingCreatedAt, customersWithoutEmail, mapping]),
  );
}

/** Tickets of the export that the checkpoint knows. */
export class KnownTickets {
  readonly #originOf: (ticket: TicketPayload) => string;
  readonly #ofRejects: boolean;
  readonly #origins = new OriginTally();
  #inExport = 0;
  #shared = 0;

  constructor(settings: OriginSettings, ofRejects: boolean) {
    this.#originOf = originsOf(settings);
    this.#ofRejects = ofRejects;
  }

  /** A rejected or refused ticket may be corrected in any way, so it is not compared. */
  add({
    externalId,
    result,
    record,
  }: {
    readonly externalId: string;
    readonly result: CheckResult;
    readonly record: TicketRecord | undefined;
  }): void {
    this.#inExport++;
    if (record === undefined) return;
    this.#shared++;
    const { ticketId, state, origin } = record;
    const mayExist = ticketId !== undefined || state === 'creating' || state === 'inDoubt';
    if (mayExist && origin !== undefined && result.checked !== undefined)
      this.#origins.add(externalId, origin, this.#originOf(result.checked.ticket));
  }

  requireSource(ledger: { readonly path: string; size(): number }, sandbox?: string): void {
    const counts = { inExport: this.#inExport, shared: this.#shared, origins: this.#origins.counts };
    requireSameSource({ known: ledger.size(), ...counts, ofRejects: this.#ofRejects }, ledger.path, sandbox);
  }
}
