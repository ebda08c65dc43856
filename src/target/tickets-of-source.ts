/** What the helpdesk has of a source and the checkpoint lacks: one reading for all comparisons. */
import { hasTag, sourceTag } from '../domain/identity.ts';
import type { Snapshot, TicketApi } from '../domain/ticket-api.ts';

export interface KnownOfSource {
  readonly source: string;
  readonly count: number;
  readonly ids?: (() => Iterable<string>) | undefined;
  ownerOf(ticketId: string): string | undefined;
}

export interface TicketsOfSource {
  /** Undefined if the helpdesk gives no count, counts other tickets too, or caps it. */
  readonly total: number | undefined;
  readonly listed: readonly Snapshot[];
  readonly unclaimed: readonly Snapshot[];
  /** Known tickets that the list lacks; undefined if it was not read to its end. */
  readonly gone: readonly string[] | undefined;
}

export const SAMPLE = 500;

/** @param most how many tickets to list, by the helpdesk's count. Throws ApiFailure. */
export async function ticketsOfSource(
  api: Pick<TicketApi, 'countTickets' | 'findTickets'>,
  { source, count, ids = () => [], ownerOf }: KnownOfSource,
  most: (total: number | undefined) => number,
  signal: AbortSignal,
): Promise<TicketsOfSource> {
  const tag = sourceTag(source);
  const counted = await api.countTickets({ tags: [tag] }, signal);
  const limit = most(counted);
  const shown = await api.findTickets({ tags: [tag], most: limit }, signal);
  const listed = shown.filter(({ tags }) => hasTag(tags, tag));
  const isWhole = shown.length < limit;
  const isFiltered = listed.length === shown.length;
  const isCounted = isFiltered && !(isCap(counted, count) && !(isWhole && shown.length === counted));
  const seen = new Set(listed.map(({ id }) => id));
  return {
    total: isCounted ? counted : undefined,
    listed,
    unclaimed: listed.filter(({ id }) => ownerOf(id) === undefined),
    gone: isWhole ? [...ids()].filter((id) => !seen.has(id)) : undefined,
  };
}

function isCap(total: number | undefined, known: number): boolean {
  return total !== undefined && total >= 1000 && total % 1000 === 0 && total < known;
}
