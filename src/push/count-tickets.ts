/**
 * What the target counts, by the total that its list tells: whether a query counts more tickets than it shows, and whether there
 * are as many of the source as are known to be there. Where there are
 * fewer, people may have deleted some: those that the list does not show are read by their ids, and only where each is gone
 * (or carries the tag no more) does the list show all that is there.
 */
import { hasTag, sourceTag } from '../domain/identity.ts';
import type { TicketQuery } from '../domain/ticket-api.ts';
import type { Evidence } from './doubt-decision.ts';
import { isThere } from './search-target.ts';
import type { CarryDeps } from './ticket-job.ts';

/** More than so many that are not shown are not deletions by people, and a list longer than this is not read for them. */
const MOST_MISSING = 50;
const MOST_LISTED = 20_000;
/** So many are looked at for one of a status. */
const MOST_SAMPLED = 500;

export class TicketCount {
  readonly #deps: Pick<CarryDeps, 'api' | 'ledger' | 'control' | 'creates'>;
  readonly #tag: string | undefined;
  /** Ids of tickets that are not in the target any more, or not with the tag. */
  readonly #gone = new Set<string>();

  constructor(deps: Pick<CarryDeps, 'api' | 'ledger' | 'control' | 'creates'>, source: string | undefined) {
    this.#deps = deps;
    this.#tag = source === undefined ? undefined : sourceTag(source);
  }

  /** Tickets that are being created while the target counts may or may not be among them. */
  async compare(): Promise<Evidence['count']> {
    const { api, control, creates } = this.#deps;
    const before = creates.mostTickets();
    if (this.#tag === undefined || before === undefined) return 'unreported';
    const total = await api.countTickets({ tags: [this.#tag] }, control.hard);
    const after = creates.mostTickets();
    if (total === undefined || after === undefined) return 'unreported';
    if (total > after.most) return 'more';
    if (total >= before.known) return 'agrees';
    const missing = before.known - total;
    const isExplained =
      missing <= MOST_MISSING && before.known <= MOST_LISTED && (await this.#showsTheRest());
    return isExplained ? 'agrees' : 'fewer';
  }

  /** Whether the target counts more than it shows by these queries. `known` has to count a ticket: else it does not count at all. */
  async beyond(
    known: TicketQuery,
    queries: readonly (readonly [query: TicketQuery, shown: number])[],
  ): Promise<Evidence['ownCount']> {
    const { api, control } = this.#deps;
    if (((await api.countTickets(known, control.hard)) ?? 0) < 1 || queries.length === 0) return 'unreported';
    for (const [query, shown] of queries) {
      const total = await api.countTickets(query, control.hard);
      if (total === undefined || total < shown) return 'unreported';
      if (total > shown) return 'some';
    }
    return 'none';
  }

  /** Whether the list shows a ticket of the source that has this status. */
  async shows(status: string): Promise<boolean> {
    if (this.#tag === undefined) return false;
    const { api, control } = this.#deps;
    const listed = await api.findTickets({ tags: [this.#tag], most: MOST_SAMPLED }, control.hard);
    return listed.some((ticket) => ticket['status'] === status);
  }

  async #showsTheRest(): Promise<boolean> {
    const { api, ledger, control } = this.#deps;
    const tag = this.#tag as string;
    const known: string[] = [];
    for (const { ticketId } of ledger.inStates(['created', 'messaged', 'done', 'failed']))
      if (ticketId !== undefined && !this.#gone.has(ticketId)) known.push(ticketId);
    const listed = await api.findTickets({ tags: [tag] }, control.hard);
    const shown = new Set(listed.filter(({ tags }) => hasTag(tags, tag)).map(({ id }) => id));
    const [seen] = shown;
    const missing = known.filter((id) => !shown.has(id));
    if (seen === undefined || missing.length > MOST_MISSING) return false;
    for (const ticketId of missing) {
      if (await isThere(ticketId, seen, tag, { api, signal: control.hard })) return false;
      this.#gone.add(ticketId);
    }
    return true;
  }
}
