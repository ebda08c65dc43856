/** Which tickets of an export the checkpoint knows already, and whether they are the same ones: counted in a pass over it. */
import type { SourceComparison } from '../checkpoint/same-source.ts';
import { OriginTally, originReader } from '../domain/origin.ts';
import type { TicketPayload } from '../domain/payload.ts';
import type { Settings } from '../settings/settings.ts';
import type { ExaminedTicket } from './examine.ts';

/** By the settings of this run. */
export function originsOf({ source, people, mapping }: Settings): (ticket: TicketPayload) => string {
  const { timezone, dayFirst, missingTimes, missingCreatedAt } = source;
  const { customersWithoutEmail } = people;
  return originReader(
    JSON.stringify([timezone, dayFirst, missingTimes, missingCreatedAt, customersWithoutEmail, mapping]),
  );
}

export class KnownTickets {
  readonly #originOf: (ticket: TicketPayload) => string;
  readonly #origins = new OriginTally();
  #inExport = 0;
  #shared = 0;

  constructor(settings: Settings) {
    this.#originOf = originsOf(settings);
  }

  /** Only what may be in the target is compared: a rejected or refused ticket may be corrected in any way. */
  add({ record, result, externalId }: ExaminedTicket): void {
    this.#inExport++;
    if (record === undefined) return;
    this.#shared++;
    const { ticketId, state, origin } = record;
    const mayExist = ticketId !== undefined || state === 'creating' || state === 'inDoubt';
    if (mayExist && origin !== undefined && result.checked !== undefined)
      this.#origins.add(externalId, origin, this.#originOf(result.checked.ticket));
  }

  get counts(): Pick<SourceComparison, 'inExport' | 'shared' | 'origins'> {
    return { inExport: this.#inExport, shared: this.#shared, origins: this.#origins.counts };
  }
}
