/** At the end of a run: does the helpdesk have each ticket of this source once? Silent if it cannot be read. */

import { hasTag, identityTag, readIdentityTag, sourceTag, tagNames } from '../domain/identity.ts';
import type { Clock } from '../domain/ports.ts';
import type { Problem } from '../domain/problem.ts';
import { problemOf } from '../domain/text/problem-words.ts';
import { ApiFailure, type Snapshot, type TicketApi } from '../domain/ticket-api.ts';

export interface CountQuestion extends KnownOfSource {
  readonly inDoubt: ReadonlySet<string>;
  readonly doubted: readonly string[];
  byTag(): ReadonlyMap<string, string>;
}

const MOST_LOOKS = 3;
const PAUSE_MS = 2_000;
const MOST_DOUBTED = 500;
/** With only tickets in doubt, or deleted ones, to find. */
export const MOST_COMPARED = 20_000;

export async function countAtEnd(
  question: CountQuestion,
  api: TicketApi,
  clock: Clock,
  signal: AbortSignal,
): Promise<Problem[]> {
  try {
    const twice = await twiceAmong(question, api, signal);
    const reported = new Set(twice.flatMap(({ ids }) => ids));
    for (let looks = 1; ; looks += 1) {
      const found = findings(
        question,
        await ticketsOfSource(api, question, mostOf(question), signal),
        reported,
      );
      if (found.length === 0 || looks === MOST_LOOKS)
        return [...twice.map(({ problem }) => problem), ...found];
      await clock.sleep(PAUSE_MS, signal);
    }
  } catch (error) {
    // The run is recorded; a failed read now changes nothing.
    if (error instanceof ApiFailure || signal.aborted) return [];
    throw error;
  }
}

function mostOf({ count, inDoubt }: CountQuestion) {
  return (total = 0) =>
    total > count + inDoubt.size ? Number.POSITIVE_INFINITY : total > count ? MOST_COMPARED : SAMPLE;
}

function findings(
  question: CountQuestion,
  { total = question.count, unclaimed }: TicketsOfSource,
  reported: ReadonlySet<string>,
): Problem[] {
  const { source, count, inDoubt } = question;
  const missing = problemOf('missing-in-target:fewer', { total, imported: count, source });
  const tags = unclaimed.length === 0 ? new Map<string, string>() : question.byTag();
  const extras = unclaimed.map((one) => ({ one, ticket: readIdentityTag(source, one.tags, tags) }));
  const isSurplus = extras.length > inDoubt.size;
  const surplus = extras.filter(
    ({ one, ticket }) =>
      !reported.has(one.id) && (isSurplus || (ticket !== undefined && !inDoubt.has(ticket))),
  );
  const hidden = total - count - Math.max(unclaimed.length, inDoubt.size, reported.size);
  return [
    ...(total < count ? [missing] : []),
    ...surplus.map(({ one, ticket }) => ({ ...extra(one, source), ticket })),
    ...(hidden > 0 ? [problemOf('duplicate-in-target:hidden', { total, source, hidden })] : []),
  ];
}

function extra({ id, tags }: Snapshot, source: string): Problem {
  const own = tagNames(tags).find((name) => name.toLowerCase().startsWith(`${source}-`));
  const named = own === undefined ? id : `${id} (${own})`;
  return problemOf('duplicate-in-target:extra', { name: named, source });
}

async function twiceAmong(
  { source, doubted }: CountQuestion,
  api: TicketApi,
  signal: AbortSignal,
): Promise<{ readonly problem: Problem; readonly ids: readonly string[] }[]> {
  const twice: { problem: Problem; ids: string[] }[] = [];
  for (const externalId of doubted.slice(0, MOST_DOUBTED)) {
    const tag = identityTag(source, externalId);
    const listed = await api.findTickets({ tags: [tag], most: 100 }, signal);
    const ids = listed.filter(({ tags }) => hasTag(tags, tag)).map(({ id }) => id);
    if (ids.length < 2) continue;
    const data = { times: ids.length, names: ids.join(', ') };
    twice.push({ problem: problemOf('duplicate-in-target:times', data, { ticket: externalId }), ids });
  }
  return twice;
}

/** Tickets of a source that the checkpoint lacks: one reading of the helpdesk for all comparisons. */

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
