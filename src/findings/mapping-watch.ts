/**
 * A mapping is checked against what it mapped: the tickets are looked at as a whole, and what looks like a mistake becomes a
 * finding. Memory does not grow with the export; of a large one some tickets in ten are looked at.
 */
import type { UnreadColumn } from '../domain/survey.ts';
import type { MappedTicket } from '../domain/ticket.ts';
import type { Finding, Places } from './finding.ts';
import type { KeySketch } from './key-sketch.ts';
import { seenTicket } from './seen-ticket.ts';
import { type UnreadList, unreadTexts, versionedRows } from './unread.ts';
import { PeopleWatch } from './watch-people.ts';
import { TextWatch } from './watch-texts.ts';
import { type FilledFields, TicketWatch } from './watch-tickets.ts';

/** All of the first tickets are looked at, then one in ten: mistakes of a mapping are in most of them. */
const ALL_OF_FIRST = 2000;
const THEN_ONE_IN = 10;

export class MappingWatch {
  readonly #people = new PeopleWatch();
  readonly #texts = new TextWatch();
  readonly #tickets: TicketWatch;
  #count = 0;

  constructor(now: Date) {
    this.#tickets = new TicketWatch(now.toISOString());
  }

  see(mapped: MappedTicket): void {
    if (mapped.excluded !== undefined) return;
    this.#tickets.seeId(mapped.externalId);
    const at = this.#count++;
    if (at >= ALL_OF_FIRST && at % THEN_ONE_IN !== 0) return;
    const seen = seenTicket(mapped);
    this.#people.see(seen);
    this.#texts.see(seen);
    this.#tickets.see(seen);
  }

  /** Ids of the tickets, to see what joins with them. */
  get ids(): KeySketch {
    return this.#tickets.ids;
  }

  /** How many tickets have each field. */
  filled(): FilledFields {
    return this.#tickets.filled;
  }

  findings(places: Places, columns: readonly UnreadColumn[], lists: readonly UnreadList[]): Finding[] {
    return [
      ...this.#tickets.findings(places),
      ...unreadTexts(columns, lists, {
        tickets: this.#count,
        lacksMessages: this.#tickets.lacksMessages,
        read: (this.#texts.characters * this.#count) / Math.max(1, this.#tickets.tickets),
      }),
      ...versionedRows(columns, this.#tickets, places),
      ...this.#people.findings(places),
      ...this.#texts.findings(places),
    ];
  }
}
